"""Files of MATLAB and NumPy."""

import sys

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from featsieve.datasets import DataError, load

X = np.random.default_rng(0).random((6, 4))
Y = np.array([1, 2, 1, 2, 3, 3])


@pytest.fixture
def mat(tmp_path):
    """Write variables to a .mat file and return its path."""

    def write(**variables):
        scipy.io.savemat(tmp_path / "d.mat", variables)
        return tmp_path / "d.mat"

    return write


@pytest.fixture
def npz(tmp_path):
    """Write arrays to a .npz file and return its path."""

    def write(**arrays):
        np.savez(tmp_path / "d.npz", **arrays)
        return tmp_path / "d.npz"

    return write


def refused(path, **options):
    with pytest.raises(DataError) as caught:
        load(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(path.name)
    return message


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
def test_labels_of_another_name(writer, request):
    path = request.getfixturevalue(writer)(X=X, Y=Y, gnd=Y[::-1].copy())
    assert load(path, target="gnd").y.tolist() == Y[::-1].tolist()


def test_target_may_be_a_column(npz):
    data = load(npz(X=X, y=Y), target="x2")
    np.testing.assert_array_equal(data.y, X[:, 2])
    assert data.feature_names == ["x0", "x1", "x3"]
    np.testing.assert_array_equal(data.X, X[:, [0, 1, 3]])


def test_labels_may_be_dropped(npz):
    assert load(npz(X=X, y=Y), drop=["y", "x0"]).y is None


def test_type_is_kept(npz):
    assert load(npz(X=np.eye(3, dtype=np.uint8))).X.dtype == np.uint8


def test_sparse_stays_sparse(mat):
    data = load(mat(X=sp.csc_array(X), Y=Y), target="x1", drop=["x0"])
    assert sp.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), X[:, 2:])
    np.testing.assert_array_equal(data.y, X[:, 1])


def test_missing_values_of_a_sparse_matrix(mat):
    gaps = np.array([[0, np.nan], [2, 3], [0, 5.0], [1, 7]])
    path = mat(X=sp.csc_array(gaps))
    assert "column 'x1' has 1 missing value:" in refused(path, strict=True)
    data = load(path)
    assert sp.issparse(data.X)
    assert data.X.toarray()[0, 1] == 5


@pytest.mark.parametrize("labels", [np.array(["a", "bb"] * 3), np.array(["a", "bb"] * 3, dtype=object)])
def test_matlab_text_labels(mat, labels):
    assert load(mat(X=X, Y=labels)).y.tolist() == ["a", "bb"] * 3


@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_other_usual_names(writer, request):
    data = load(request.getfixturevalue(writer)(fea=X, gnd=Y))
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == Y.tolist()
    assert data.target_name == "gnd"


@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_arrays_named_by_options(writer, request):
    path = request.getfixturevalue(writer)(X=X, Y=Y, other=2 * X, also=Y[::-1].copy())
    data = load(path, samples="other", target="also")
    np.testing.assert_array_equal(data.X, 2 * X)
    assert data.y.tolist() == Y[::-1].tolist()
    assert "no array 'othr'. Did you mean 'other'?" in refused(path, samples="othr")


def test_the_only_matrix_of_a_matlab_file_is_taken(mat):
    np.testing.assert_array_equal(load(mat(faces=X, Y=Y)).X, X)
    assert "it contains 'a', 'b', 'c'" in refused(mat(a=X, b=X, c=Y))


def test_numpy_without_x_lists_what_there_is(npz):
    message = refused(npz(a=X, b=Y))
    assert "it contains 'a', 'b'" in message
    assert "--samples NAME" in message


def test_samples_are_for_files_of_arrays(tmp_path):
    np.save(tmp_path / "d.npy", X)
    assert "no arrays to name with --samples" in refused(tmp_path / "d.npy", samples="X")


def test_transposed(mat):
    assert "transpose X" in refused(mat(X=X.T, Y=Y))


def test_wrong_number_of_labels(mat):
    assert "Y has 5 labels for the 6 rows of X." in refused(mat(X=X, Y=Y[:5]))


def test_one_hot_labels(mat):
    assert "must be a single column of labels" in refused(mat(X=X, Y=np.eye(6)))


def test_cells_of_several_values(mat):
    cells = np.empty(6, dtype=object)
    cells[:] = [np.arange(2)] * 6
    assert "a cell with 2 values" in refused(mat(X=X, Y=cells))


def test_matlab_structure(mat):
    assert "must be real numbers" in refused(mat(X={"a": 1}))


@pytest.fixture
def mat73(tmp_path):
    """Write variables as MATLAB 7.3 does: HDF5 behind 512 bytes, matrices turned, text as numbers."""
    h5py = pytest.importorskip("h5py")

    def write(**variables):
        path = tmp_path / "d.mat"
        with h5py.File(path, "w", userblock_size=512) as file:
            for name, value in variables.items():
                _write_variable(h5py, file, name, value)
        with path.open("r+b") as handle:
            handle.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
        return path

    return write


def _write_variable(h5py, file, name, value):
    if sp.issparse(value):
        group = file.create_group(name)
        group.attrs["MATLAB_sparse"] = value.shape[0]
        for part, array in (("data", value.data), ("ir", value.indices), ("jc", value.indptr)):
            group[part] = array
    elif value.dtype.kind == "U":  # a cell of words
        refs = []
        for place, word in enumerate(value):
            key = f"#refs#/{name}{place}"
            file[key] = np.array([[ord(letter)] for letter in word], dtype=np.uint16)
            file[key].attrs["MATLAB_class"] = b"char"
            refs.append(file[key].ref)
        file.create_dataset(name, data=np.array([refs], dtype=object), dtype=h5py.ref_dtype)
        file[name].attrs["MATLAB_class"] = b"cell"
    else:
        file[name] = np.atleast_2d(value).T if value.ndim > 1 else value[None, :]
        file[name].attrs["MATLAB_class"] = b"double"


@pytest.mark.parametrize("labels", [Y, np.array(["a", "bb", "a", "bb", "c", "c"])])
def test_matlab_7_3(mat73, labels):
    data = load(mat73(X=X, Y=labels))
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == labels.tolist()


def test_matlab_7_3_sparse(mat73):
    thin = np.where(X > 0.5, X, 0)
    data = load(mat73(fea=sp.csc_array(thin), gnd=Y))
    np.testing.assert_array_equal(data.X.toarray(), thin)


def test_matlab_7_3_without_h5py(mat73, monkeypatch):
    path = mat73(X=X)
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert refused(path).endswith("reading it needs h5py: pip install 'featsieve[h5ad]'")


def test_not_quite_matlab_7_3(tmp_path):
    pytest.importorskip("h5py")
    path = tmp_path / "d.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\0" * 400)
    assert "is not a MATLAB 7.3 file, or is cut short" in refused(path)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.98])
@pytest.mark.parametrize("writer", ["mat", "npz"])
def test_cut_short(writer, share, request):
    path = request.getfixturevalue(writer)(X=X, Y=Y)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert "is empty" in refused(path) if share == 0 else "cut short" in refused(path)


@pytest.mark.parametrize(
    ("name", "says"), [("d.mat", "is not a MATLAB file"), ("d.npz", "is not a NumPy archive")]
)
def test_text_under_another_extension(tmp_path, name, says):
    path = tmp_path / name
    path.write_text("a,b\n1,2\n" * 40)
    assert says in refused(path)


def test_numpy_extensions_exchanged(tmp_path, npz):
    renamed = npz(X=X).rename(tmp_path / "many.npy")
    assert "Check its extension." in refused(renamed)
    np.save(tmp_path / "one.npy", X)
    assert "Check its extension." in refused((tmp_path / "one.npy").rename(tmp_path / "one.npz"))


def test_python_objects_are_not_unpickled(npz):
    assert "y contains Python objects" in refused(npz(X=X, y=np.array([None] * 6)))
    assert "X contains Python objects" in refused(npz(X=X.astype(object), y=Y))


def test_npy(tmp_path):
    np.save(tmp_path / "d.npy", X)
    data = load(tmp_path / "d.npy")
    np.testing.assert_array_equal(data.X, X)
    assert data.y is None


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (X[0], "must be a matrix"),
        (X[:0], "nothing to rank"),
        (X + 1j, "must be real numbers"),
        (np.array([["a", "b"]]), "must be real numbers"),
        (np.array([[1, None]]), "contains Python objects"),
        (np.array([[1.0, np.inf], [2, 3]]), "column 'x1' has 1 infinite value"),
        (np.full((2, 2), np.nan), "all values are missing"),
    ],
)
def test_unusable_array(tmp_path, array, says):
    np.save(tmp_path / "d.npy", array)
    assert says in refused(tmp_path / "d.npy")


def test_missing_values_of_an_array(tmp_path):
    gaps = np.array([[1.0, np.nan, np.nan], [np.nan, 3, np.nan], [5, 9, np.nan]])
    np.save(tmp_path / "d.npy", gaps)
    assert "column 'x2' has no values at all" in refused(tmp_path / "d.npy", strict=True)
    data = load(tmp_path / "d.npy")
    np.testing.assert_array_equal(data.X, [[1, 6], [3, 3], [5, 9]])
    np.testing.assert_array_equal(data.raw, gaps[:, :2])
    assert data.feature_names == ["x0", "x1"]
    assert data.notes == (
        "Column 'x2' is entirely missing and was left out.",
        "2 missing values in 2 columns ('x0', 'x1') were replaced with medians.",
    )


@pytest.mark.parametrize("name", ["gnd", "feature_names"])
@pytest.mark.parametrize("kind", ["<U3", ">U3"])
def test_text_that_is_not_unicode(tmp_path, name, kind):
    words = np.array(["abc", "bcd", "cde", "def"], dtype=kind)
    words.view(kind.replace("U3", "u4"))[1] = 0x110000
    np.savez(tmp_path / "d.npz", X=X[:4], **{name: words})
    assert "contains text that is not Unicode" in refused(tmp_path / "d.npz")


def test_text_of_no_length(npz):
    assert load(npz(X=X, gnd=np.zeros(6, dtype="<U0"))).y.tolist() == [""] * 6


def test_medians_that_are_not_finite(npz):
    huge = np.array([[1.7e308, 1], [1.7e308, 2], [np.nan, 3]])
    assert "values of column 'x0' are too large" in refused(npz(X=huge))
    elsewhere = np.array([[1.7e308, 1], [1.7e308, np.nan], [1.7e308, 3], [1.7e308, 4]])
    assert "values of column 'x0' are too large" in refused(npz(X=elsewhere))


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4"])
@pytest.mark.parametrize("sparse", [False, True])
def test_signaling_nan_is_missing_without_a_warning(mat, npz, kind, sparse):
    """Not every NaN is silent: arithmetic with this one raises a floating-point warning."""
    values = X.astype(kind)
    bits = values.view(kind.replace("f", "u"))
    bits[0, 1] = 0x7FF0000000000001 if kind.endswith("8") else 0x7F800001
    data = load(mat(X=sp.csc_array(values.astype(kind[1:]))) if sparse else npz(X=values))
    raw = data.raw.toarray() if sparse else data.raw
    assert np.isnan(raw[0, 1])
    raw.sum()
    np.testing.assert_array_equal(raw[1:], values[1:])
    assert data.notes == ("1 missing value in 'x1' was replaced with the median.",)


def test_labels_of_bytes_are_text(npz):
    labels = np.array([b"a", b"b", b"a", b"b", b"\xff", b"\xfe"])
    assert load(npz(X=X, y=labels)).y.tolist() == ["a", "b", "a", "b", "\\xff", "\\xfe"]


def test_labels_without_a_type_are_refused(npz):
    assert "the labels in 'y' must be numbers or text; got the type |V8" in refused(
        npz(X=X, y=np.zeros(6, dtype="V8"))
    )
