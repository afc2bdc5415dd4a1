"""Barycenter weights on a line: each value of a feature is reconstructed from its K nearest values.

The radius of a value u is the distance to its K-th nearest other value. Values closer than the radius are
certain neighbors. The remaining neighbors are drawn at random from the values at u - radius and u + radius.
Two distances that differ only by rounding are equal, such as those from 0.2 to 0.1 and to 0.3.

Let m and V be the mean and the sum of squared deviations of the K neighbors. The weight of a neighbor v is

    1/K + beta (v - m),   beta = (u - m) / (gamma + V),

and the sum of the squared weights is 1/K + beta^2 V. The expectation of the weight is therefore linear in v
for the certain neighbors, and one number on each side for the drawn neighbors.

beta can be as large as u / gamma, so v - m must be exactly 0 if all neighbors are equal. Means are therefore
computed as deviations from one of the neighbors. Equal values have the same weights, which are computed once
per distinct value of each feature.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from featsieve.engines.arrays import namespace
from featsieve.scores.energy import ratio
from featsieve.types import Array


@dataclass(frozen=True, eq=False)
class LineWeights:
    """Expected weights of the neighbors v of each value u of each feature.

    The weight of v is ``offset + slope * (v - base)`` for -above < u - v < below, ``left`` for u - v = below
    and ``right`` for v - u = above, else 0. ``base`` is one of the certain neighbors, and ``below`` and
    ``above`` are equal up to rounding. ``norms`` has one expected sum of squared weights per feature, and all
    other arrays have the shape (n_features, n_samples).
    """

    offset: Array
    slope: Array
    base: Array
    below: Array
    above: Array
    left: Array
    right: Array
    norms: Array

    def at(self, u: Array, v: Array) -> Array:
        """Compute the expected weights of the values v as neighbors of the values u."""
        z = u - v
        weight = ((z < self.below) & (-z < self.above)) * (self.offset + self.slope * (v - self.base))
        weight += (z == self.below) * self.left
        weight += (-z == self.above) * self.right
        return weight

    def take(self, features: Any) -> LineWeights:
        """Select the weights of some features."""
        return LineWeights(*(getattr(self, field.name)[features] for field in fields(self)))


def line_weights(F: Array, k: int, reg: float, rounding: float = 1e-13) -> LineWeights:
    """Compute the expected barycenter weights of each value among the values of its feature, a row of F.

    ``reg`` is gamma, and ``rounding`` is the relative rounding error of the values.
    """
    xp = namespace(F)
    d, n = F.shape
    order = xp.argsort(F, axis=1)
    runs = _Runs(xp.take_along_axis(F, order, axis=1), k)
    u = runs.value(0)
    lower = [runs.value(-j) for j in range(1, k + 1)]
    upper = [runs.value(j) for j in range(1, k + 1)]
    below = [u - value for value in lower]
    above = [value - u for value in upper]
    radius = xp.minimum(below[-1], above[-1])
    for j in range(1, k):
        radius = xp.minimum(radius, xp.maximum(below[j - 1], above[k - j - 1]))
    # less than the radius, so that equal values remain closer than different values
    tolerance = xp.minimum(rounding * (abs(u) + radius), radius / 2)
    left_radius, left_value, left_tied = _value_at_radius(below, lower, u, radius, tolerance)
    right_radius, right_value, right_tied = _value_at_radius(above, upper, u, radius, tolerance)

    closer_below = [distance < left_radius for distance in below]
    closer_above = [distance < right_radius for distance in above]
    certain = _certain_neighbors(u, left_value, right_value, closer_below + closer_above, lower + upper)
    n_drawn = k - certain.count
    # the values at the radius form the run next to the certain neighbors
    n_left = runs.size_at(-1 - _count(closer_below), left_tied)
    n_right = runs.size_at(1 + _count(closer_above), right_tied)
    n_right = xp.where(radius == 0, runs.size - 1, n_right)  # the other values of the same run
    from_left = xp.where(n_right == 0, n_drawn, xp.minimum(n_left, n_drawn))
    tables = [*_weights(certain, from_left, n_drawn - from_left, k, reg)]
    tables[3] = ratio(from_left, n_left, 0.0) * tables[3]
    tables[4] = ratio(n_drawn - from_left, n_right, 0.0) * tables[4]
    (random,) = xp.nonzero((n_left > 0) & (n_right > 0) & (n_left + n_right > n_drawn))
    if random.shape[0]:
        n_tied = (xp.take(n_left, random), xp.take(n_right, random))
        expected = _expected_weights(certain.take(random), n_tied, xp.take(n_drawn, random), k, reg)
        for table, values in zip(tables, expected, strict=True):
            table[random] = values

    offset, slope, norm, left, right = tables
    norms = xp.sum(xp.reshape(xp.take(norm, runs.of_position), (d, n)), axis=1)
    run_of_sample = xp.empty_like(runs.of_position)
    positions = order + xp.arange(d, device=F.device)[:, None] * n
    run_of_sample[xp.reshape(positions, (-1,))] = runs.of_position
    tables = [offset, slope, certain.base, left_radius, right_radius, left, right]
    per_sample = [xp.reshape(xp.take(table, run_of_sample), (d, n)) for table in tables]
    return LineWeights(*[*per_sample, norms])


def tie_tolerance(X: Any) -> float:
    """Return the relative rounding error of the values of X, which may be standardized decimals."""
    return 1e-6 if X.dtype == namespace(X).float32 else 1e-13


class _Runs:
    """Runs of equal values in sorted rows, all rows concatenated.

    ``of_position`` is the run index of each position in the sorted rows, ``size`` the length of each run.
    """

    def __init__(self, sorted_rows: Array, k: int) -> None:
        xp = self.xp = namespace(sorted_rows)
        d, n = sorted_rows.shape
        self.k, self.n = k, n
        edge = xp.full((d, k), xp.inf, dtype=sorted_rows.dtype, device=sorted_rows.device)
        self.padded = xp.concat([-edge, sorted_rows, edge], axis=1)
        starts = self.padded[:, k : k + n] != self.padded[:, k - 1 : k + n - 1]
        row, column = xp.nonzero(starts)
        self.first = row * n + column
        self.first_padded = row * (n + 2 * k) + k + column
        self.all_distinct = self.first.shape[0] == d * n
        self.of_position = xp.cumulative_sum(xp.astype(xp.reshape(starts, (-1,)), xp.int64)) - 1
        end = xp.asarray([d * n], dtype=self.first.dtype, device=sorted_rows.device)
        self.size = xp.astype(xp.diff(xp.concat([self.first, end])), sorted_rows.dtype)

    def value(self, step: int) -> Array:
        """Return the value ``step`` positions after the first of each run; infinite beyond the row."""
        if self.all_distinct:
            return self.xp.reshape(self.padded[:, self.k + step : self.k + step + self.n], (-1,))
        return self.xp.take(self.xp.reshape(self.padded, (-1,)), self.first_padded + step)

    def size_at(self, step: Array, tied: Array) -> Array:
        """Return the length of the run ``step`` positions after the first of each run; 0 if not ``tied``."""
        xp = self.xp
        if self.all_distinct:
            return xp.astype(tied, self.size.dtype)
        position = xp.clip(self.first + step, 0, self.of_position.shape[0] - 1)
        return xp.where(tied, xp.take(self.size, xp.take(self.of_position, position)), 0.0)


@dataclass(frozen=True, eq=False)
class _CertainNeighbors:
    """Neighbors of the values u closer than the radius, and the values ``left`` and ``right`` at the radius.

    ``base`` is one of the certain neighbors, ``mean`` is their mean minus ``base``, and ``scatter`` the sum
    of their squared deviations from the mean.
    """

    u: Array
    left: Array
    right: Array
    count: Array
    base: Array
    mean: Array
    scatter: Array

    def take(self, runs: Array) -> _CertainNeighbors:
        xp = namespace(self.count)
        return _CertainNeighbors(*(xp.take(getattr(self, field.name), runs) for field in fields(self)))


def _certain_neighbors(
    u: Array, left: Array, right: Array, certain: list[Array], values: list[Array]
) -> _CertainNeighbors:
    xp = namespace(u)
    base = u
    for mask, value in zip(certain, values, strict=True):
        base = xp.where(mask, value, base)
    deviations = [xp.where(mask, value - base, 0.0) for mask, value in zip(certain, values, strict=True)]
    count = xp.astype(_count(certain), u.dtype)
    mean = ratio(sum(deviations), count, 0.0)
    scatter = sum(mask * (deviation - mean) ** 2 for mask, deviation in zip(certain, deviations, strict=True))
    return _CertainNeighbors(u, left, right, count, base, mean, scatter)


def _count(masks: list[Array]) -> Array:
    xp = namespace(masks[0])
    return sum(xp.astype(mask, xp.int64) for mask in masks)


def _weights(
    certain: _CertainNeighbors, n_left: Array, n_right: Array, k: int, reg: float
) -> tuple[Array, ...]:
    """Compute offset, slope, squared norm and the weights at the radius, given the neighbors on each side."""
    width = certain.right - certain.left
    from_left = (certain.base - certain.left) + certain.mean  # from ``left`` to the mean of the certain ones
    from_right = (certain.base - certain.right) + certain.mean
    # deviation of each group from the mean of all neighbors: exactly 0 if there is one group
    inner = (n_left * from_left + n_right * from_right) / k
    outer_left = -(certain.count * from_left + n_right * width) / k
    outer_right = -(certain.count * from_right - n_left * width) / k
    scatter = certain.scatter + certain.count * inner**2 + n_left * outer_left**2 + n_right * outer_right**2
    inside = certain.count * ((certain.u - certain.base) - certain.mean)
    mean = (inside + n_left * (certain.u - certain.left) + n_right * (certain.u - certain.right)) / k
    slope = ratio(mean, reg + scatter, 0.0)
    offset = 1 / k + slope * (inner - certain.mean)
    return offset, slope, 1 / k + slope**2 * scatter, 1 / k + slope * outer_left, 1 / k + slope * outer_right


def _expected_weights(
    certain: _CertainNeighbors, n_tied: tuple[Array, Array], n_drawn: Array, k: int, reg: float
) -> list[Array]:
    """Compute expected weights if the number of neighbors drawn from the left is random (hypergeometric)."""
    xp = namespace(n_drawn)
    n_left, n_right = n_tied
    # probability of each number drawn from the left, after each draw
    probability = [xp.ones_like(n_drawn)] + [xp.zeros_like(n_drawn)] * k
    for draw in range(k):
        # infinite after the last draw
        n_remaining = xp.where(draw < n_drawn, n_left + n_right - draw, xp.inf)
        moved = [probability[a] * xp.clip(n_left - a, 0.0, None) / n_remaining for a in range(k)] + [0.0]
        probability = [probability[a] - moved[a] + (moved[a - 1] if a else 0.0) for a in range(k + 1)]
    totals: list[Array] = [0.0] * 5
    for a in range(k + 1):
        from_left = xp.clip(xp.full_like(n_drawn, float(a)), None, n_drawn)
        from_right = n_drawn - from_left
        offset, slope, norm, left, right = _weights(certain, from_left, from_right, k, reg)
        terms = (offset, slope, norm, from_left / n_left * left, from_right / n_right * right)
        totals = [total + probability[a] * term for total, term in zip(totals, terms, strict=True)]
    return totals


def _value_at_radius(
    distances: list[Array], values: list[Array], u: Array, radius: Array, tolerance: Array
) -> tuple[Array, Array, Array]:
    """Find the distance of one side that equals the radius, its value, and whether there is one.

    It is the distance closest to the radius, so that all values of one side at the radius are equal. If there
    is none, the distance is the radius and the value is not used.
    """
    xp = namespace(radius)
    closest, closest_value = distances[0], values[0]
    for distance, value in zip(distances[1:], values[1:], strict=True):
        closer = abs(distance - radius) < abs(closest - radius)
        closest, closest_value = xp.where(closer, distance, closest), xp.where(closer, value, closest_value)
    tied = abs(closest - radius) <= tolerance
    return xp.where(tied, closest, radius), xp.where(tied, closest_value, u), tied
