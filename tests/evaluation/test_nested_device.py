"""Nested curves of tensors and arrays are equal, ties included."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context

from featsieve.evaluation import Fold, nearest_mean_curve, nearest_neighbor_curve

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()


def make_folds(kind, device):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 8)) + 0.8 * y[:, None]
    X = {"numbers": X, "integers": np.rint(X), "decimals": np.rint(X) / 10, "tiny": X * 1e-170}[kind]
    X = X.astype(np.float32) if kind == "decimals" else X
    tensor = torch.asarray(X, device=device)
    return Fold(X[::2], X[1::2], y[::2], y[1::2]), Fold(tensor[::2], tensor[1::2], y[::2], y[1::2])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("curve", [nearest_neighbor_curve, nearest_mean_curve])
@pytest.mark.parametrize("kind", ["numbers", "integers", "decimals", "tiny"])
@pytest.mark.parametrize("sizes", [None, [1, 7]])
def test_curves_of_tensors_and_arrays_are_equal(kind, curve, sizes, device):
    order = [3, 1, 7, 0, 2, 6, 5, 4]
    fold, tensors = make_folds(kind, device)
    expected = curve(fold, order, sizes)
    assert len(set(expected)) > 1
    assert_array_equal(curve(tensors, order, sizes), expected)
    with config_context(working_memory=0.01):
        assert_array_equal(curve(tensors, order, sizes), expected)
