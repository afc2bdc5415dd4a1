import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from featsieve.engines.distances.manhattan import manhattan_rtol  # noqa: E402
from featsieve.engines.distances.manhattan_cuda import distances  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(1, 1, 1), (129, 65, 33), (300, 700, 1000)])
def test_kernel_equals_the_definition(shape, dtype):
    n, m, d = shape
    A, B = (torch.randn(rows, d, dtype=dtype, device="cuda") for rows in (n, m))
    expected = torch.cdist(A.double(), B.double(), p=1)
    gap = (distances(A, B).double() - expected).abs()
    assert bool((gap <= manhattan_rtol(d, torch.finfo(dtype).eps) * expected).all())
