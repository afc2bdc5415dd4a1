"""Barycenter weights on a line: each value rebuilt from its K nearest values, ties in expectation.

For a value u let ``radius`` be the distance of its K-th nearest other value. Values nearer than that are
neighbors for certain; of the values at u - radius and at u + radius, as many as there are places left
are drawn at random. Both count as lying at the radius where only rounding makes one of them nearer, as
0.3 and 0.1 do seen from 0.2. With m and V the mean and the sum of squared deviations of the K neighbors, the
weight of a neighbor v is

    1/K + beta (v - m),   beta = (u - m) / (gamma + V),   and the squared weights sum to 1/K + beta^2 V,

so its expectation is linear in v for the certain neighbors and one number on each side for the drawn.
beta may be as large as u / gamma, so v - m must be exactly 0 where all neighbors are equal: every mean is
computed as a deviation from one of the neighbors. Equal values share all of this: it is computed once for
each different value of each feature.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from featsieve.engines.arrays import namespace


@dataclass(frozen=True, eq=False)
class LineWeights:
    """Expected weights of the neighbors of every value u of every feature, as functions of the neighbor v.

    Attributes
    ----------
    offset, slope, base, below, above, left, right : arrays of shape (n_features, n_samples)
        The weight is ``offset + slope (v - base)`` where -above < u - v < below, ``left`` at u - v = below
        and ``right`` at v - u = above. The radius is ``below`` on one side and ``above`` on the other, equal
        up to rounding. ``base`` is one of the neighbors.
    norms : array of shape (n_features,)
        Expected sum of all squared weights of the feature.
    """

    offset: Any
    slope: Any
    base: Any
    below: Any
    above: Any
    left: Any
    right: Any
    norms: Any

    def at(self, u: Any, v: Any) -> Any:
        """Expected weight of the samples with values v among the neighbors of those with values u."""
        z = u - v
        weight = ((z < self.below) & (-z < self.above)) * (self.offset + self.slope * (v - self.base))
        weight += (z == self.below) * self.left
        weight += (-z == self.above) * self.right
        return weight

    def take(self, rows: Any) -> LineWeights:
        """Those of some features."""
        return LineWeights(*(getattr(self, each.name)[rows] for each in fields(self)))


def line_weights(F: Any, k: int, reg: float, rounding: float = 1e-13) -> LineWeights:
    """Expected barycenter weights of each value among the values of its feature.

    Parameters
    ----------
    F : array of shape (n_features, n_samples)
        In float64.
    k : int
        Neighbors of a value, fewer than n_samples.
    reg : float
        gamma.
    rounding : float
        The share of a value that may be due to rounding; see :func:`tie_tolerance`.

    Returns
    -------
    LineWeights
    """
    xp = namespace(F)
    d, n = F.shape
    order = xp.argsort(F, axis=1)
    runs = _Runs(xp.take_along_axis(F, order, axis=1), k)
    here = runs.value(0)
    lower = [runs.value(-j) for j in range(1, k + 1)]
    upper = [runs.value(j) for j in range(1, k + 1)]
    below = [here - value for value in lower]
    above = [value - here for value in upper]
    radius = xp.minimum(below[-1], above[-1])
    for j in range(1, k):
        radius = xp.minimum(radius, xp.maximum(below[j - 1], above[k - j - 1]))
    # less than the radius, so that equal values stay nearer than others
    slack = xp.minimum(rounding * (abs(here) + radius), radius / 2)
    left_end, left_value, left_tied = _end(below, lower, here, radius, slack)
    right_end, right_value, right_tied = _end(above, upper, here, radius, slack)

    near_below = [gap < left_end for gap in below]
    near_above = [gap < right_end for gap in above]
    certain = _certain(here, left_value, right_value, near_below + near_above, lower + upper)
    places = k - certain.count
    # how many values lie at the radius: the run that begins where the certain ones end
    n_left = runs.size_at(-1 - _count(near_below), left_tied)
    n_right = runs.size_at(1 + _count(near_above), right_tied)
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
    tables = [offset, slope, certain.base, left_end, right_end, left, right]
    return LineWeights(*[*(xp.reshape(xp.take(table, of_sample), (d, n)) for table in tables), norms])


def tie_tolerance(X: Any) -> float:
    """The share of a value of X that may be due to rounding, decimals that were standardized included."""
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
    """The neighbors nearer than the radius, and where the drawn ones lie.

    ``base`` is one of the certain neighbors and ``mean`` how far their mean lies above it.
    """

    here: Any
    left: Any
    right: Any
    count: Any
    base: Any
    mean: Any
    scatter: Any

    def take(self, which: Any) -> _Certain:
        xp = namespace(self.count)
        return _Certain(*(xp.take(getattr(self, each.name), which) for each in fields(self)))


def _certain(here: Any, left: Any, right: Any, near: list[Any], values: list[Any]) -> _Certain:
    xp = namespace(here)
    base = here
    for certain, value in zip(near, values, strict=True):
        base = xp.where(certain, value, base)
    gaps = [xp.where(certain, value - base, 0.0) for certain, value in zip(near, values, strict=True)]
    count = xp.astype(_count(near), here.dtype)
    mean = _divide(sum(gaps), count)
    scatter = sum(certain * (gap - mean) ** 2 for certain, gap in zip(near, gaps, strict=True))
    return _Certain(here, left, right, count, base, mean, scatter)


def _count(near: list[Any]) -> Any:
    xp = namespace(near[0])
    return sum(xp.astype(each, xp.int64) for each in near)


def _weights(certain: _Certain, left: Any, right: Any, k: int, reg: float) -> tuple[Any, ...]:
    """Offset, slope, squared norm and weights at the radius, with so many neighbors there on each side."""
    across = certain.right - certain.left
    from_left = (certain.base - certain.left) + certain.mean  # of the mean of the certain neighbors
    from_right = (certain.base - certain.right) + certain.mean
    # how far each group lies above the mean of all neighbors: exactly 0 for a group that is alone
    inner = (left * from_left + right * from_right) / k
    outer_left = -(certain.count * from_left + right * across) / k
    outer_right = -(certain.count * from_right - left * across) / k
    scatter = certain.scatter + certain.count * inner**2 + left * outer_left**2 + right * outer_right**2
    inside = certain.count * ((certain.here - certain.base) - certain.mean)
    mean = (inside + left * (certain.here - certain.left) + right * (certain.here - certain.right)) / k
    slope = _divide(mean, reg + scatter)
    offset = 1 / k + slope * (inner - certain.mean)
    return offset, slope, 1 / k + slope**2 * scatter, 1 / k + slope * outer_left, 1 / k + slope * outer_right


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


def _end(gaps: list[Any], values: list[Any], here: Any, radius: Any, slack: Any) -> tuple[Any, Any, Any]:
    """The gap of one side that lies at the radius, its value, and whether there is one.

    It is the one nearest to the radius, so that the values of one side that lie at it are all equal. Where
    there is none, the gap is the radius and the value plays no part.
    """
    xp = namespace(radius)
    end, value = gaps[0], values[0]
    for gap, candidate in zip(gaps[1:], values[1:], strict=True):
        closer = abs(gap - radius) < abs(end - radius)
        end, value = xp.where(closer, gap, end), xp.where(closer, candidate, value)
    tied = abs(end - radius) <= slack
    return xp.where(tied, end, radius), xp.where(tied, value, here), tied


def _divide(top: Any, bottom: Any) -> Any:
    """The quotient, and 0 where the divisor is 0."""
    xp = namespace(bottom)
    return xp.where(bottom > 0, top / xp.where(bottom > 0, bottom, 1.0), 0.0)
