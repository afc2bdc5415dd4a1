"""Reduced tables: every format is read back, and failures leave no file."""

import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from featsieve.datasets import DataError, extensions, load, save

FORMATS = [suffix for suffix in extensions(writable=True) if suffix != ".npy"]
N = 20


def need(ending):
    if ending in (".parquet", ".feather"):
        pytest.importorskip("pyarrow")


@pytest.fixture
def numbers(tmp_path):
    """Load a table of numbers, with the target between the features."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((N, 5)) * 10.0 ** np.arange(-6, 4, 2), columns=list("edcba"))
    frame["d"] = np.arange(N)
    frame.insert(2, "target", np.arange(N) % 3)
    frame.to_csv(tmp_path / "numbers.csv", index=False)
    return load(tmp_path / "numbers.csv")


@pytest.fixture
def messy(tmp_path):
    """Load a table with text, dates and missing values."""
    pytest.importorskip("skrub")
    frame = pd.DataFrame(
        {
            "when": [f"2020-01-{i + 1:02}" for i in range(N)],
            "kind": [["a, 'b'", None, 'c "d" \\ é'][i % 3] for i in range(N)],
            "count": [None if i == 4 else i for i in range(N)],
            "target": [["yes", "no"][i % 2] for i in range(N)],
            "flag": [i % 4 == 0 for i in range(N)],
        }
    )
    frame.to_csv(tmp_path / "messy.csv", index=False)
    return load(tmp_path / "messy.csv")


@pytest.mark.parametrize("ending", [*FORMATS, ".csv.gz", ".arff.xz", ".svm.bz2"])
def test_numbers_are_read_back(numbers, tmp_path, ending):
    need(ending)
    path = save(numbers, ["a", "d", "e"], tmp_path / f"out{ending}")
    back = load(path)
    written = numbers.table.values[["e", "d", "a"]].to_numpy(dtype=float)
    dense = back.X.toarray() if sp.issparse(back.X) else back.X
    if "svm" in ending or ending == ".xlsx":  # which write 16 digits
        np.testing.assert_allclose(dense, written, rtol=1e-15)
    else:
        np.testing.assert_array_equal(dense, written)
    if "svm" not in ending:  # which writes no names
        assert back.feature_names == ["e", "d", "a"]
    assert back.y.tolist() == numbers.y.tolist()


def test_npy_has_no_labels(numbers, tmp_path):
    back = load(save(numbers, ["a"], tmp_path / "out.npy"))
    np.testing.assert_array_equal(back.X[:, 0], numbers.table.values["a"])
    assert back.y is None


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".feather", ".arff"])
def test_columns_are_written_unconverted(messy, tmp_path, ending):
    need(ending)
    back = load(save(messy, ["kind", "flag", "count"], tmp_path / f"out{ending}"), target="target")
    names = ["kind", "count", "flag"]
    assert back.columns == names
    assert back.table.columns == ["kind", "count", "target", "flag"]
    assert back.y.tolist() == messy.y.tolist()
    for name in names:
        before, after = messy.table.values[name], back.table.values[name]
        assert before.isna().tolist() == after.isna().tolist()
        assert before.dropna().tolist() == after.dropna().tolist()


@pytest.mark.parametrize("ending", [".npz", ".npy", ".mat", ".svm"])
def test_text_is_refused_for_arrays(messy, tmp_path, ending):
    with pytest.raises(
        DataError, match=rf"out{ending} cannot be written: column 'kind' contains text"
    ) as caught:
        save(messy, ["kind"], tmp_path / f"out{ending}")
    assert "\n" not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["messy.csv"]


@pytest.mark.parametrize("ending", [".npz", ".mat"])
def test_text_labels_and_missing_values_are_written_to_arrays(messy, tmp_path, ending):
    back = load(save(messy, ["count"], tmp_path / f"out{ending}"))
    assert back.y.tolist() == messy.y.tolist()
    assert np.flatnonzero(np.isnan(back.raw[:, 0])).tolist() == [4]


def test_text_labels_are_refused_for_svmlight(messy, tmp_path):
    with pytest.raises(DataError, match="the labels are text"):
        save(messy, ["count"], tmp_path / "out.svm")


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("labels", [True, False])
def test_arrays_and_sparse_matrices(tmp_path, ending, labels):
    need(ending)
    X = np.where(np.random.default_rng(0).random((N, 6)) > 0.5, np.arange(6) + 1.0, 0)
    X[0] = 7
    with (tmp_path / "d.svm").open("w") as handle:
        for row, label in zip(X, np.arange(N) % 2, strict=True):
            handle.write(f"{label} " + " ".join(f"{i + 1}:{v}" for i, v in enumerate(row) if v) + "\n")
    data = load(tmp_path / "d.svm", drop=[] if labels else ["y"])
    back = load(save(data, ["x1", "x4"], tmp_path / f"out{ending}"))
    np.testing.assert_array_equal(back.X.toarray() if sp.issparse(back.X) else back.X, X[:, [1, 4]])
    if labels:
        assert back.y.tolist() == (np.arange(N) % 2).tolist()
    elif "svm" not in ending:  # where 0 stands for no label
        assert back.y is None


def test_column_named_target_and_labels(tmp_path):
    np.savez(tmp_path / "d.npz", X=np.eye(3), y=[1, 2, 3], feature_names=["target", "b", "c"])
    data = load(tmp_path / "d.npz")
    assert data.feature_names == ["target", "b", "c"]
    back = pd.read_csv(save(data, ["target", "b"], tmp_path / "out.csv"))
    assert list(back.columns) == ["target", "b", "y"]


def test_single_column_with_missing_values(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n,3\n4,5\n")
    back = load(save(load(tmp_path / "t.csv"), ["a"], tmp_path / "out.csv"))
    np.testing.assert_array_equal(back.raw, [[1], [np.nan], [4]])


def test_embedded(tmp_path):
    data = load("wine")
    back = load(save(data, ["hue", "alcohol"], tmp_path / "out.csv"))
    assert back.feature_names == ["alcohol", "hue"]
    assert back.y.tolist() == data.y.tolist()


def test_nothing_is_overwritten(numbers, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("precious")
    with pytest.raises(DataError, match=r"out\.csv already exists: .* --force"):
        save(numbers, ["a"], out)
    assert out.read_text() == "precious"
    save(numbers, ["a"], out, force=True)
    assert load(out).feature_names == ["a"]


@pytest.mark.parametrize("force", [True, False])
def test_the_source_is_never_replaced(numbers, tmp_path, force):
    before = numbers.path.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(numbers.path)
    for path in (numbers.path, tmp_path / "." / "numbers.csv", link):
        with pytest.raises(DataError, match="is the file that the data comes from"):
            save(numbers, ["a"], path, force=force)
    assert numbers.path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("out.ods", r"out\.ods has the extension '\.ods' and cannot be written"),
        ("out", "no extension"),
        ("out.txt", "cannot be written"),
        ("nowhere/out.csv", "The folder .*nowhere of out.csv does not exist"),
        ("folder.csv", "is a folder"),
    ],
)
def test_unusable_path(numbers, tmp_path, name, expected):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=expected):
        save(numbers, ["a"], tmp_path / name)


def test_unknown_column(numbers, tmp_path):
    with pytest.raises(DataError, match="no column 'target'"):
        save(numbers, ["target"], tmp_path / "out.csv")


@pytest.mark.parametrize(
    "failure", [KeyboardInterrupt(), OSError(28, "No space left on device"), ZeroDivisionError()]
)
@pytest.mark.parametrize("existing", [True, False])
def test_failure_leaves_no_file(numbers, tmp_path, monkeypatch, failure, existing):
    out = tmp_path / "out.csv"
    if existing:
        out.write_text("precious")

    def broken(self, handle, **options):
        handle.write("half of it")
        handle.flush()
        assert len(os.listdir(tmp_path)) == 2 + existing  # the temporary file exists
        raise failure

    monkeypatch.setattr(pd.DataFrame, "to_csv", broken)
    expected = KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else DataError
    with pytest.raises(expected):
        save(numbers, ["a"], out, force=True)
    assert sorted(os.listdir(tmp_path)) == ["numbers.csv", *(["out.csv"] if existing else [])]
    assert not existing or out.read_text() == "precious"


def test_permissions_follow_the_umask(numbers, tmp_path):
    plain = tmp_path / "plain.txt"
    plain.write_text("")
    assert save(numbers, ["a"], tmp_path / "out.csv").stat().st_mode == plain.stat().st_mode
