"""Lasso paths of several responses on the same features, all at once."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dger
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from sklearn import get_config

from featsieve.engines.blocks import single_threaded_blas
from featsieve.engines.distances.products import gram_matrix
from featsieve.engines.progress import track

# A feature of which so little is left beside the active ones counts as dependent on them.
_DEPENDENT = 1e-12
# A direction that misses the optimality conditions by more than this is refined, and if it still misses them
# by more than the second, the inverse is computed anew.
_DRIFT, _STALE = 1e-11, 1e-9
# The regression of a feature on the active ones is refined if it leaves less than this share of the feature.
_NEARLY_DEPENDENT = 1e-4
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
        Centerd.
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
    products = gram_matrix(X.T) if gram else None
    bytes_each = 8 * (n_nonzero * (n_nonzero + X.shape[1 if gram else 0]) + 6 * X.shape[1])
    step = max(1, int(get_config()["working_memory"] * 2**20 // bytes_each))
    parts = [covariances[start : start + step] for start in range(0, len(covariances), step)]
    found = [np.empty((0, X.shape[1]))]
    with single_threaded_blas():  # many small products
        for part in track(parts, len(parts), "regressions"):
            found.append(Paths(X, products, part, n_nonzero).coefficients())
    return np.concatenate(found)


class Paths:
    """Where each path is that has not come to its end.

    It ends with ``n_nonzero`` coefficients or at its ``last`` penalty, least squares unless that is given.
    ``barred`` has a feature of each response that must not enter, whose covariance has to be zero.

    ``gap`` has, for both signs, how far the covariance of residual and feature is from the level, that of
    the active features; infinity for features that cannot enter. ``rows`` has the active features' rows of
    the Gram matrix or, without it, their columns of X. ``inverse`` has the inverses of the active features'
    Gram matrices, ``direction`` how their coefficients change as the level falls by 1, and ``image`` the
    products of direction and rows. A feature that enters or leaves changes these three by one term each.
    """

    # what has an entry for each path that goes on
    _STATE = (
        *("responses", "level", "last", "gap", "closing"),
        *("rows", "active", "size", "signs", "values", "inverse", "direction", "image"),
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
        self.inverse = np.zeros((count, n_nonzero, n_nonzero))
        self.direction, self.image = np.zeros((count, n_nonzero)), np.zeros((count, self.rows.shape[2]))
        self._retire(self.level == 0)
        first = np.abs(covariances[self.responses]) >= self.level[:, None] * (1 - _EQUAL)
        nowhere = np.zeros(len(first), dtype=np.intp)
        self._change(nowhere > 0, nowhere, nowhere == 0, np.argmax(first, axis=1))

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
        most = max(1, self.size.max())
        self._close(most)
        level, direction, every = self.level, self.direction[:, :most], np.arange(self.size.size)
        # the level falls by 1, a covariance by the closing less
        rate = np.maximum(self.gap, _CLOSED * level[:, None, None])
        np.divide(self.closing, rate, out=rate)
        either = np.maximum(rate[:, 0], rate[:, 1])
        fastest = np.maximum(either.max(axis=1), np.finfo(float).tiny)
        first = fastest[:, None] * (1 - _EQUAL)
        entering = np.argmax(either >= first, axis=1)
        side = np.argmax(rate[every, :, entering] >= first, axis=1)
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
        self._change(drop, leaving, ~drop & ~ended, entering)
        self._retire(ended)

    def _close(self, most: int) -> None:
        """Compute how the gaps close as the level falls by 1, after refining directions that have drifted."""
        fall = self._fall(self.image)
        inside = np.arange(most) < self.size[:, None]
        # the covariances of active features must fall as the level does
        missing = self.signs[:, :most] - np.take_along_axis(fall, self.active[:, :most], axis=1)
        for path in np.flatnonzero((np.abs(missing) * inside).max(axis=1) > _DRIFT).tolist():
            size = self.size[path]
            active, signs, direction = (a[path, :size] for a in (self.active, self.signs, self.direction))
            for stale in (False, True):
                if stale:
                    self._refresh(path)
                direction += self.inverse[path, :size, :size] @ (signs - fall[path, active])
                self.image[path] = direction @ self.rows[path, :size]
                fall[path] = self._fall(self.image[path])
                if np.abs(signs - fall[path, active]).max() <= _STALE:
                    break
        np.subtract(1, fall, out=self.closing[:, 0])
        np.add(1, fall, out=self.closing[:, 1])

    def _fall(self, image: np.ndarray) -> np.ndarray:
        """How fast the covariances of all features fall."""
        return image @ self.X if self.gram is None else image

    def _factor(self, path: int) -> np.ndarray:
        """Cholesky factor of the active features' Gram matrix."""
        size = self.size[path]
        rows = self.rows[path, :size]
        return dpotrf(rows @ rows.T if self.gram is None else rows[:, self.active[path, :size]], lower=1)[0]

    def _refresh(self, path: int) -> None:
        """Compute the inverse of that Gram matrix anew."""
        size = self.size[path]
        lower = np.tril(dpotri(self._factor(path), lower=1)[0])
        self.inverse[path, :size, :size] = lower + np.tril(lower, -1).T

    def _change(self, drop: np.ndarray, places: np.ndarray, enter: np.ndarray, names: np.ndarray) -> None:
        """Make an active feature inactive, or make another one active unless it depends on those that are.

        Either change adds a multiple of the outer product of ``parts`` to the inverse. For a feature that
        leaves, ``parts`` is its column of the inverse. For one that enters, it is the coefficients of its
        regression on the active features, and -1 in its own place.
        """
        every = np.arange(names.size)
        rows = self.X[:, names].T if self.gram is None else self.gram[names]
        parts, left = self._regress(rows, names, enter)
        near, far = self.gap[every, :, names].T
        signs = np.where(near < far, 1.0, -1.0)
        self.gap[every[enter], :, names[enter]] = np.inf
        paths = np.flatnonzero(left)
        place = self.size[paths]
        self.rows[paths, place], parts[paths, place] = rows[paths], -1.0
        self.active[paths, place], self.signs[paths, place] = names[paths], signs[paths]
        parts[drop] = self.inverse[drop, places[drop]]
        scale, pace = np.zeros(names.size), np.zeros(names.size)
        scale[paths] = 1 / left[paths]
        scale[drop] = -1 / parts[drop, places[drop]]
        fall = (rows * self.image).sum(axis=1) if self.gram is None else self.image[every, names]
        pace[paths] = (signs - fall)[paths] * scale[paths]
        pace[drop] = -self.direction[drop, places[drop]] * scale[drop]
        self.size[paths] += 1
        most = self.size.max(initial=0)
        inverses = self.inverse[:, :most].transpose(0, 2, 1)
        for factor, part, head, inverse in zip(scale.tolist(), parts, parts[:, :most], inverses, strict=True):
            if factor:
                dger(factor, part, head, a=inverse, overwrite_a=1)
        parts *= pace[:, None]
        self.direction -= parts
        self.image -= np.matmul(parts[:, None, :most], self.rows[:, :most])[:, 0]
        for path in np.flatnonzero(drop).tolist():
            self._drop(path, int(places[path]))

    def _regress(
        self, rows: np.ndarray, names: np.ndarray, enter: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of a feature on the active ones, and its squared residual; 0 if it must not enter."""
        most = self.size.max(initial=0)
        if self.gram is None:
            owns = (rows**2).sum(axis=1)
            products = np.matmul(self.rows[:, :most], rows[:, :, None])
        else:
            owns = rows[np.arange(names.size), names]
            products = np.take_along_axis(rows, self.active[:, :most], axis=1)[:, :, None]
        # places beyond a path's size hold anything; the inverse is zero there
        parts = np.zeros_like(self.signs)
        parts[:, :most] = np.matmul(self.inverse[:, :most, :most], products)[:, :, 0]
        left = owns - (parts[:, :most] * products[:, :, 0]).sum(axis=1)
        for path in np.flatnonzero(enter & (left < _NEARLY_DEPENDENT * owns)).tolist():
            part, active = parts[path, : self.size[path]], self.active[path, : self.size[path]]
            columns = self.rows[path, : part.size] if self.gram is None else self.X.T[active]
            rest = self.X[:, names[path]] - part @ columns
            part += self.inverse[path, : part.size, : part.size] @ (columns @ rest)
            rest = self.X[:, names[path]] - part @ columns
            left[path] = rest @ rest
        return parts, np.where(enter & (left > np.maximum(_DEPENDENT * owns, _TINY)), left, 0.0)

    def _retire(self, ended: np.ndarray) -> None:
        """Write down where these paths have come to; the last ones that go on take their places."""
        for path in np.flatnonzero(ended).tolist():
            if size := self.size[path]:
                response, active = self.responses[path], self.active[path, :size]
                right = self.covariances[response, active] - self.level[path] * self.signs[path, :size]
                self.result[response, active] = dpotrs(self._factor(path), right, lower=1)[0]
        if not ended.any():
            return
        remaining = np.flatnonzero(~ended)
        places = np.flatnonzero(ended[: remaining.size])
        last = remaining[remaining.size - places.size :]
        for name in self._STATE:
            array = getattr(self, name)
            array[places] = array[last]
            setattr(self, name, array[: remaining.size])

    def _drop(self, path: int, place: int) -> None:
        """Put the last active feature in the place of one that leaves."""
        last, name = self.size[path] - 1, self.active[path, place]
        near, far = (0, 1) if self.signs[path, place] > 0 else (1, 0)
        self.gap[path, near, name], self.gap[path, far, name] = 0.0, 2 * self.level[path]
        inverse = self.inverse[path]
        inverse[place], inverse[:, place] = inverse[last], inverse[:, last]
        inverse[place, place] = inverse[last, last]
        inverse[last], inverse[:, last] = 0.0, 0.0
        for kept in (self.active, self.signs, self.values, self.direction, self.rows):
            kept[path, place], kept[path, last] = kept[path, last], 0
        self.size[path] = last
