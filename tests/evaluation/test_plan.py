"""Settings of a comparison."""

import numpy as np
import pytest

from featsieve.evaluation import Plan, compare


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((15, 3))


def test_sizes_are_integers(X):
    with pytest.raises(ValueError, match="`sizes` must be integers"):
        compare(X, np.arange(15) % 2, "fisher", Plan(sizes=[1, 2.5]))
    assert Plan(sizes=np.array([3, 1, 1])).check_sizes(3) == [1, 3]
