"""Pivoted incomplete Cholesky factors of a kernel matrix that is read by the column."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.linalg.blas import dgemv

from featsieve.engines.blocks import single_threaded_blas
from featsieve.engines.progress import track
from featsieve.kernel_space.kernels import Columns

# Columns of the factor that are allocated together.
_WIDTH = 64


class Factor:
    r"""Orthonormal base vectors that stand on samples, and the coordinates of all samples on them.

    .. math:: K \approx R R^\top, \quad r_{ij} = w_j^\top \phi(x_i)

    Attributes
    ----------
    pivots : list of int
        The sample that each base vector stands on.
    residuals : list of float
        r_kk, how far that sample was from the span of the base vectors before.
    left : ndarray of shape (n_samples,)
        Squared distance of each sample from the span.
    lengths : ndarray of shape (n_samples,)
        Length of each sample in kernel space.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.left = columns.diagonal()
        self.largest = float(self.left.max())
        self.pivots: list[int] = []
        self.residuals: list[float] = []
        # a list of row-major blocks of R': a column of R is contiguous, and growing copies nothing
        self._blocks: list[np.ndarray] = []
        self._check_positive()
        self.lengths = np.sqrt(self.left)

    @property
    def rounding(self) -> float:
        """What a squared distance may be by rounding alone."""
        return self.columns.n_samples * self.columns.eps * self.largest

    def farthest(self) -> int:
        """The sample farthest from the span; of equals up to rounding, the first."""
        most = self.left.max()
        return int(np.argmax(self.left >= most - min(1e-12 * self.largest, 1e-6 * most)))

    def __len__(self) -> int:
        return len(self.pivots)

    def add(self, pivot: int) -> None:
        """Make the residual of a sample the next base vector."""
        k = len(self)
        new = self.columns[pivot]
        for start, block in zip(range(0, k, _WIDTH), self._blocks, strict=False):
            known = block[: k - start]
            new = dgemv(-1.0, known.T, known[:, pivot].copy(), beta=1.0, y=new, overwrite_y=True)
        residual = float(np.sqrt(self.left[pivot]))
        new /= residual
        new[self.pivots] = 0.0
        new[pivot] = residual
        if k % _WIDTH == 0:
            self._blocks.append(np.empty((min(_WIDTH, new.size - k), new.size)))
        self._blocks[-1][k % _WIDTH] = new
        self.pivots.append(pivot)
        self.residuals.append(residual)
        np.square(new, out=new)
        self.left -= new
        self.left[self.pivots] = 0.0
        self._check_positive()

    def _check_positive(self) -> None:
        """Take what rounding made negative for zero, and refuse what it cannot have made."""
        least = int(self.left.argmin())
        if self.left[least] >= 0:
            return
        if self.left[least] < -64 * np.sqrt(self.columns.eps) * max(self.largest, 0.0):
            raise ValueError(
                f"kernel is not positive semi-definite on these samples: sample {least} has the squared "
                f"length {self.left[least]:.3g} in kernel space. Use a kernel that is (rbf, linear, poly "
                "with coef0 >= 0), or add a constant to the diagonal of a precomputed one."
            )
        np.maximum(self.left, 0.0, out=self.left)

    def rows(self, samples: list[int]) -> np.ndarray:
        """The rows of R of these samples."""
        if not self._blocks:
            return np.empty((len(samples), 0))
        return np.concatenate([block[:, samples] for block in self._blocks])[: len(self)].T

    def matrix(self, dtype: type = np.float64) -> np.ndarray:
        """R, of shape (n_samples, n_components); the factor is spent."""
        out = np.empty((self.columns.n_samples, len(self)), dtype=dtype)
        for start in range(0, len(self), _WIDTH):
            block = self._blocks.pop(0)[: len(self) - start]
            out[:, start : start + len(block)] = block.T
        return out


def factorize(
    columns: Columns, choose: Callable[[Factor], int | None], limit: int, name: str | None
) -> Factor:
    """Add base vectors until ``choose``, which names the next pivot, returns None; at most ``limit``."""
    factor = Factor(columns)
    if factor.largest <= 0:
        raise ValueError(
            "kernel gives every sample the length 0 in kernel space, so there is nothing to learn: "
            "choose another kernel, or check X."
        )

    def steps() -> Iterator[None]:
        while len(factor) < limit:
            pivot = choose(factor)
            if pivot is None:
                return
            factor.add(pivot)
            yield

    with single_threaded_blas():
        for _ in track(steps(), limit, name):
            pass
    return factor
