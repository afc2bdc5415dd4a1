"""Exact conversions, rational linear algebra and the extended-precision context of the oracles.

A float64 value is a binary rational number. It is converted to `fractions.Fraction` without rounding, and
every comparison is made between fractions. Irrational functions (exp, log, sqrt) use `mp`, a private mpmath
context with 100 digits. Differences are formed exactly before they are converted to `mp` numbers.
"""

from fractions import Fraction

import numpy as np
from mpmath import MPContext

mp = MPContext()
mp.dps = 100


def to_fraction(value):
    """Convert a float, an integer, a fraction or an mpmath number to a Fraction without rounding."""
    if isinstance(value, Fraction):
        return value
    if hasattr(value, "_mpf_"):
        sign, mantissa, exponent, _ = value._mpf_
        if mantissa == 0 and exponent != 0:
            raise ValueError(f"a finite number is required; got {value}")
        magnitude = Fraction(int(mantissa)) * Fraction(2) ** exponent
        return -magnitude if sign else magnitude
    if isinstance(value, int | np.integer | np.bool_):
        return Fraction(int(value))
    return Fraction(float(value))


def to_mp(value):
    """Convert a number to an `mp` number; a Fraction is rounded once, to 100 digits."""
    if isinstance(value, Fraction):
        return mp.mpf(value.numerator) / mp.mpf(value.denominator)
    if hasattr(value, "_mpf_"):
        return mp.mpf(value)
    return to_mp(to_fraction(value))


def to_floats(values):
    """Round numbers, or nested lists of numbers, to a numpy array of float64."""

    def rounded(value):
        if isinstance(value, list | tuple | np.ndarray):
            return [rounded(item) for item in value]
        if isinstance(value, Fraction):
            return value.numerator / value.denominator
        return float(value)

    return np.array(rounded(values), dtype=float)


def rows_of(X):
    """Return the matrix X as a list of rows of Fractions."""
    return [[to_fraction(value) for value in row] for row in X]


def columns_of(X):
    """Return the matrix X as a list of columns of Fractions."""
    return [list(column) for column in zip(*rows_of(X), strict=True)]


def mp_matrix(W):
    """Return a dense matrix as a list of rows of `mp` numbers."""
    return [[to_mp(value) for value in row] for row in W]


def is_constant(values):
    """Return whether all values are exactly equal."""
    return all(value == values[0] for value in values)


def mean(values):
    """Return the exact mean of Fractions."""
    return sum(values, Fraction(0)) / len(values)


def centered(values):
    """Subtract the exact mean from Fractions."""
    center = mean(values)
    return [value - center for value in values]


def dot(left, right):
    """Return the inner product of two lists of Fractions."""
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def median(values):
    """Return the exact median; for an even count, the mean of the two middle values."""
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def squared_distances(X):
    """Return the exact matrix of squared Euclidean distances."""
    rows = rows_of(X)
    n = len(rows)
    table = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            distance = sum(((a - b) ** 2 for a, b in zip(rows[i], rows[j], strict=True)), Fraction(0))
            table[i][j] = table[j][i] = distance
    return table


def exponential(squared_distance, bandwidth):
    """Return exp(-d^2 / t) for an exact squared distance and an exact bandwidth."""
    return mp.exp(-to_mp(squared_distance / bandwidth))


def solve_rational(matrix, right):
    """Solve A x = b over the rationals by Gauss-Jordan elimination.

    Returns one solution (free variables zero) and a basis of the null space of A. The rank is exact. A system
    without a solution raises ValueError.
    """
    n_rows, n_columns = len(matrix), len(matrix[0])
    table = [[to_fraction(v) for v in row] + [to_fraction(b)] for row, b in zip(matrix, right, strict=True)]
    pivots = []
    for column in range(n_columns):
        rank = len(pivots)
        pivot_row = next((r for r in range(rank, n_rows) if table[r][column] != 0), None)
        if pivot_row is None:
            continue
        table[rank], table[pivot_row] = table[pivot_row], table[rank]
        pivot = table[rank][column]
        table[rank] = [value / pivot for value in table[rank]]
        for r in range(n_rows):
            factor = table[r][column]
            if r != rank and factor != 0:
                table[r] = [v - factor * p for v, p in zip(table[r], table[rank], strict=True)]
        pivots.append(column)
    if any(row[-1] != 0 for row in table[len(pivots) :]):
        raise ValueError("the linear system has no solution")
    solution = [Fraction(0)] * n_columns
    for r, column in enumerate(pivots):
        solution[column] = table[r][-1]
    basis = []
    for free in (c for c in range(n_columns) if c not in pivots):
        vector = [Fraction(0)] * n_columns
        vector[free] = Fraction(1)
        for r, column in enumerate(pivots):
            vector[column] = -table[r][free]
        basis.append(vector)
    return solution, basis


def solve_mp(matrix, right):
    """Solve A x = b in `mp` numbers by Gaussian elimination with row pivoting; A is square and regular."""
    n = len(matrix)
    table = [[to_mp(v) for v in row] + [to_mp(b)] for row, b in zip(matrix, right, strict=True)]
    for column in range(n):
        pivot_row = max(range(column, n), key=lambda r: abs(table[r][column]))
        table[column], table[pivot_row] = table[pivot_row], table[column]
        for r in range(column + 1, n):
            factor = table[r][column] / table[column][column]
            if factor:
                table[r] = [v - factor * p for v, p in zip(table[r], table[column], strict=True)]
    solution = [mp.mpf(0)] * n
    for r in reversed(range(n)):
        known = sum((table[r][c] * solution[c] for c in range(r + 1, n)), mp.mpf(0))
        solution[r] = (table[r][-1] - known) / table[r][r]
    return solution
