"""Tables with the samples in columns."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets import DataError, TableOptions, load
from featsieve.datasets.orientation import looks_transposed, transpose_table
from featsieve.datasets.table import Table

RNG = np.random.default_rng(0)


def table(columns, n_rows=80, related=False, names="row"):
    level = RNG.normal(size=(n_rows, 1)) * 5 if related else 0
    values = RNG.normal(size=(n_rows, len(columns))) + level
    frame = pd.DataFrame(values, columns=columns)
    frame.insert(0, names, [f"r{i}x" for i in range(n_rows)])
    return Table(frame, list(frame.columns))


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        (["age", "dose", "bmi"], {}, False),
        (["age", "dose", "bmi"], {"related": True}, True),  # replicates of the same measurement
        (["GSM1", "GSM2", "GSM3"], {}, True),
        (["tumor_1", "tumor_2", "normal_1"], {}, True),
        (["a", "b", "c"], {"names": "gene_id"}, True),
        (["a", "b", "c"], {"names": "gene_id", "n_rows": 20}, False),
        ([f"s{i}" for i in range(60)], {"names": "gene_id"}, False),  # not many more rows than columns
        (["start", "end", "length"], {"names": "gene_id"}, False),  # no samples
    ],
)
def test_looks_transposed(columns, options, expected):
    data = table(columns, **options)
    assert looks_transposed(data, data.columns[0], columns) == expected


def test_names_of_rows_and_columns_are_exchanged():
    data = transpose_table(table(["u", "v"], 5), "t")
    assert data.columns == [f"r{i}x" for i in range(5)]
    assert data.row_names.tolist() == ["u", "v"]
    assert data.values.shape == (2, 5)
    assert all(dtype.kind == "f" for dtype in data.values.dtypes)


def test_repeated_names_are_numbered():
    frame = pd.DataFrame({"gene": ["a", "b", "a"], "s": [1, 2, 3], "t": [4, 5, 6]})
    assert transpose_table(Table(frame, list(frame)), "t").columns == ["a", "b", "a-1"]


def test_matrix_without_names(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(6.0).reshape(2, 3))
    assert load(tmp_path / "t.npy", options=TableOptions(transpose=True)).X.tolist() == [
        [0, 3],
        [1, 4],
        [2, 5],
    ]
    (tmp_path / "t.csv").write_text("3,1,2\n4,9,6\n")
    assert load(tmp_path / "t.csv", options=TableOptions(transpose=True)).X.shape == (3, 2)


@pytest.mark.parametrize("name", ["t.npy", "t.csv"])
def test_generated_names_to_drop_are_those_of_the_features(tmp_path, name):
    values = RNG.normal(size=(6, 4))
    np.save(tmp_path / "t.npy", values)
    np.savetxt(tmp_path / "t.csv", values, delimiter=",")
    data = load(tmp_path / name, drop="x3", options=TableOptions(transpose=True))
    assert data.feature_names == ["x0", "x1", "x2", "x4", "x5"]
    assert len(data.X) == 4


def test_unusable_tables(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(3), y=[0, 1, 0])
    with pytest.raises(DataError, match="--transpose needs a table or a matrix without labels"):
        load(tmp_path / "t.npz", options=TableOptions(transpose=True))
    (tmp_path / "t.csv").write_text("gene,about\ng1,x\ng2,y\n")
    with pytest.raises(DataError, match="--transpose needs columns with the numbers of each sample"):
        load(tmp_path / "t.csv", options=TableOptions(transpose=True))
