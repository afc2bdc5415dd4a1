import numpy as np
import pytest
import scipy.sparse as sp
import sklearn

import featsieve
from featsieve.engines.chunked import as_chunked
from featsieve.estimation import Estimate

da = pytest.importorskip("dask.array", reason="dask is not installed")

METHODS = [m for m in featsieve.methods() if "chunked" in m.inputs]


def large(n_samples=50_000, n_features=10_000, chunks=(1000, 1000)):
    return da.zeros((n_samples, n_features), chunks=chunks, dtype=np.float32)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_every_method_is_estimated_without_reading(method):
    def fail(*block, **options):
        raise AssertionError("a chunk was read")

    X = da.map_blocks(
        fail, chunks=((1000,) * 50, (10_000,)), dtype=np.float32, meta=np.empty((0, 0), np.float32)
    )
    estimate = featsieve.estimate(X, method.name)
    assert estimate.memory > 0
    assert estimate.passes >= 2
    assert estimate.operations >= X.size


def test_operations_of_the_neighbor_search():
    operations = featsieve.estimate(large(), "laplacian").operations
    assert operations == pytest.approx(50_000**2 * 10_000, rel=0.05)  # by symmetry half of 2 n^2 d
    assert featsieve.estimate(large(), "relieff").operations == pytest.approx(2 * operations, rel=0.1)


def test_a_graph_that_is_given_is_not_built():
    n = 50_000
    graph = sp.csr_array((np.ones(2), ([0, 1], [1, 0])), shape=(n, n))
    given = featsieve.estimate(large(), featsieve.LaplacianScore(graph))
    assert given.operations < 1e11
    assert given.passes == pytest.approx(2.0)
    small = featsieve.KNNGraph(5).build(np.random.default_rng(0).standard_normal((30, 4)))
    assert featsieve.estimate(large(), featsieve.LLEScore(graph=small)).operations < 1e12


def test_columns_of_rows_are_read_several_times():
    with sklearn.config_context(working_memory=256):
        by_rows = featsieve.estimate(large(chunks=(1000, -1)), "variance").passes
        by_columns = featsieve.estimate(large(chunks=(-1, 100)), "variance").passes
        n_blocks = len(as_chunked(large(chunks=(1000, -1))).column_blocks())
    assert by_columns == pytest.approx(2)
    assert by_rows == 1 + n_blocks > 10


def test_the_neighbor_search_reads_whole_chunks():
    by_rows = featsieve.estimate(large(chunks=(1000, -1)), "laplacian").passes
    by_columns = featsieve.estimate(large(chunks=(-1, 100)), "laplacian").passes
    assert by_columns > 3 * by_rows


def test_working_memory_limits_the_estimate():
    estimates = []
    for megabytes in (128, 512, 2048):
        with sklearn.config_context(working_memory=megabytes):
            estimates.append(featsieve.estimate(large(), "lkr"))
    assert estimates[0].memory < estimates[1].memory < estimates[2].memory
    assert estimates[0].passes > estimates[1].passes > estimates[2].passes


@pytest.mark.parametrize("builder", [featsieve.KNNGraph(300), featsieve.ClassGraph()])
def test_parameters_and_labels(builder):
    y = np.arange(50_000) % 40
    assert featsieve.estimate(large(), featsieve.LaplacianScore(builder), y).memory > 0


@pytest.mark.parametrize("method", ["pearson", "relieff", "variance"])
def test_a_numeric_target_has_no_classes(method):
    y = np.random.default_rng(0).standard_normal(50_000)
    estimate = featsieve.estimate(large(), method, y)
    assert estimate.passes == pytest.approx(featsieve.estimate(large(), method).passes, rel=0.5)
    assert estimate.memory < 2e10


def test_arrays_in_memory_are_estimated_as_chunks():
    X = np.zeros((1000, 20))
    assert featsieve.estimate(X, "variance").passes == 2
    assert featsieve.estimate(sp.csr_array(X), "variance").passes == 2


def test_other_methods_are_refused():
    with pytest.raises(ValueError, match=r"must be in memory for MCFS"):
        featsieve.estimate(large(), "mcfs")


def test_repr():
    text = repr(Estimate(memory=612_000_000, passes=11.53, operations=2.5e13))
    assert text == "612 MB of memory, 11.5 passes over X, 2.5e+13 floating-point operations"


def test_streamed_data_is_refused():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    X = featsieve.stream(np.zeros((10, 3)), "cpu")
    with pytest.raises(ValueError, match=r"must not be a streamed matrix.*Pass the array"):
        featsieve.estimate(X, "variance")


def test_the_memory_of_small_data_does_not_depend_on_the_working_memory():
    memory = []
    for megabytes in (128, 8192):
        with sklearn.config_context(working_memory=megabytes):
            memory.append(featsieve.estimate(np.zeros((100, 5)), "variance").memory)
    assert memory[1] - memory[0] < 2e7
