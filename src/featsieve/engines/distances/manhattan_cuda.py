"""Manhattan distances on a CUDA device, by a Triton kernel: many times as fast as ``torch.cdist(p=1)``."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

# Rows and columns of the distances that a program computes, and its warps.
_TILE_ROWS, _TILE_COLUMNS, _WARPS = 128, 64, 4
# Features whose differences are added before they are added to the total, which bounds the rounding error.
_CHUNK = tl.constexpr(32)


@triton.jit
def _kernel(left, right, out, n, m, d, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    in_left, in_right = rows < n, columns < m
    total = tl.zeros((ROWS, COLUMNS), dtype=out.dtype.element_ty)
    for start in range(0, d, _CHUNK):
        part = tl.zeros((ROWS, COLUMNS), dtype=out.dtype.element_ty)
        for feature in range(start, min(start + _CHUNK, d)):
            a = tl.load(left + feature * n + rows, mask=in_left, other=0.0)
            b = tl.load(right + feature * m + columns, mask=in_right, other=0.0)
            part += tl.abs(a[:, None] - b[None, :])
        total += part
    offsets = rows.to(tl.int64)[:, None] * m + columns[None, :]
    tl.store(out + offsets, total, mask=in_left[:, None] & in_right[None, :])


def distances(left: Any, right: Any) -> Any:
    """Compute the sum of absolute differences between each row of ``left`` and each row of ``right``."""
    (n, d), m = left.shape, right.shape[0]
    out = torch.empty((n, m), dtype=left.dtype, device=left.device)
    grid = (triton.cdiv(n, _TILE_ROWS), triton.cdiv(m, _TILE_COLUMNS))
    columns = left.T.contiguous(), right.T.contiguous()  # a program reads one feature of many samples
    with torch.cuda.device(left.device):
        _kernel[grid](*columns, out, n, m, d, _TILE_ROWS, _TILE_COLUMNS, num_warps=_WARPS)
    return out
