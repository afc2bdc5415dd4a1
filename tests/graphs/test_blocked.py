import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from featsieve import KNNGraph
from featsieve.engines.chunked import as_chunked
from featsieve.graphs import blocked, nearest_neighbors
from featsieve.graphs.blocked import block_shape, nearest_in_blocks

da = pytest.importorskip("dask.array", reason="dask is not installed")


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((70, 19))


def small_blocks(monkeypatch, rows, columns):
    monkeypatch.setattr(blocked, "block_shape", lambda *sizes: blocked.BlockShape(rows, columns))


@pytest.mark.parametrize("metric", ["sqeuclidean", "cityblock"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("rows", "columns"), [(70, 19), (16, 19), (9, 4)])
@pytest.mark.parametrize("subset", [False, True])
def test_all_pairs_of_blocks_are_compared(metric, convert, rows, columns, subset, X, monkeypatch):
    if convert is sp.csr_array and metric == "cityblock":
        pytest.skip("sparse data has products only")
    small_blocks(monkeypatch, rows, columns)
    pool = as_chunked(da.from_array(X, chunks=(13, 6)).map_blocks(convert))
    chosen = np.array([3, 60, 2]) if subset else np.arange(70)
    queries = pool[chosen] if subset else pool
    name = "euclidean" if metric == "sqeuclidean" else "manhattan"
    found = nearest_in_blocks(queries, pool, 6, name)
    expected = cdist(X[chosen], X, metric)
    order = np.argsort(expected, axis=1)[:, :6]
    assert_array_equal(np.sort(found.indices, axis=1), np.sort(order, axis=1))
    assert_allclose(found.distances, np.take_along_axis(expected, found.indices, axis=1), atol=1e-12)
    assert_allclose(found.norms, (X[chosen] ** 2).sum(axis=1))
    assert found.largest == pytest.approx((X**2).sum(axis=1).max())


def test_blocks_fit_in_the_working_memory():
    for n_features in (100, 10_000, 1_000_000):
        with sklearn.config_context(working_memory=256):
            shape = block_shape(50_000, 4.0 * n_features, n_features, 4)
        assert 1 <= shape.columns <= n_features
        panels = 2 * 4 * shape.rows * shape.columns
        assert panels + 2 * 4 * shape.rows**2 < 256 * 2**20
        assert shape.rows > 500


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_features", [14, 20])
def test_ties_and_copies(n_features, dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, n_features)).astype(dtype)
    X[20:35] = X[20]
    small_blocks(monkeypatch, 17, 20)
    for k in (3, 20):
        expected = nearest_neighbors(X, k)
        found = nearest_neighbors(da.from_array(X, chunks=(23, 7)), k)
        assert_array_equal(found.indices, expected.indices)
        assert_array_equal(found.distances, expected.distances)


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_near_copies_far_from_the_origin(offset, X, monkeypatch):
    small_blocks(monkeypatch, 16, 19)
    X = np.vstack([X, X[:20] + 1e-5]) + offset
    expected = nearest_neighbors(X, 2)
    assert_array_equal(nearest_neighbors(da.from_array(X, chunks=30), 2).indices, expected.indices)


@pytest.mark.parametrize(("dtype", "unit"), [(np.float32, 1e-41), (np.float64, 1e-310)])
def test_subnormal_numbers(dtype, unit, X):
    tiny = (X * unit).astype(dtype)
    assert_array_equal(
        nearest_neighbors(da.from_array(tiny, chunks=(13, 7)), 3).indices, nearest_neighbors(tiny, 3).indices
    )


@pytest.mark.parametrize("algorithm", ["scikit-learn", "faiss", "approximate"])
def test_other_algorithms_are_refused(algorithm, X):
    with pytest.raises(ValueError, match="data in chunks"):
        KNNGraph(3, algorithm=algorithm).build(da.from_array(X, chunks=30))
