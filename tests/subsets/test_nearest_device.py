"""1-NN accuracy without each feature: tensors and arrays have the same counts, ties included."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from featsieve.subsets import LeaveOneFeatureOut, _nearest, _nearest_device

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def make_data(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 7)) + np.arange(90)[:, None] % 3
    if kind == "integers":
        return np.rint(X)
    if kind == "decimals":  # equal distances that differ by rounding
        return np.rint(X) / 10
    return X * {"numbers": 1.0, "tiny": 1e-170, "far": 1.0}[kind] + (1e7 if kind == "far" else 0.0)


@pytest.mark.parametrize("kind", ["numbers", "integers", "decimals", "tiny", "far"])
def test_counts_of_tensors_and_arrays_are_equal(kind):
    X, codes = make_data(kind), np.arange(90) % 3
    expected = _nearest.count_correct(X[::2], codes[::2], X[1::2], codes[1::2])
    train, test = torch.asarray(X[::2].copy()), torch.asarray(X[1::2].copy())
    n_correct, n_without = _nearest_device.count_correct(train, codes[::2], test, codes[1::2])
    assert n_correct == expected[0]
    assert_array_equal(n_without, expected[1])
    assert len(set(expected[1])) > 1


def test_an_estimator_needs_an_array():
    X, y = torch.asarray(make_data("numbers")), np.arange(90) % 3
    with pytest.raises(ValueError, match=r"must be a NumPy array.*got a tensor"):
        LeaveOneFeatureOut(lambda X, y: 0.0, n_repeats=1).fit(X, y)
