r"""Regression that selects features for several responses together: the group lasso over rows.

.. math:: \min_B |Y - F B|_F^2 / 2 + \alpha \sum_j |b_j|

b_j is the row of B for feature j.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import MultiTaskLasso

from featsieve.engines.progress import track

# Each penalty of the path is this share of the previous one; the last is this share of the first.
_PENALTY_RATIO, _LAST_PENALTY = 0.8, 1e-3
_MAX_BISECTIONS = 12
# Duality gap at which a point of the path is solved, relative to |Y|^2.
_DUALITY_GAP = 1e-8
# A feature is missing from the support if it violates its optimality condition by more than this.
_VIOLATION_RTOL = 1e-6
# Eigenvalues of F'F below this share of the largest are rounding error.
_EIGENVALUE_RTOL = 1e-14


def group_lasso_path(
    F: np.ndarray, Y: np.ndarray, first_penalty: float, n_rows: int
) -> tuple[float, np.ndarray]:
    """Find the largest penalty with at least ``n_rows`` nonzero rows, and the coefficients there.

    The path starts at ``first_penalty``, the smallest at which all rows are zero. If its last penalty has
    fewer nonzero rows, that is the result.
    """
    upper, penalty, coefficients = first_penalty, first_penalty, np.zeros((F.shape[1], Y.shape[1]))
    n_penalties = int(np.ceil(np.log(_LAST_PENALTY) / np.log(_PENALTY_RATIO)))
    for step in track(range(1, n_penalties + 1), n_penalties, "penalties"):
        upper, penalty = penalty, first_penalty * _PENALTY_RATIO**step
        coefficients = _solve(F, Y, penalty, coefficients)
        if _count_rows(coefficients) >= n_rows:
            break
    for _ in range(_MAX_BISECTIONS):
        if _count_rows(coefficients) <= n_rows:
            break
        middle = np.sqrt(upper * penalty)
        sparser = _solve(F, Y, middle, coefficients)
        if _count_rows(sparser) >= n_rows:
            penalty, coefficients = middle, sparser
        else:
            upper = middle
    return penalty, coefficients


def _count_rows(coefficients: np.ndarray) -> int:
    return int(coefficients.any(axis=1).sum())


def _solve(F: np.ndarray, Y: np.ndarray, penalty: float, start: np.ndarray) -> np.ndarray:
    """Solve at one penalty on a working set, which grows until no feature is missing."""
    coefficients, working = start, np.asarray(start.any(axis=1))
    while True:
        correlations = F.T @ (Y - F[:, working] @ coefficients[working])
        norms = np.linalg.norm(correlations, axis=1)
        missing = np.flatnonzero(~working & (norms > penalty * (1 + _VIOLATION_RTOL)))
        if not missing.size and coefficients is not start:
            return coefficients
        # the worst violations first: most of the others disappear when these are added
        most_violated = missing[np.argsort(-norms[missing], kind="stable")]
        working[most_violated[: 10 + int(working.sum())]] = True
        design, responses = _compress(F[:, working], Y)
        # scikit-learn divides the squared error by the number of samples
        solver = MultiTaskLasso(
            penalty / len(design), fit_intercept=False, tol=_DUALITY_GAP, max_iter=100_000, warm_start=True
        )
        solver.coef_ = np.asfortranarray(coefficients[working].T)
        solver.fit(design, responses)
        coefficients = np.zeros_like(start)
        coefficients[working] = solver.coef_.T


def _compress(F: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a smaller F and Y with the same F'F and F'Y, which determine the coefficients."""
    values, vectors = np.linalg.eigh(F.T @ F)
    significant = values > _EIGENVALUE_RTOL * values[-1]
    vectors = vectors[:, significant]
    root = np.sqrt(values[significant])[:, None]
    return np.asfortranarray(root * vectors.T), (vectors.T @ (F.T @ Y)) / root
