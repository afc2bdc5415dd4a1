"""Barycentre weights on a line: each value rebuilt from its K nearest values, ties in expectation.

For a value u let delta be the distance of its K-th nearest other value. Values nearer than delta are
neighbours for certain; of the t_l values at u - delta and the t_r at u + delta, the places that are left
are drawn at random. With z = u - (neighbour), zbar and V the mean and the sum of squared deviations of
the K z's, the weight of a neighbour is

    1/K - beta (z - zbar),   beta = zbar / (gamma + V),   and their squares sum to 1/K + beta^2 V,

so its expectation is linear in z for the certain ones and one number on each side for the tied ones.
Equal values share all of this: it is computed once for each different value of each feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from featsieve.engines.arrays import namespace


@dataclass(frozen=True, eq=False)
class LineWeights:
    """Expected weights of every value of every feature, as functions of z.

    Attributes
    ----------
    offset, slope, radius, left, right : arrays of shape (n_features, n_samples)
        The weight is ``offset - slope z`` where |z| < radius, ``left`` at z = radius and ``right`` at
        z = -radius.
    norms : array of shape (n_features,)
        Expected sum of all squared weights of the feature.
    """

    offset: Any
    slope: Any
    radius: Any
    left: Any
    right: Any
    norms: Any

    def at(self, z: Any) -> Any:
        """Expected weight of a sample that differs by z from each value; may overwrite nothing of z."""
        xp = namespace(z)
        inside = xp.abs(z) < self.radius
        weight = inside * (self.offset - self.slope * z)
        weight += (z == self.radius) * self.left
        weight += (z == -self.radius) * self.right
        return weight


def line_weights(F: Any, k: int, reg: float) -> LineWeights:
    """Expected barycentre weights of each value among the values of its feature.

    Parameters
    ----------
    F : array of shape (n_features, n_samples)
    k : int
        Neighbours of a value, fewer than n_samples.
    reg : float
        gamma.
    """
    xp = namespace(F)
    d, n = F.shape
    order = xp.argsort(F, axis=1)
    ranked = xp.take_along_axis(F, order, axis=1)
    edge = xp.full((d, k), xp.inf, dtype=F.dtype, device=F.device)
    padded = xp.concat([-edge, ranked, edge], axis=1)
    # runs of equal values: where each starts, in the padded rows laid end to end, and how long it is
    new = xp.concat([xp.ones((d, 1), dtype=xp.bool, device=F.device), ranked[:, 1:] != ranked[:, :-1]], axis=1)
    row, place = xp.nonzero(new)
    group = xp.reshape(xp.cumulative_sum(xp.astype(xp.reshape(new, (-1,)), xp.int64)) - 1, (d, n))
    first = row * n + place
    size = xp.diff(xp.concat([first, xp.asarray([d * n], dtype=first.dtype, device=F.device)]))
    start = row * (n + 2 * k) + k + place
    flat = xp.reshape(padded, (-1,))
    distinct = first.shape[0] == d * n

    def value(step: int) -> Any:
        """The value ``step`` places after the first of each run."""
        if distinct:
            return xp.reshape(padded[:, k + step : k + step + n], (-1,))
        return xp.take(flat, start + step)

    here = value(0)
    below = [here - value(-j) for j in range(1, k + 1)]
    above = [value(j) - here for j in range(1, k + 1)]
    radius = xp.minimum(below[-1], above[-1])
    for j in range(1, k):
        radius = xp.minimum(radius, xp.maximum(below[j - 1], above[k - j - 1]))

    certain = _Certain(below, above, radius, xp)
    places = k - certain.count
    last = first.shape[0] - 1
    count = xp.astype(size, F.dtype)

    def run_size(step: Any, tied: Any) -> Any:
        if distinct:
            return xp.astype(tied, F.dtype)
        position = xp.clip(first + step, 0, d * n - 1)
        return xp.where(tied, xp.take(count, xp.take(xp.reshape(group, (-1,)), position)), 0.0)

    del last
    n_left = run_size(-1 - certain.n_below, certain.tied_below)
    n_right = run_size(1 + certain.n_above, certain.tied_above)
    # with k equals or more, the run above is the value's own, less itself
    n_right = xp.where(radius == 0, count - 1, n_right)
    both = certain.tied_below & certain.tied_above
    taken = xp.where(both, n_left, xp.where(certain.tied_below, places, 0.0))
    z_mean, scatter = certain.complete(taken, places - taken, k)
    slope = _divide(z_mean, reg + scatter, xp)
    offset = 1 / k + slope * z_mean
    norm = 1 / k + slope**2 * scatter
    left = _divide(taken, n_left, xp) * (offset - slope * radius)
    right = _divide(places - taken, n_right, xp) * (offset + slope * radius)

    (drawn,) = xp.nonzero(both & (n_left + n_right > places))
    if drawn.shape[0]:
        offset[drawn], slope[drawn], norm[drawn], left[drawn], right[drawn] = _expected(
            certain.take(drawn), xp.take(n_left, drawn), xp.take(n_right, drawn), xp.take(places, drawn), k, reg
        )

    norms = xp.sum(xp.reshape(xp.take(norm, xp.reshape(group, (-1,))), (d, n)), axis=1)
    # back from sorted places to samples
    of_sample = xp.empty_like(group)
    sample = xp.reshape(order + xp.arange(d, device=F.device)[:, None] * n, (-1,))
    of_sample = xp.reshape(of_sample, (-1,))
    of_sample[sample] = xp.reshape(group, (-1,))
    tables = [xp.reshape(xp.take(t, of_sample), (d, n)) for t in (offset, slope, radius, left, right)]
    return LineWeights(*tables, norms)


class _Certain:
    """The neighbours nearer than the radius: how many on each side, mean and scatter of their z."""

    def __init__(self, below: list[Any], above: list[Any], radius: Any, xp: Any) -> None:
        self.xp = xp
        self.radius = radius
        zero = xp.zeros_like(radius)
        self.n_below, self.n_above = xp.astype(zero, xp.int64), xp.astype(zero, xp.int64)
        self.tied_below, self.tied_above = radius < 0, radius < 0
        total = zero
        for gap in below:
            near = gap < radius
            self.n_below = self.n_below + near
            self.tied_below = self.tied_below | (gap == radius)
            total = total + xp.where(near, gap, 0.0)
        for gap in above:
            near = gap < radius
            self.n_above = self.n_above + near
            self.tied_above = self.tied_above | (gap == radius)
            total = total - xp.where(near, gap, 0.0)
        self.count = xp.astype(self.n_below + self.n_above, radius.dtype)
        self.mean = _divide(total, self.count, xp)
        self.scatter = zero
        for sign, gaps in ((1, below), (-1, above)):
            for gap in gaps:
                near = gap < radius
                self.scatter = self.scatter + xp.where(near, (xp.where(near, gap, 0.0) * sign - self.mean) ** 2, 0.0)

    def complete(self, left: Any, right: Any, k: int) -> tuple[Any, Any]:
        """Mean and scatter of z with so many neighbours more at the radius on each side."""
        mean = (self.count * self.mean + (left - right) * self.radius) / k
        scatter = self.scatter + self.count * (self.mean - mean) ** 2
        scatter = scatter + left * (self.radius - mean) ** 2 + right * (self.radius + mean) ** 2
        return mean, scatter

    def take(self, which: Any) -> _Certain:
        """The same for some of the values."""
        some = object.__new__(_Certain)
        some.xp = self.xp
        for name in ("radius", "count", "mean", "scatter"):
            setattr(some, name, self.xp.take(getattr(self, name), which))
        return some


def _expected(certain: _Certain, n_left: Any, n_right: Any, places: Any, k: int, reg: float) -> list[Any]:
    """Expectations where the number taken from the left is random: hypergeometric, drawn one by one."""
    xp = certain.xp
    chance = [xp.ones_like(places)] + [xp.zeros_like(places) for _ in range(k)]
    for step in range(k):
        drawing = step < places
        remaining = xp.where(drawing, n_left + n_right - step, 1.0)
        moved = [xp.where(drawing, chance[a] * xp.clip(n_left - a, 0, None) / remaining, 0.0) for a in range(k)]
        stays = [chance[a] - moved[a] for a in range(k)] + [chance[k]]
        chance = [stays[0]] + [stays[a] + moved[a - 1] for a in range(1, k + 1)]
    totals = [xp.zeros_like(places) for _ in range(5)]
    for a in range(k + 1):
        possible = a <= places
        right_taken = xp.where(possible, places - a, 0.0)
        mean, scatter = certain.complete(xp.where(possible, float(a), 0.0), right_taken, k)
        slope = _divide(mean, reg + scatter, xp)
        offset = 1 / k + slope * mean
        parts = (
            offset,
            slope,
            1 / k + slope**2 * scatter,
            a / n_left * (offset - slope * certain.radius),
            right_taken / n_right * (offset + slope * certain.radius),
        )
        for index, part in enumerate(parts):
            totals[index] = totals[index] + xp.where(possible, chance[a], 0.0) * part
    return totals


def _divide(top: Any, bottom: Any, xp: Any) -> Any:
    """The quotient, and 0 where the divisor is 0."""
    some = bottom > 0
    return xp.where(some, top / xp.where(some, bottom, 1.0), 0.0)
