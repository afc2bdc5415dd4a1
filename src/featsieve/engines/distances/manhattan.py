"""Manhattan distances between the rows of two tensors."""

from __future__ import annotations

from typing import Any

import array_api_compat

from featsieve.engines.arrays import namespace

# Sums of absolute differences have this error, in units of the precision, plus _TERM_ERROR for each feature.
_SUM_ERROR, _TERM_ERROR = 64, 1 / 32


def manhattan_distances(left: Any, right: Any) -> Any:
    """Compute the sum of absolute differences between each row of ``left`` and each row of ``right``."""
    if not array_api_compat.is_torch_array(left):
        xp = namespace(left)
        return xp.sum(xp.abs(left[:, None, :] - right[None, :, :]), axis=2)
    if left.is_cuda:
        try:
            from featsieve.engines.distances import manhattan_cuda
        except ImportError:  # Triton comes with PyTorch for CUDA, but not on all platforms
            pass
        else:
            return manhattan_cuda.distances(left, right)
    import torch

    return torch.cdist(left, right, p=1)


def manhattan_rtol(n_features: int, eps: float) -> float:
    """Bound the relative error of :func:`manhattan_distances`; ``eps`` is the precision of the arithmetic."""
    return (_SUM_ERROR + _TERM_ERROR * n_features) * eps
