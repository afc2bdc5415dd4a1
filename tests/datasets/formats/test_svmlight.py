"""Files of svmlight."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp
from load_error import load_error
from sklearn.datasets import dump_svmlight_file

from featsieve.datasets import load

X = np.random.default_rng(0).random((6, 4))


Y = np.array([1, 2, 1, 2, 3, 3])


@pytest.mark.parametrize("ending", ["svmlight", "libsvm", "svm", "svm.gz"])
def test_svmlight(tmp_path, ending):
    thin = np.where(X > 0.5, X, 0)
    thin[0, -1] = 0.25
    path = tmp_path / f"d.{ending}"
    with gzip.open(path, "wb") if ending.endswith("gz") else path.open("wb") as handle:
        dump_svmlight_file(thin, Y, handle, zero_based=False)
    data = load(path)
    assert sp.issparse(data.X)
    np.testing.assert_allclose(data.X.toarray(), thin)
    assert data.y.tolist() == Y.tolist()
    assert data.feature_names == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", "is not an svmlight file"),
        ("1 1:2 1:x\n", "is not an svmlight file"),
        ("1 2147483647:1\n", "got 2147483647"),
        ("# nothing\n", "nothing to rank"),
    ],
)
def test_unusable_svmlight(tmp_path, content, expected):
    (tmp_path / "d.svm").write_text(content)
    assert expected in load_error(tmp_path / "d.svm")
