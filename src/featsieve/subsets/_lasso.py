"""Lasso paths of several responses on the same features, all at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtrs
from sklearn import get_config

from featsieve.engines.progress import track

# A feature of which so little is left beside the active ones counts as dependent on them.
_DEPENDENT = 1e-12
# So far may products with the kept inverse be off before it is computed anew; what is left of a feature is
# computed anew below the second.
_DRIFT, _DOUBT = 1e-9, 1e-6
# Events of a path that lie within this share of each other are one; the first feature goes first.
_EQUAL = 1e-12


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
    products, result = _Products(X, gram), np.empty_like(covariances)
    bytes_each = 8 * (n_nonzero**2 + 6 * X.shape[1])
    step = max(1, int(get_config()["working_memory"] * 2**20 // bytes_each))
    for start in range(0, len(covariances), step):
        part = slice(start, start + step)
        paths = _Paths(products, covariances[part], n_nonzero)
        for _ in track(paths.grow(), n_nonzero, "regressions"):
            pass
        result[part] = paths.coefficients()
    return result


class _Products:
    """Inner products of the features that were ever active, by the place at which they came."""

    def __init__(self, X: np.ndarray, gram: bool) -> None:
        self.X = X
        self.gram = X.T @ X if gram else None
        self.names = np.empty(0, dtype=np.intp)
        self.places = np.full(X.shape[1], -1)
        # rows of the Gram matrix, or columns of X as rows; and the products among them
        self.rows = np.empty((0, X.shape[1] if gram else X.shape[0]))
        self.inner = np.empty((0, 0))

    def admit(self, names: np.ndarray) -> np.ndarray:
        """Places of the features, new ones among them."""
        new = np.unique(names[self.places[names] < 0])
        if new.size:
            before, after = self.names.size, self.names.size + new.size
            if after > len(self.rows):
                room = min(2 * after + 32, self.X.shape[1])
                rows, inner = np.empty((room, self.rows.shape[1])), np.empty((room, room))
                rows[:before], inner[:before, :before] = self.rows[:before], self.inner[:before, :before]
                self.rows, self.inner = rows, inner
            self.places[new] = np.arange(before, after)
            self.names = np.append(self.names, new)
            rows = self.rows[before:after] = self.X[:, new].T if self.gram is None else self.gram[new]
            products = rows[:, self.names] if self.gram is not None else rows @ self.rows[:after].T
            self.inner[before:after, :after], self.inner[:after, before:after] = products, products.T
        return self.places[names]

    def with_all(self, weights: np.ndarray) -> np.ndarray:
        """Products of all features with sums of the admitted ones."""
        sums = weights @ self.rows[: weights.shape[1]]
        return sums if self.gram is not None else sums @ self.X


class _Paths:
    """Where each path is.

    ``gap`` has, for both signs, how far the covariance of residual and feature is from the level, that of
    the active features; infinity for features that cannot enter.
    """

    def __init__(self, products: _Products, covariances: np.ndarray, n_nonzero: int) -> None:
        count = len(covariances)
        self.products, self.covariances, self.n_nonzero = products, covariances, n_nonzero
        self.level = np.abs(covariances).max(axis=1)
        self.gap = np.stack([self.level[:, None] - covariances, self.level[:, None] + covariances], axis=1)
        self.active = np.zeros((count, n_nonzero), dtype=np.intp)
        self.size = np.zeros(count, dtype=np.intp)
        self.signs, self.values = np.zeros((count, n_nonzero)), np.zeros((count, n_nonzero))
        self.inverse = np.zeros((count, n_nonzero, n_nonzero))  # of the active features' Gram matrices
        self.running = self.level > 0
        self.gap[~self.running] = np.inf
        self.closing = np.empty_like(self.gap)
        first = np.abs(covariances) >= self.level[:, None] * (1 - _EQUAL)
        starting = np.flatnonzero(self.running)
        self._enter(starting, np.argmax(first[starting], axis=1))

    def grow(self) -> Iterator[int]:
        """Follow the paths to their ends; yields the largest number of active features whenever it grows."""
        most = 0
        for _ in range(100 * (self.n_nonzero + 10)):
            if self.size.max() > most:
                most = int(self.size.max())
                yield most
            if not self.running.any():
                return
            self._advance()

    def _advance(self) -> None:
        """Go on to the next knot of every path."""
        direction = self._direction()
        level, far = self.level, self.gap.shape[2]
        # the level falls by 1, a covariance by the closing less; a gap of nothing that does not close is none
        rate = np.maximum(self.gap, _EQUAL * level[:, None, None])
        np.divide(self.closing, rate, out=rate)
        fastest = rate.reshape(len(rate), 2 * far).max(axis=1)
        fastest = np.maximum(fastest, np.finfo(float).tiny)
        cross = np.full(direction.shape, np.inf)
        np.divide(-self.values, direction, out=cross, where=self.values * direction < 0)
        leaving = cross.argmin(axis=1)
        reach, zero = 1 / fastest, cross[np.arange(len(cross)), leaving]
        step = np.where(self.running, np.minimum(reach, zero), 0.0)
        ended = self.running & (step >= level * (1 - 1e-10))  # least squares
        level[ended], step[ended], self.gap[ended] = 0.0, 0.0, np.inf
        self.running &= ~ended
        self.values += step[:, None] * direction
        self.closing *= step[:, None, None]
        self.gap -= self.closing
        level -= step
        drop = self.running & (zero <= reach)
        self.running &= drop | (self.size < self.n_nonzero)
        enter = np.flatnonzero(self.running & ~drop)
        for path in np.flatnonzero(drop).tolist():
            self._drop(path, int(leaving[path]))
        if enter.size:
            first = rate[enter] >= fastest[enter, None, None] * (1 - _EQUAL)
            self._enter(enter, np.argmax(first.any(axis=1), axis=1))

    def coefficients(self) -> np.ndarray:
        """The coefficients where the paths are now, solved for anew."""
        result = np.zeros(self.covariances.shape)
        for path, size in enumerate(self.size):
            active, names = self.active[path, :size], self._names(path)
            right = self.covariances[path, names] - self.level[path] * self.signs[path, :size]
            if size:
                factor = dpotrf(self.products.inner[np.ix_(active, active)], lower=1)[0]
                result[path, names] = dpotrs(factor, right, lower=1)[0]
        return result

    def _names(self, path: int) -> np.ndarray:
        return self.products.names[self.active[path, : self.size[path]]]

    def _direction(self) -> np.ndarray:
        """How the active coefficients change as the level falls by 1; fills in how the gaps close."""
        most = self.size.max()
        paths = np.arange(len(self.size))[:, None]
        inside = np.arange(most) < self.size[:, None]
        for fresh in (False, True):
            direction = np.matmul(self.inverse[:, :most, :most], self.signs[:, :most, None])[:, :, 0]
            weights = np.zeros((len(self.size), self.products.names.size))
            weights[np.nonzero(inside)[0], self.active[:, :most][inside]] = direction[inside]
            fall = self.products.with_all(weights)
            # the active ones fall with the level, as long as the inverse is one
            at = fall[paths, self.products.names[self.active[:, :most]]]
            off = np.flatnonzero((np.abs(at - self.signs[:, :most]) * inside).max(axis=1, initial=0) > _DRIFT)
            if fresh or not off.size:
                break
            for path in off.tolist():
                self._refresh(path)
        np.subtract(1, fall, out=self.closing[:, 0])
        np.add(1, fall, out=self.closing[:, 1])
        whole = np.zeros(self.values.shape)
        whole[:, :most] = direction
        return whole

    def _refresh(self, path: int) -> np.ndarray:
        """Compute the inverse of the active features' Gram matrix anew; return its Cholesky factor."""
        size, active = self.size[path], self.active[path, : self.size[path]]
        factor, _ = dpotrf(self.products.inner[np.ix_(active, active)], lower=1)
        lower, _ = dpotri(factor, lower=1)
        self.inverse[path, :size, :size] = np.tril(lower) + np.tril(lower, -1).T
        return factor

    def _enter(self, paths: np.ndarray, names: np.ndarray) -> None:
        """Make a feature of each of the paths active, unless it is dependent on those that are."""
        new, most = self.products.admit(names), self.size.max()
        inner = self.products.inner
        inside = np.arange(most) < self.size[paths, None]
        products = inner[new[:, None], self.active[paths, :most]] * inside
        part = np.matmul(self.inverse[paths, :most, :most], products[:, :, None])[:, :, 0]
        own = inner[new, new]
        left = own - (products * part).sum(axis=1)
        for each in np.flatnonzero(left < _DOUBT * own):
            path, size = paths[each], self.size[paths[each]]
            edge = dtrtrs(self._refresh(path), products[each, :size], lower=1)[0]
            left[each] = own[each] - edge @ edge
            part[each, :size] = self.inverse[path, :size, :size] @ products[each, :size]
        slack = self.gap[paths, 1, names] - self.gap[paths, 0, names]
        self.gap[paths, :, names] = np.inf
        kept = np.flatnonzero(left > _DEPENDENT * own)
        paths, part, left, size = paths[kept], part[kept], left[kept], self.size[paths[kept]]
        scaled = part / left[:, None]
        self.inverse[paths, :most, :most] += part[:, :, None] * scaled[:, None, :]
        self.inverse[paths, size, :most] = self.inverse[paths, :most, size] = -scaled
        self.inverse[paths, size, size] = 1 / left
        self.active[paths, size], self.signs[paths, size] = new[kept], np.sign(slack[kept])
        self.values[paths, size] = 0.0
        self.size[paths] += 1

    def _drop(self, path: int, place: int) -> None:
        """Make an active feature inactive."""
        size, sign = self.size[path], self.signs[path, place]
        name = self.products.names[self.active[path, place]]
        near, far = (0, 1) if sign > 0 else (1, 0)
        self.gap[path, near, name], self.gap[path, far, name] = 0.0, 2 * self.level[path]
        inverse = self.inverse[path, :size, :size]
        column = inverse[:, place] / np.sqrt(inverse[place, place])
        inverse -= np.outer(column, column)
        # the last one takes its place
        inverse[place], inverse[:, place] = inverse[-1], inverse[:, -1]
        inverse[place, place] = inverse[-1, -1]
        inverse[-1], inverse[:, -1] = 0.0, 0.0
        for kept in (self.active, self.signs, self.values):
            kept[path, place] = kept[path, size - 1]
            kept[path, size - 1] = 0
        self.size[path] -= 1
