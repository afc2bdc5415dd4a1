import numpy as np
import pytest
from numpy.testing import assert_allclose

from featsieve.engines.distances.manhattan import manhattan_distances, manhattan_rtol

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_distances_are_within_the_error_bound(dtype):
    rng = np.random.default_rng(0)
    A, B = (torch.asarray(rng.standard_normal((n, 70)), dtype=dtype) for n in (9, 5))
    expected = np.abs(A.double().numpy()[:, None] - B.double().numpy()).sum(axis=2)
    rtol = manhattan_rtol(70, torch.finfo(dtype).eps)
    assert_allclose(manhattan_distances(A, B), expected, rtol=rtol)
    assert rtol < 1e-5
