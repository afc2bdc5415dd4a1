"""Lasso paths of several responses on the same features, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.blas import dger
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from sklearn import get_config

from featsieve.engines.blocks import single_threaded_blas
from featsieve.engines.distances.products import gram_matrix
from featsieve.engines.progress import track
from featsieve.types import Indices, Mask

# A feature depends on the active ones if its squared residual is below this share of its squared norm.
_DEPENDENCE_RTOL = 1e-12
# Directions that violate the optimality conditions by more than REFINE_TOL are refined. If the violation then
# still exceeds REFRESH_TOL, the inverse is computed again.
_REFINE_TOL, _REFRESH_TOL = 1e-11, 1e-9
# The regression of a feature on the active ones is refined if its squared residual is below this share.
_NEAR_DEPENDENCE_RTOL = 1e-4
# Events of a path within this share of each other coincide; the first feature goes first.
_EVENT_RTOL = 1e-12
# Features whose penalties differ by less than this share enter together.
_EQUAL_ENTRIES_RTOL = 1e-9
# A slack below this share of the level counts as zero, because its change may be rounding error.
_SLACK_RTOL = 1e-9
# A squared residual below this bound has no inverse.
_MIN_PIVOT = 1e-290
# With more features than this, the Gram matrix does not fit in memory together with the data.
_MAX_GRAM_FEATURES = 10_000


def lasso_paths(
    X: np.ndarray, covariances: np.ndarray, n_nonzero: int, gram: bool | np.ndarray = True
) -> np.ndarray:
    """Compute the coefficients at the first knot of each path with ``n_nonzero`` of them, or at its end.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centered data.
    covariances : ndarray of shape (n_responses, n_features)
        Products Y' X of the responses and the features.
    n_nonzero : int
        Number of nonzero coefficients.
    gram : bool or ndarray of shape (n_features, n_features), default=True
        X'X, or whether to compute it beforehand, which pays if most features may become active.

    Returns
    -------
    ndarray of shape (n_responses, n_features)
        Coefficients.

    Notes
    -----
    All paths advance from knot to knot together, so that each round is a few operations on all of them. In
    benchmarks/solvers.py this is 3 to 8 times as fast as scikit-learn's ``lars_path_gram`` with a shared Gram
    matrix, which cannot stop at a number of coefficients, and 13 to 35 times as fast as ``lars_path``.
    Coordinate descent, even if given the last penalty, takes 12 to 30 times as long in scikit-learn, 1.5 to
    17 times in celer and 6 to 50 times in skglm.
    """
    return _follow(lambda paths: paths.solve(), X, covariances, n_nonzero, gram)


def lasso_entries(X: np.ndarray, covariances: np.ndarray, n_entries: int, gram: bool = True) -> np.ndarray:
    """Compute the largest penalties at which a feature enters one of the paths of :func:`lasso_paths`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centered data.
    covariances : ndarray of shape (n_responses, n_features)
        Products Y' X of the responses and the features.
    n_entries : int
        Number of features. The paths end at the penalty at which this number has entered any of them.
    gram : bool, default=True
        Whether to compute X'X beforehand.

    Returns
    -------
    ndarray of shape (n_features,)
        Penalties. Features that would enter later, or never, have penalty 0.
    """
    entries = np.zeros(X.shape[1])

    def solve(paths: LassoPaths) -> np.ndarray:
        np.maximum(entries, paths.solve_entries(n_entries, entries), out=entries)
        return entries[None]

    _follow(solve, X, covariances, max(1, min(n_entries, X.shape[0] - 1)), gram)
    entries[entries < _nth_largest(entries, n_entries) * (1 - _EQUAL_ENTRIES_RTOL)] = 0.0
    return entries


def _nth_largest(values: np.ndarray, n: int) -> float:
    return float(np.partition(values, -n)[-n])


def _follow(
    solve: Callable[[LassoPaths], np.ndarray],
    X: np.ndarray,
    covariances: np.ndarray,
    n_nonzero: int,
    gram: bool | np.ndarray,
) -> np.ndarray:
    """Solve the paths of as many responses together as fit in the working memory."""
    products: Any = gram if isinstance(gram, np.ndarray) else gram_matrix(X.T) if gram else None
    row_length = X.shape[0] if products is None else X.shape[1]
    bytes_each = 8 * (n_nonzero * (n_nonzero + row_length) + 6 * X.shape[1])
    step = max(1, int(get_config()["working_memory"] * 2**20 // bytes_each))
    starts = range(0, len(covariances), step)
    results = [np.empty((0, X.shape[1]))]
    with single_threaded_blas():  # many small products
        for start in track(starts, len(starts), "regressions"):
            results.append(solve(LassoPaths(X, products, covariances[start : start + step], n_nonzero)))
    return np.concatenate(results)


def gram_pays(n_samples: int, n_features: int, n_responses: int, n_nonzero: int) -> bool:
    """Return whether paths are faster with the Gram matrix than with a product with X at each knot."""
    is_narrow = n_features <= min(_MAX_GRAM_FEATURES, 8 * n_responses * n_nonzero)
    return is_narrow and 2 * n_nonzero * (n_features - 2 * n_samples) <= n_samples * n_features


class LassoPaths:
    """Lasso paths of several responses, from knot to knot.

    A path ends with ``n_nonzero`` coefficients or at its last penalty.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centered data.
    gram : ndarray of shape (n_features, n_features) or None
        X'X, if it is known.
    covariances : ndarray of shape (n_responses, n_features)
        Products Y' X.
    n_nonzero : int
        Largest number of nonzero coefficients.
    last : ndarray of shape (n_responses,), default=None
        Last penalty of each path. None is 0, least squares.
    barred : ndarray of shape (n_responses,), default=None
        A feature of each response that must not enter, with covariance 0.

    Notes
    -----
    The level of a path is the covariance of the residual with its active features. The state has an entry for
    each path that has not ended:

    - ``slack``: for both signs, the level minus the covariance of each feature; infinite for features that
      cannot enter.
    - ``rows``: the rows of the Gram matrix of the active features or, without it, their columns of X.
    - ``inverse``: the inverse of the Gram matrix of the active features.
    - ``direction``: how their coefficients change as the level falls by 1.
    - ``image``: the product of direction and rows.

    A feature that enters or leaves changes the last three by one term each. Slots beyond the size of a path
    are zero in ``inverse`` and arbitrary in ``rows``.
    """

    _STATE = (
        *("responses", "level", "last", "slack", "closing"),
        *("rows", "active", "size", "signs", "coefficients", "inverse", "direction", "image"),
    )

    def __init__(
        self,
        X: np.ndarray,
        gram: np.ndarray | None,
        covariances: np.ndarray,
        n_nonzero: int,
        last: np.ndarray | None = None,
        barred: np.ndarray | None = None,
    ) -> None:
        count = len(covariances)
        self.X, self.gram, self.covariances, self.n_nonzero = X, gram, covariances, n_nonzero
        self.result, self.entries = np.zeros(covariances.shape), np.zeros(X.shape[1])
        self.responses = np.arange(count)
        self.rows = np.zeros((count, n_nonzero, X.shape[0] if gram is None else X.shape[1]))
        self.level = np.abs(covariances).max(axis=1)
        self.last = np.zeros(count) if last is None else last.copy()
        self.slack = np.stack([self.level[:, None] - covariances, self.level[:, None] + covariances], axis=1)
        if barred is not None:
            self.slack[np.arange(count), :, barred] = np.inf
        self.closing = np.empty_like(self.slack)
        self.active = np.zeros((count, n_nonzero), dtype=np.intp)
        self.size = np.zeros(count, dtype=np.intp)
        self.signs, self.coefficients, self.direction = np.zeros((3, count, n_nonzero))
        self.inverse = np.zeros((count, n_nonzero, n_nonzero))
        self.image = np.zeros((count, self.rows.shape[2]))
        self._retire(self.level == 0)
        first = np.abs(covariances[self.responses]) >= self.level[:, None] * (1 - _EVENT_RTOL)
        slots = np.zeros(len(first), dtype=np.intp)
        self._update(slots > 0, slots, slots == 0, np.argmax(first, axis=1))

    def solve(self) -> np.ndarray:
        """Follow the paths to their ends and return the coefficients there, from a new factorization."""
        for _ in range(self._max_knots):
            if not self.responses.size:
                break
            self._advance()
        self._retire(np.ones(self.responses.size, dtype=bool))
        return self.result

    def solve_entries(self, n_entries: int, earlier: np.ndarray) -> np.ndarray:
        """Follow the paths to the level at which ``n_entries`` features have entered any of them.

        ``earlier`` has the levels at which features entered other paths, or 0. Returns the highest level at
        which each feature entered one of these paths, or 0.
        """
        for _ in range(self._max_knots):
            if not self.responses.size:
                break
            self._advance()
            last = _nth_largest(np.maximum(self.entries, earlier), n_entries)
            self._retire(self.level < last * (1 - _EQUAL_ENTRIES_RTOL))
        return self.entries

    @property
    def _max_knots(self) -> int:
        return 100 * (self.n_nonzero + 10)

    def _advance(self) -> None:
        """Move every path to its next knot."""
        width = max(1, self.size.max())
        self._compute_closing(width)
        level, direction, paths = self.level, self.direction[:, :width], np.arange(self.size.size)
        # as the level falls by 1, a slack shrinks by its closing
        rate = np.maximum(self.slack, _SLACK_RTOL * level[:, None, None])
        np.divide(self.closing, rate, out=rate)
        rate_of_feature = np.maximum(rate[:, 0], rate[:, 1])
        fastest = np.maximum(rate_of_feature.max(axis=1), np.finfo(float).tiny)
        threshold = fastest[:, None] * (1 - _EVENT_RTOL)
        entering = np.argmax(rate_of_feature >= threshold, axis=1)
        side = np.argmax(rate[paths, :, entering] >= threshold, axis=1)
        slack, reach = self.slack[paths, side, entering], 1 / fastest
        is_closed = (slack < _SLACK_RTOL * level) & (reach < level)
        np.divide(np.maximum(slack, 0), self.closing[paths, side, entering], out=reach, where=is_closed)
        coefficients = self.coefficients[:, :width]
        crossing = np.full(direction.shape, np.inf)
        np.divide(-coefficients, direction, out=crossing, where=coefficients * direction < 0)
        leaving = crossing.argmin(axis=1)
        zero = crossing[paths, leaving]
        step = np.minimum(reach, zero)
        has_ended = step >= (level - self.last) * (1 - 1e-10)
        step[has_ended], level[has_ended] = 0.0, self.last[has_ended]
        coefficients += step[:, None] * direction
        self.closing *= step[:, None, None]
        self.slack -= self.closing
        level -= step
        leaves = ~has_ended & (zero <= reach)
        has_ended |= ~leaves & (self.size == self.n_nonzero)
        self._update(leaves, leaving, ~leaves & ~has_ended, entering)
        self._retire(has_ended)

    def _compute_closing(self, width: int) -> None:
        """Compute how slacks shrink as the level falls by 1, after refining directions that have drifted."""
        fall = self._fall(self.image)
        is_active = np.arange(width) < self.size[:, None]
        # the covariances of active features must fall as the level does
        error = self.signs[:, :width] - np.take_along_axis(fall, self.active[:, :width], axis=1)
        for path in np.flatnonzero((np.abs(error) * is_active).max(axis=1) > _REFINE_TOL).tolist():
            size = self.size[path]
            active, signs, direction = (a[path, :size] for a in (self.active, self.signs, self.direction))
            for refresh in (False, True):
                if refresh:
                    self._refresh(path)
                direction += self.inverse[path, :size, :size] @ (signs - fall[path, active])
                self.image[path] = direction @ self.rows[path, :size]
                fall[path] = self._fall(self.image[path])
                if np.abs(signs - fall[path, active]).max() <= _REFRESH_TOL:
                    break
        np.subtract(1, fall, out=self.closing[:, 0])
        np.add(1, fall, out=self.closing[:, 1])

    def _fall(self, image: np.ndarray) -> np.ndarray:
        """Compute how fast the covariances of all features fall."""
        return image @ self.X if self.gram is None else image

    def _factor(self, path: int) -> np.ndarray:
        """Factor the Gram matrix of the active features by Cholesky."""
        size = self.size[path]
        rows = self.rows[path, :size]
        return dpotrf(rows @ rows.T if self.gram is None else rows[:, self.active[path, :size]], lower=1)[0]

    def _refresh(self, path: int) -> None:
        """Compute the inverse of the Gram matrix of the active features from its factor."""
        size = self.size[path]
        lower = np.tril(dpotri(self._factor(path), lower=1)[0])
        self.inverse[path, :size, :size] = lower + np.tril(lower, -1).T

    def _update(self, leaves: Mask, slots: Indices, enters: Mask, features: Indices) -> None:
        """Drop the active features in some slots, and add features that do not depend on the active ones.

        Both add a multiple of the outer product of ``vectors`` to the inverse. For a feature that leaves, the
        vector is its column of the inverse. For one that enters, it has the coefficients of its regression on
        the active features, and -1 in its own slot.
        """
        paths = np.arange(features.size)
        rows = self.X[:, features].T if self.gram is None else self.gram[features]
        vectors, residuals = self._regress(rows, features, enters)
        positive, negative = self.slack[paths, :, features].T
        signs = np.where(positive < negative, 1.0, -1.0)
        self.slack[paths[enters], :, features[enters]] = np.inf
        added = np.flatnonzero(residuals)
        np.maximum.at(self.entries, features[added], self.level[added])
        slot = self.size[added]
        self.rows[added, slot], vectors[added, slot] = rows[added], -1.0
        self.active[added, slot], self.signs[added, slot] = features[added], signs[added]
        vectors[leaves] = self.inverse[leaves, slots[leaves]]
        factors, rates = np.zeros(features.size), np.zeros(features.size)
        factors[added] = 1 / residuals[added]
        factors[leaves] = -1 / vectors[leaves, slots[leaves]]
        fall = (rows * self.image).sum(axis=1) if self.gram is None else self.image[paths, features]
        rates[added] = (signs - fall)[added] * factors[added]
        rates[leaves] = -self.direction[leaves, slots[leaves]] * factors[leaves]
        self.size[added] += 1
        width = self.size.max(initial=0)
        inverses = self.inverse[:, :width].transpose(0, 2, 1)
        for factor, vector, head, inverse in zip(
            factors.tolist(), vectors, vectors[:, :width], inverses, strict=True
        ):
            if factor:
                dger(factor, vector, head, a=inverse, overwrite_a=1)
        vectors *= rates[:, None]
        self.direction -= vectors
        self.image -= np.matmul(vectors[:, None, :width], self.rows[:, :width])[:, 0]
        for path in np.flatnonzero(leaves).tolist():
            self._drop(path, int(slots[path]))

    def _regress(self, rows: np.ndarray, features: Indices, enters: Mask) -> tuple[np.ndarray, np.ndarray]:
        """Regress a feature on the active ones; the squared residual is 0 if it must not enter."""
        width = self.size.max(initial=0)
        if self.gram is None:
            norms = (rows**2).sum(axis=1)
            products = np.matmul(self.rows[:, :width], rows[:, :, None])
        else:
            norms = rows[np.arange(features.size), features]
            products = np.take_along_axis(rows, self.active[:, :width], axis=1)[:, :, None]
        vectors = np.zeros_like(self.signs)
        vectors[:, :width] = np.matmul(self.inverse[:, :width, :width], products)[:, :, 0]
        residuals = norms - (vectors[:, :width] * products[:, :, 0]).sum(axis=1)
        for path in np.flatnonzero(enters & (residuals < _NEAR_DEPENDENCE_RTOL * norms)).tolist():
            size, column = self.size[path], self.X[:, features[path]]
            vector, active = vectors[path, :size], self.active[path, :size]
            columns = self.rows[path, :size] if self.gram is None else self.X.T[active]
            vector += self.inverse[path, :size, :size] @ (columns @ (column - vector @ columns))
            residual = column - vector @ columns
            residuals[path] = residual @ residual
        is_independent = residuals > np.maximum(_DEPENDENCE_RTOL * norms, _MIN_PIVOT)
        return vectors, np.where(enters & is_independent, residuals, 0.0)

    def _retire(self, has_ended: Mask) -> None:
        """Store the coefficients of paths that have ended, and fill their entries with the last paths."""
        for path in np.flatnonzero(has_ended).tolist():
            if size := self.size[path]:
                response, active = self.responses[path], self.active[path, :size]
                target = self.covariances[response, active] - self.level[path] * self.signs[path, :size]
                self.result[response, active] = dpotrs(self._factor(path), target, lower=1)[0]
        if not has_ended.any():
            return
        remaining = np.flatnonzero(~has_ended)
        free = np.flatnonzero(has_ended[: remaining.size])
        moved = remaining[remaining.size - free.size :]
        for name in self._STATE:
            array = getattr(self, name)
            array[free] = array[moved]
            setattr(self, name, array[: remaining.size])

    def _drop(self, path: int, slot: int) -> None:
        """Move the last active feature to the slot of one that leaves."""
        last, feature = self.size[path] - 1, self.active[path, slot]
        own, opposite = (0, 1) if self.signs[path, slot] > 0 else (1, 0)
        self.slack[path, own, feature], self.slack[path, opposite, feature] = 0.0, 2 * self.level[path]
        inverse = self.inverse[path]
        inverse[slot], inverse[:, slot] = inverse[last], inverse[:, last]
        inverse[slot, slot] = inverse[last, last]
        inverse[last], inverse[:, last] = 0.0, 0.0
        for state in (self.active, self.signs, self.coefficients, self.direction, self.rows):
            state[path, slot], state[path, last] = state[path, last], 0
        self.size[path] = last
