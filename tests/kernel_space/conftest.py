"""Small matrices: threads of BLAS cost more than they bring, above all beside other tests."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield
