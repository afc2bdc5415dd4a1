"""Barycentre weights on a line: each value rebuilt from its K nearest values, ties in expectation.

For a value u let ``radius`` be the distance of its K-th nearest other value. Values nearer than that are
neighbours for certain; of the values at u - radius and at u + radius, as many as there are places left
are drawn at random. With z = u - (neighbour), and zbar and V the mean and the sum of squared deviations
of the K z's, the weight of a neighbour is

    1/K - beta (z - zbar),   beta = zbar / (gamma + V),   and the squared weights sum to 1/K + beta^2 V,

so its expectation is linear in z for the certain neighbours and one number on each side for the drawn.
Equal values share all of this: it is computed once for each different value of each feature.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from featsieve.engines.arrays import namespace


@dataclass(frozen=True, eq=False)
class LineWeights:
    """Expected weights of the neighbours of every value of every feature, as functions of z.

    Attributes
    ----------
    offset, slope, radius, left, right : arrays of shape (n_features, n_samples)
        The weight is ``offset - slope z`` where abs(z) < radius, ``left`` at z = radius and ``right`` at
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
        """Expected weight of the sample that lies z below each value."""
        weight = (abs(z) < self.radius) * (self.offset - self.slope * z)
        weight += (z == self.radius) * self.left
        weight += (z == -self.radius) * self.right
        return weight

    def of(self, rows: Any) -> LineWeights:
        """Those of some features."""
        return LineWeights(*(getattr(self, each.name)[rows] for each in fields(self)))


def line_weights(F: Any, k: int, reg: float) -> LineWeights:
    """Expected barycentre weights of each value among the values of its feature.

    Parameters
    ----------
    F : array of shape (n_features, n_samples)
    k : int
        Neighbours of a value, fewer than n_samples.
    reg : float
        gamma.

    Returns
    -------
    LineWeights
    """
    xp = namespace(F)
    d, n = F.shape
    order = xp.argsort(F, axis=1)
    runs = _Runs(xp.take_along_axis(F, order, axis=1), k)
    below = [runs.value(0) - runs.value(-j) for j in range(1, k + 1)]
    above = [runs.value(j) - runs.value(0) for j in range(1, k + 1)]
    radius = xp.minimum(below[-1], above[-1])
    for j in range(1, k):
        radius = xp.minimum(radius, xp.maximum(below[j - 1], above[k - j - 1]))

    certain, n_below, n_above = _certain(below, above, radius)
    places = k - certain.count
    # how many values lie at the radius: the run that begins where the certain ones end
    n_left = runs.size_at(-1 - n_below, tied=_any_equal(below, radius))
    n_right = runs.size_at(1 + n_above, tied=_any_equal(above, radius))
    n_right = xp.where(radius == 0, runs.size - 1, n_right)  # the value's own run, less itself
    taken = xp.where(n_right == 0, places, xp.minimum(n_left, places))
    tables = [*_weights(certain, taken, places - taken, k, reg)]
    tables[3] = _divide(taken, n_left) * tables[3]
    tables[4] = _divide(places - taken, n_right) * tables[4]
    (drawn,) = xp.nonzero((n_left > 0) & (n_right > 0) & (n_left + n_right > places))
    if drawn.shape[0]:
        left_right = (xp.take(n_left, drawn), xp.take(n_right, drawn))
        drawn_tables = _expected(certain.take(drawn), left_right, xp.take(places, drawn), k, reg)
        for table, values in zip(tables, drawn_tables, strict=True):
            table[drawn] = values

    offset, slope, norm, left, right = tables
    norms = xp.sum(xp.reshape(xp.take(norm, runs.of_place), (d, n)), axis=1)
    of_sample = xp.empty_like(runs.of_place)
    of_sample[xp.reshape(order + xp.arange(d, device=F.device)[:, None] * n, (-1,))] = runs.of_place
    tables = [xp.reshape(xp.take(table, of_sample), (d, n)) for table in (offset, slope, radius, left, right)]
    return LineWeights(tables[0], tables[1], tables[2], tables[3], tables[4], norms)


class _Runs:
    """The runs of equal values in sorted rows, all rows end to end.

    Attributes
    ----------
    of_place : for each place of the sorted rows, the number of its run
    size : for each run, its length
    """

    def __init__(self, ranked: Any, k: int) -> None:
        xp = self.xp = namespace(ranked)
        d, n = ranked.shape
        self.k, self.n = k, n
        edge = xp.full((d, k), xp.inf, dtype=ranked.dtype, device=ranked.device)
        self.padded = xp.concat([-edge, ranked, edge], axis=1)
        new = self.padded[:, k : k + n] != self.padded[:, k - 1 : k + n - 1]
        row, place = xp.nonzero(new)
        self.first = row * n + place
        self.start = row * (n + 2 * k) + k + place
        self.distinct = self.first.shape[0] == d * n
        self.of_place = xp.cumulative_sum(xp.astype(xp.reshape(new, (-1,)), xp.int64)) - 1
        end = xp.asarray([d * n], dtype=self.first.dtype, device=ranked.device)
        self.size = xp.astype(xp.diff(xp.concat([self.first, end])), ranked.dtype)

    def value(self, step: int) -> Any:
        """The value ``step`` places from the first of each run; infinite beyond the ends."""
        if self.distinct:
            return self.xp.reshape(self.padded[:, self.k + step : self.k + step + self.n], (-1,))
        return self.xp.take(self.xp.reshape(self.padded, (-1,)), self.start + step)

    def size_at(self, step: Any, tied: Any) -> Any:
        """Length of the run found ``step`` places from the first of each run, and 0 where not ``tied``."""
        xp = self.xp
        if self.distinct:
            return xp.astype(tied, self.size.dtype)
        place = xp.clip(self.first + step, 0, self.of_place.shape[0] - 1)
        return xp.where(tied, xp.take(self.size, xp.take(self.of_place, place)), 0.0)


@dataclass(frozen=True, eq=False)
class _Certain:
    """The neighbours nearer than the radius: how many, and mean and scatter of their z."""

    radius: Any
    count: Any
    mean: Any
    scatter: Any

    def take(self, which: Any) -> _Certain:
        xp = namespace(self.radius)
        return _Certain(
            *(xp.take(array, which) for array in (self.radius, self.count, self.mean, self.scatter))
        )


def _certain(below: list[Any], above: list[Any], radius: Any) -> tuple[_Certain, Any, Any]:
    xp = namespace(radius)
    n_below = sum(xp.astype(gap < radius, xp.int64) for gap in below)
    n_above = sum(xp.astype(gap < radius, xp.int64) for gap in above)
    z = [xp.where(gap < radius, gap, 0.0) for gap in below] + [
        xp.where(gap < radius, -gap, 0.0) for gap in above
    ]
    count = xp.astype(n_below + n_above, radius.dtype)
    mean = _divide(sum(z), count)
    near = [gap < radius for gap in below + above]
    scatter = sum(inside * (value - mean) ** 2 for inside, value in zip(near, z, strict=True))
    return _Certain(radius, count, mean, scatter), n_below, n_above


def _weights(certain: _Certain, left: Any, right: Any, k: int, reg: float) -> tuple[Any, ...]:
    """Offset, slope, squared norm and weights at the radius, with so many neighbours there on each side."""
    radius = certain.radius
    mean = (certain.count * certain.mean + (left - right) * radius) / k
    scatter = certain.scatter + certain.count * (certain.mean - mean) ** 2
    scatter = scatter + left * (radius - mean) ** 2 + right * (radius + mean) ** 2
    slope = _divide(mean, reg + scatter)
    offset = 1 / k + slope * mean
    return offset, slope, 1 / k + slope**2 * scatter, offset - slope * radius, offset + slope * radius


def _expected(certain: _Certain, tied: tuple[Any, Any], places: Any, k: int, reg: float) -> list[Any]:
    """Expectations where the number taken from the left is random: hypergeometric, drawn one by one."""
    xp = namespace(places)
    n_left, n_right = tied
    chance = [xp.ones_like(places)] + [xp.zeros_like(places)] * k
    for step in range(k):
        left_over = xp.where(step < places, n_left + n_right - step, xp.inf)  # infinite once all are drawn
        moved = [chance[a] * xp.clip(n_left - a, 0.0, None) / left_over for a in range(k)] + [0.0]
        chance = [chance[a] - moved[a] + (moved[a - 1] if a else 0.0) for a in range(k + 1)]
    totals: list[Any] = [0.0] * 5
    for a in range(k + 1):
        left = xp.clip(xp.full_like(places, float(a)), None, places)
        offset, slope, norm, at_left, at_right = _weights(certain, left, places - left, k, reg)
        parts = (offset, slope, norm, left / n_left * at_left, (places - left) / n_right * at_right)
        totals = [total + chance[a] * part for total, part in zip(totals, parts, strict=True)]
    return totals


def _any_equal(gaps: list[Any], radius: Any) -> Any:
    tied = radius < 0
    for gap in gaps:
        tied = tied | (gap == radius)
    return tied


def _divide(top: Any, bottom: Any) -> Any:
    """The quotient, and 0 where the divisor is 0."""
    xp = namespace(bottom)
    return xp.where(bottom > 0, top / xp.where(bottom > 0, bottom, 1.0), 0.0)
