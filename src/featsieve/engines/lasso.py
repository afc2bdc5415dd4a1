"""Lasso paths of several responses on the same features, all at once."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dger
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtrs
from sklearn import get_config

from featsieve.engines.blocks import blas_on_one_core, with_itself
from featsieve.engines.progress import track

# A feature of which so little is left beside the active ones counts as dependent on them.
_DEPENDENT = 1e-12
# So far may products with the kept inverse be off before it is computed anew; what is left of a feature is
# computed anew below the second.
_DRIFT, _DOUBT = 1e-9, 1e-6
# Events of a path that lie within this share of each other are one; the first feature goes first.
_EQUAL = 1e-12
# Gaps below this share of the level are as good as closed; one that closes no faster may be rounding alone.
_CLOSED = 1e-9
# A feature that is so much smaller than others has no inverse.
_TINY = 1e-290


def lasso_paths(X: np.ndarray, covariances: np.ndarray, n_nonzero: int, gram: bool = True) -> np.ndarray:
    """Coefficients at the first knot of each path that has ``n_nonzero`` of them, or at its end.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centred.
    covariances : ndarray of shape (n_responses, n_features)
        Y' X.
    n_nonzero : int
    gram : bool, default=True
        Whether to compute X'X beforehand, which is worth while if most features may become active.

    Returns
    -------
    ndarray of shape (n_responses, n_features)

    Notes
    -----
    The paths go from knot to knot side by side, so that each round is a few operations on all of them. Not
    scikit-learn's ``lars_path_gram``, which copies the Gram matrix for each response, compares with absolute
    tolerances, and under ``method="lar"`` leaves the path when a coefficient changes sign.
    """
    products = with_itself(X.T) if gram else None
    bytes_each = 8 * (n_nonzero * (n_nonzero + X.shape[1 if gram else 0]) + 6 * X.shape[1])
    step = max(1, int(get_config()["working_memory"] * 2**20 // bytes_each))
    parts = [covariances[start : start + step] for start in range(0, len(covariances), step)]
    found = [np.empty((0, X.shape[1]))]
    with blas_on_one_core():  # many small products
        for part in track(parts, len(parts), "regressions"):
            found.append(Paths(X, products, part, n_nonzero).coefficients())
    return np.concatenate(found)


class Paths:
    """Where each path is that has not come to its end.

    It ends with ``n_nonzero`` coefficients or at its ``last`` penalty, least squares unless that is given.
    ``barred`` has a feature of each response that must not enter, whose covariance has to be zero.

    ``gap`` has, for both signs, how far the covariance of residual and feature is from the level, that of
    the active features; infinity for features that cannot enter. ``rows`` has the active features' rows of
    the Gram matrix or, without it, their columns of X.
    """

    # what has an entry for each path, the next one's when it has retired
    _STATE = (
        *("responses", "level", "last", "gap", "closing"),
        *("rows", "active", "size", "signs", "values", "inverse"),
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
        self.result = np.zeros(covariances.shape)
        self.responses = np.arange(count)
        self.rows = np.zeros((count, n_nonzero, X.shape[0] if gram is None else X.shape[1]))
        self.level = np.abs(covariances).max(axis=1)
        self.last = np.zeros(count) if last is None else last.copy()
        self.gap = np.stack([self.level[:, None] - covariances, self.level[:, None] + covariances], axis=1)
        if barred is not None:
            self.gap[np.arange(count), :, barred] = np.inf
        self.closing = np.empty_like(self.gap)
        self.active = np.zeros((count, n_nonzero), dtype=np.intp)
        self.size = np.zeros(count, dtype=np.intp)
        self.signs, self.values = np.zeros((count, n_nonzero)), np.zeros((count, n_nonzero))
        self.inverse = np.zeros((count, n_nonzero, n_nonzero))  # of the active features' Gram matrices
        self._retire(self.level == 0)
        first = np.abs(covariances[self.responses]) >= self.level[:, None] * (1 - _EQUAL)
        self._enter(np.ones(len(first), dtype=bool), np.argmax(first, axis=1))

    def coefficients(self) -> np.ndarray:
        """Follow the paths to their ends; the coefficients there, solved for anew."""
        for _ in range(100 * (self.n_nonzero + 10)):
            if not self.responses.size:
                break
            self._advance()
        self._retire(np.ones(self.responses.size, dtype=bool))
        return self.result

    def _advance(self) -> None:
        """Go on to the next knot of every path."""
        direction = self._direction()
        level, most, every = self.level, direction.shape[1], np.arange(len(direction))
        # the level falls by 1, a covariance by the closing less
        rate = np.maximum(self.gap, _CLOSED * level[:, None, None])
        np.divide(self.closing, rate, out=rate)
        fastest = np.maximum(rate.reshape(len(rate), -1).max(axis=1), np.finfo(float).tiny)
        first = rate >= fastest[:, None, None] * (1 - _EQUAL)
        entering = np.argmax(first.any(axis=1), axis=1)
        side = np.argmax(first[every, :, entering], axis=1)
        left, reach = self.gap[every, side, entering], 1 / fastest
        closed = (left < _CLOSED * level) & (reach < level)
        np.divide(np.maximum(left, 0), self.closing[every, side, entering], out=reach, where=closed)
        values = self.values[:, :most]
        cross = np.full(direction.shape, np.inf)
        np.divide(-values, direction, out=cross, where=values * direction < 0)
        leaving = cross.argmin(axis=1)
        zero = cross[every, leaving]
        step = np.minimum(reach, zero)
        ended = step >= (level - self.last) * (1 - 1e-10)
        step[ended], level[ended] = 0.0, self.last[ended]
        values += step[:, None] * direction
        self.closing *= step[:, None, None]
        self.gap -= self.closing
        level -= step
        drop = ~ended & (zero <= reach)
        ended |= ~drop & (self.size == self.n_nonzero)
        for path in np.flatnonzero(drop).tolist():
            self._drop(path, int(leaving[path]))
        self._enter(~drop & ~ended, entering)
        self._retire(ended)

    def _direction(self) -> np.ndarray:
        """How the active coefficients change as the level falls by 1; fills in how the gaps close."""
        most = max(1, self.size.max())
        inside = np.arange(most) < self.size[:, None]
        for fresh in (False, True):
            direction = np.matmul(self.inverse[:, :most, :most], self.signs[:, :most, None])[:, :, 0]
            fall = np.matmul(direction[:, None, :], self.rows[:, :most])[:, 0]
            if self.gram is None:
                fall = fall @ self.X
            # the active ones fall with the level, as long as the inverse is one
            off = fall[np.arange(len(fall))[:, None], self.active[:, :most]] - self.signs[:, :most]
            drifted = np.flatnonzero((np.abs(off) * inside).max(axis=1, initial=0) > _DRIFT)
            if fresh or not drifted.size:
                break
            for path in drifted.tolist():
                self._refresh(path)
        np.subtract(1, fall, out=self.closing[:, 0])
        np.add(1, fall, out=self.closing[:, 1])
        return direction

    def _factor(self, path: int) -> np.ndarray:
        """Cholesky factor of the active features' Gram matrix."""
        size = self.size[path]
        rows = self.rows[path, :size]
        return dpotrf(rows @ rows.T if self.gram is None else rows[:, self.active[path, :size]], lower=1)[0]

    def _refresh(self, path: int) -> np.ndarray:
        """Compute the inverse of that Gram matrix anew; return the factor."""
        size, factor = self.size[path], self._factor(path)
        lower = np.tril(dpotri(factor, lower=1)[0])
        self.inverse[path, :size, :size] = lower + np.tril(lower, -1).T
        return factor

    def _enter(self, going: np.ndarray, names: np.ndarray) -> None:
        """Make a feature of each path that is ``going`` active, unless it is dependent on those that are."""
        most = self.size.max(initial=0)
        if self.gram is None:
            rows = self.X[:, names].T
            owns = (rows**2).sum(axis=1)
            products = np.matmul(self.rows[:, :most], rows[:, :, None])[:, :, 0]
        else:
            rows = self.gram[names]
            owns = rows[np.arange(names.size), names]
            products = rows[np.arange(names.size)[:, None], self.active[:, :most]]
        # places beyond a path's size hold anything; the inverse is zero there
        parts = np.zeros_like(self.signs)
        parts[:, :most] = np.matmul(self.inverse[:, :most, :most], products[:, :, None])[:, :, 0]
        left = owns - (products * parts[:, :most]).sum(axis=1)
        for path in np.flatnonzero(going & (left < _DOUBT * owns)).tolist():
            size = self.size[path]
            edge = dtrtrs(self._refresh(path), products[path, :size], lower=1)[0]
            left[path] = owns[path] - edge @ edge
            parts[path, :size] = self.inverse[path, :size, :size] @ products[path, :size]
        paths = np.flatnonzero(going)
        near, far = self.gap[paths, :, names[paths]].T
        signs = np.sign(far - near)
        self.gap[paths, :, names[paths]] = np.inf
        free = left[paths] > np.maximum(_DEPENDENT * owns[paths], _TINY)
        paths, signs = paths[free], signs[free]
        place = self.size[paths]
        parts[paths, place] = -1.0  # so that one outer product extends the inverse
        for path, part, rest in zip(paths.tolist(), parts[paths], left[paths].tolist(), strict=True):
            dger(1 / rest, part, part, a=self.inverse[path].T, overwrite_a=1)
        self.rows[paths, place] = rows[paths]
        self.active[paths, place], self.signs[paths, place] = names[paths], signs
        self.size[paths] += 1

    def _retire(self, ended: np.ndarray) -> None:
        """Write down where these paths have come to; the last ones take their places."""
        for path in np.flatnonzero(ended)[::-1].tolist():
            if size := self.size[path]:
                response, active = self.responses[path], self.active[path, :size]
                right = self.covariances[response, active] - self.level[path] * self.signs[path, :size]
                self.result[response, active] = dpotrs(self._factor(path), right, lower=1)[0]
            for kept in self._STATE:
                array = getattr(self, kept)
                array[path] = array[-1]
                setattr(self, kept, array[:-1])

    def _drop(self, path: int, place: int) -> None:
        """Make an active feature inactive."""
        last, name = self.size[path] - 1, self.active[path, place]
        near, far = (0, 1) if self.signs[path, place] > 0 else (1, 0)
        self.gap[path, near, name], self.gap[path, far, name] = 0.0, 2 * self.level[path]
        inverse = self.inverse[path]
        column = inverse[place] / np.sqrt(inverse[place, place])
        dger(-1.0, column, column, a=inverse.T, overwrite_a=1)
        # the last one takes its place
        inverse[place], inverse[:, place] = inverse[last], inverse[:, last]
        inverse[place, place] = inverse[last, last]
        inverse[last], inverse[:, last] = 0.0, 0.0
        for kept in (self.active, self.signs, self.values, self.rows):
            kept[path, place], kept[path, last] = kept[path, last], 0
        self.size[path] = last
