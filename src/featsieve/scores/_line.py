"""Barycentre weights on a line: each value rebuilt from its K nearest values, ties in expectation.

For a value u let ``radius`` be the distance of its K-th nearest other value. Values nearer than that are
neighbours for certain; of the values at u - radius and at u + radius, as many as there are places left
are drawn at random. Both count as lying at the radius where only rounding makes one of them nearer, as
0.3 and 0.1 do seen from 0.2. With z = u - (neighbour), and zbar and V the mean and the sum of squared
deviations of the K z's, the weight of a neighbour is

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
    offset, slope, below, above, left, right : arrays of shape (n_features, n_samples)
        The weight is ``offset - slope z`` where -above < z < below, ``left`` at z = below and ``right`` at
        z = -above. The radius is ``below`` on one side and ``above`` on the other, equal up to rounding.
    norms : array of shape (n_features,)
        Expected sum of all squared weights of the feature.
    """

    offset: Any
    slope: Any
    below: Any
    above: Any
    left: Any
    right: Any
    norms: Any

    def at(self, z: Any) -> Any:
        """Expected weight of the sample that lies z below each value."""
        weight = ((z < self.below) & (-z < self.above)) * (self.offset - self.slope * z)
        weight += (z == self.below) * self.left
        weight += (-z == self.above) * self.right
        return weight

    def of(self, rows: Any) -> LineWeights:
        """Those of some features."""
        return LineWeights(*(getattr(self, each.name)[rows] for each in fields(self)))


def line_weights(F: Any, k: int, reg: float, rounding: float = 1e-13) -> LineWeights:
    """Expected barycentre weights of each value among the values of its feature.

    Parameters
    ----------
    F : array of shape (n_features, n_samples)
        In float64.
    k : int
        Neighbours of a value, fewer than n_samples.
    reg : float
        gamma.
    rounding : float
        The share of a value that may be due to rounding; see :func:`rounding_of`.

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
    # less than the radius, so that equal values stay nearer than others
    slack = xp.minimum(rounding * (abs(runs.value(0)) + radius), radius / 2)
    left_end, left_tied = _end(below, radius, slack)
    right_end, right_tied = _end(above, radius, slack)

    certain, n_below, n_above = _certain(below, above, left_end, right_end)
    places = k - certain.count
    # how many values lie at the radius: the run that begins where the certain ones end
    n_left = runs.size_at(-1 - n_below, left_tied)
    n_right = runs.size_at(1 + n_above, right_tied)
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
    tables = [offset, slope, left_end, right_end, left, right]
    return LineWeights(*[*(xp.reshape(xp.take(table, of_sample), (d, n)) for table in tables), norms])


def rounding_of(X: Any) -> float:
    """The share of a value of X that may be due to rounding, decimals that were standardised included."""
    return 1e-6 if X.dtype == namespace(X).float32 else 1e-13


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

    below: Any
    above: Any
    count: Any
    mean: Any
    scatter: Any

    def take(self, which: Any) -> _Certain:
        xp = namespace(self.count)
        return _Certain(*(xp.take(getattr(self, each.name), which) for each in fields(self)))


def _certain(below: list[Any], above: list[Any], left_end: Any, right_end: Any) -> tuple[_Certain, Any, Any]:
    xp = namespace(left_end)
    near_below = [gap < left_end for gap in below]
    near_above = [gap < right_end for gap in above]
    n_below = sum(xp.astype(near, xp.int64) for near in near_below)
    n_above = sum(xp.astype(near, xp.int64) for near in near_above)
    z = [xp.where(near, gap, 0.0) for near, gap in zip(near_below, below, strict=True)]
    z += [xp.where(near, -gap, 0.0) for near, gap in zip(near_above, above, strict=True)]
    count = xp.astype(n_below + n_above, left_end.dtype)
    mean = _divide(sum(z), count)
    scatter = sum(near * (value - mean) ** 2 for near, value in zip(near_below + near_above, z, strict=True))
    return _Certain(left_end, right_end, count, mean, scatter), n_below, n_above


def _weights(certain: _Certain, left: Any, right: Any, k: int, reg: float) -> tuple[Any, ...]:
    """Offset, slope, squared norm and weights at the radius, with so many neighbours there on each side."""
    mean = (certain.count * certain.mean + left * certain.below - right * certain.above) / k
    scatter = certain.scatter + certain.count * (certain.mean - mean) ** 2
    scatter = scatter + left * (certain.below - mean) ** 2 + right * (certain.above + mean) ** 2
    slope = _divide(mean, reg + scatter)
    offset = 1 / k + slope * mean
    at_left, at_right = offset - slope * certain.below, offset + slope * certain.above
    return offset, slope, 1 / k + slope**2 * scatter, at_left, at_right


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


def _end(gaps: list[Any], radius: Any, slack: Any) -> tuple[Any, Any]:
    """The gap of one side that lies at the radius, and whether there is one; the radius where there is none.

    It is the one nearest to the radius, so that the values of one side that lie at it are all equal.
    """
    xp = namespace(radius)
    end = gaps[0]
    for gap in gaps[1:]:
        end = xp.where(abs(gap - radius) < abs(end - radius), gap, end)
    tied = abs(end - radius) <= slack
    return xp.where(tied, end, radius), tied


def _divide(top: Any, bottom: Any) -> Any:
    """The quotient, and 0 where the divisor is 0."""
    xp = namespace(bottom)
    return xp.where(bottom > 0, top / xp.where(bottom > 0, bottom, 1.0), 0.0)
