"""Columns in the forms that file formats need."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import dump_svmlight_file

import featsieve.datasets
from featsieve.datasets import DataError
from featsieve.datasets.selection import Selection


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame({"a": [1.5, np.nan, 3], "text": ["x", "y", "x"], "species": ["u", "v", "u"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return featsieve.datasets.load(tmp_path / "t.csv", target="species")


def select(dataset, columns, suffix=".npz"):
    return Selection(dataset, dataset.table.keep(columns), suffix)


def test_missing_values_are_nan(table):
    assert_array_equal(select(table, ["a"]).matrix(), [[1.5], [np.nan], [3]])


def test_text_is_rejected_by_formats_of_numbers(table):
    with pytest.raises(
        DataError, match=r"column 'text' contains text \('x'\), which .npz files cannot contain"
    ):
        select(table, ["a", "text"]).matrix()


def test_frame_has_the_labels_of_the_table(table):
    frame = select(table, ["text"]).frame()
    assert list(frame) == ["text", "species"]
    assert frame["species"].tolist() == ["u", "v", "u"]


def test_labels_from_outside_the_table_become_the_last_column():
    iris = featsieve.datasets.load("iris")
    first, last = iris.table.columns[0], iris.table.columns[-1]
    frame = select(iris, [first, last]).frame()
    assert list(frame)[:2] == [first, last]
    assert frame.shape == (150, 3)
    assert_array_equal(frame.iloc[:, 2], iris.y)


def test_sparse_features(tmp_path):
    X = sp.random_array((6, 4), density=0.4, random_state=np.random.default_rng(0), format="csr")
    X.data = X.data.round(3)
    dump_svmlight_file(X.toarray(), np.arange(6) % 2, str(tmp_path / "s.svm"))
    dataset = featsieve.datasets.load(tmp_path / "s.svm")
    selection = select(dataset, dataset.table.columns[:3])
    assert sp.issparse(selection.matrix())
    assert_array_equal(selection.dense_matrix(), X.toarray()[:, :3])
    assert_array_equal(selection.frame().iloc[:, :3], X.toarray()[:, :3])
