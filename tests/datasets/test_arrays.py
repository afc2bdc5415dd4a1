"""What the formats of arrays share."""

import numpy as np
import pytest
import scipy.sparse as sp
from load_error import load_error

from featsieve.datasets import load

X = np.random.default_rng(0).random((6, 4))


Y = np.array([1, 2, 1, 2, 3, 3])


@pytest.mark.parametrize("name", ["Y", "y"])
@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_labels(writer, name, request):
    data = load(request.getfixturevalue(writer)(**{"X": X, name: Y}))
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, Y)
    assert data.feature_names == ["x0", "x1", "x2", "x3"]
    assert data.target_name == name


@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_without_labels(writer, request):
    data = load(request.getfixturevalue(writer)(X=X))
    assert data.y is None
    assert data.target_name is None


@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_labels_are_selected_by_target(writer, request):
    path = request.getfixturevalue(writer)(X=X, Y=Y, gnd=Y[::-1].copy())
    assert load(path, target="gnd").y.tolist() == Y[::-1].tolist()


def test_sparse_stays_sparse(mat):
    data = load(mat(X=sp.csc_array(X), Y=Y), target="x1", drop=["x0"])
    assert sp.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), X[:, 2:])
    np.testing.assert_array_equal(data.y, X[:, 1])


@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_common_names_of_arrays(writer, request):
    data = load(request.getfixturevalue(writer)(fea=X, gnd=Y))
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == Y.tolist()
    assert data.target_name == "gnd"


@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_arrays_are_selected_by_name(writer, request):
    path = request.getfixturevalue(writer)(X=X, Y=Y, other=2 * X, also=Y[::-1].copy())
    data = load(path, samples="other", target="also")
    np.testing.assert_array_equal(data.X, 2 * X)
    assert data.y.tolist() == Y[::-1].tolist()
    assert "no array 'othr'. Did you mean 'other'?" in load_error(path, samples="othr")


def test_samples_are_refused_for_single_arrays(tmp_path):
    np.save(tmp_path / "d.npy", X)
    assert "no arrays, layers or sheets to name with --samples" in load_error(tmp_path / "d.npy", samples="X")


def test_transposed(mat):
    assert "transpose X" in load_error(mat(X=X.T, Y=Y))


def test_wrong_number_of_labels(mat):
    assert "Y has 5 labels for the 6 rows of X." in load_error(mat(X=X, Y=Y[:5]))


def test_one_hot_labels(mat):
    assert "must be a single column of labels" in load_error(mat(X=X, Y=np.eye(6)))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.98])
@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_cut_short(writer, share, request):
    path = request.getfixturevalue(writer)(X=X, Y=Y)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert "is empty" in load_error(path) if share == 0 else "cut short" in load_error(path)


@pytest.mark.parametrize(
    ("name", "expected"), [("d.mat", "is not a MATLAB file"), ("d.npz", "is not a NumPy archive")]
)
def test_text_under_another_extension(tmp_path, name, expected):
    path = tmp_path / name
    path.write_text("a,b\n1,2\n" * 40)
    assert expected in load_error(path)
