"""PyTorch tensors and NumPy arrays have equal scores; a GPU runs the same code."""

from importlib.util import find_spec

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import featsieve
from featsieve.engines.arrays import to_host

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

TENSORS = [m for m in featsieve.methods() if "array_api" in m.inputs]
device = pytest.mark.parametrize(
    "device",
    [
        "cpu",
        pytest.param(
            "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
        ),
        pytest.param(
            "cupy", marks=pytest.mark.skipif(find_spec("cupy") is None, reason="CuPy is not installed")
        ),
    ],
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.gamma(2.0, size=(90, 14)) * rng.uniform(0.5, 3, 14)
    X[:, 5] = X[:, 5].round()  # ties
    X[:, 6] = 1.5
    X[3] = X[4]
    return X, np.repeat([0, 1, 2], 30)


def test_promised_methods_support_tensors():
    promised = {"variance", "fisher", "laplacian", "lkr", "lle-reconstruction", "lle", "relieff"}
    promised |= {"pearson", "chi-square", "information-gain", "iterative", "mcfs", "spfs", "leave-one-out"}
    assert promised <= {m.name for m in TENSORS}


def to_tensor(X, device):
    """Copy X to a tensor of PyTorch on a device, or to one of CuPy."""
    if device != "cupy":
        return torch.asarray(X, device=device)
    import cupy

    return cupy.asarray(X)


def make(method):
    """Make the estimator with a fixed seed."""
    estimator = method.make()
    return estimator.set_params(**{name: 0 for name in estimator.get_params() if name == "random_state"})


def assert_close(actual, expected, rtol):
    """Compare finite scores relative to the largest one."""
    finite = np.isfinite(expected)
    assert_array_equal(np.isfinite(actual), finite)
    assert_allclose(actual[finite], expected[finite], rtol=0, atol=rtol * np.abs(expected[finite]).max())


@device
@pytest.mark.parametrize("method", TENSORS, ids=lambda m: m.name)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_scores_of_tensors_and_arrays_are_equal(method, dtype, device, data):
    X, y = data
    X = X.astype(np.float64 if dtype == torch.float64 else np.float32)
    expected, model = make(method), make(method)
    expected.fit(X, y)
    tensor = to_tensor(X, device)
    model.fit(tensor, torch.asarray(y))
    rtol = 1e-10 if dtype == torch.float64 else 1e-6
    assert_close(model.scores_, expected.scores_, rtol)
    kept = model.transform(tensor)
    assert type(kept) is type(tensor)
    assert kept.device == tensor.device
    assert_array_equal(to_host(kept), X[:, model.get_support()])


@device
@pytest.mark.parametrize("method", TENSORS, ids=lambda m: m.name)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_rankings_of_tensors_and_arrays_are_identical(method, dtype, device):
    rng = np.random.default_rng(1)
    X, y = np.abs(rng.standard_normal((80, 12)) * rng.uniform(0.5, 3, 12)), np.arange(80) % 3
    X[:, :4] += 0.4 * y[:, None]
    X = X.astype(np.float64 if dtype == torch.float64 else np.float32)
    expected = make(method).fit(X, y).order_
    assert_array_equal(make(method).fit(to_tensor(X, device), y).order_, expected)


@device
@pytest.mark.parametrize("name", ["LaplacianScore", "LKRScore", "SPECScore"])
def test_class_graph_scores_of_tensors_and_arrays_are_equal(name, device, data):
    X, y = data
    estimator = getattr(featsieve, name)(featsieve.ClassGraph())
    expected = estimator.fit(X, y).scores_
    assert_allclose(estimator.fit(to_tensor(X, device), y).scores_, expected, rtol=1e-9)


def test_functions_return_tensors(data):
    X, _ = data
    score = featsieve.scores.laplacian_score(torch.asarray(X), featsieve.KNNGraph(4))
    assert isinstance(score, torch.Tensor)


def test_tensor_is_not_modified(data):
    X, y = data
    tensor = torch.asarray(X)
    before = tensor.clone()
    for method in TENSORS:
        method.make().fit(tensor, y)
    assert torch.equal(tensor, before)


@pytest.mark.parametrize(
    ("bad", "match"),
    [
        (torch.zeros(5), "two-dimensional"),
        (torch.full((5, 2), torch.nan, dtype=torch.float64), "NaN"),
        (torch.zeros((5, 2), dtype=torch.complex64), "[Cc]omplex"),
        (torch.zeros((1, 2)), "2 samples"),
    ],
    ids=["1-D", "NaN", "complex", "one sample"],
)
def test_invalid_tensors_are_rejected(bad, match):
    with pytest.raises(ValueError, match=match):
        featsieve.VarianceScore().fit(bad)


def test_methods_without_tensor_support_reject_tensors(data):
    X, _ = data
    with pytest.raises(ValueError, match="must be a NumPy array"):
        featsieve.SparsityScore().fit(torch.asarray(X))
