"""Fixtures of the kernel-space tests."""

import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y
