"""Numbers of the oracles: exact fractions, or 120-digit floats of a private mpmath context."""

from fractions import Fraction

import mpmath
import numpy as np

mp = mpmath.MPContext()
mp.dps = 120

EQUAL_RTOL = mp.mpf(10) ** -40
ZERO_RTOL = mp.mpf(10) ** -80


def to_mp(value):
    """One number as an mpf of the private context. Floats and other mpf are converted exactly."""
    if isinstance(value, Fraction):
        return mp.mpf(value.numerator) / value.denominator
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return mp.mpf(int(value))
    if isinstance(value, (float, np.floating)):
        return mp.mpf(float(value))
    return mp.convert(value)


def to_fraction(value):
    """One integer, float or fraction as an exact fraction."""
    if isinstance(value, Fraction):
        return value
    return Fraction(int(value)) if isinstance(value, (int, np.integer)) else Fraction(float(value))


def mp_array(values):
    """Array of mpf (dtype object) of the same shape."""
    values = np.asarray(values, dtype=object)
    return np.array([to_mp(v) for v in values.ravel()] or [], dtype=object).reshape(values.shape)


def fraction_array(values):
    """Array of exact fractions (dtype object) of the same shape."""
    values = np.asarray(values, dtype=object)
    return np.array([to_fraction(v) for v in values.ravel()] or [], dtype=object).reshape(values.shape)


def is_exact(values):
    """Whether every entry is a Fraction, so that comparisons are exact."""
    return all(isinstance(v, Fraction) for v in np.asarray(values, dtype=object).ravel())


def number_array(values):
    """Leave fractions as they are; convert everything else to mpf."""
    return np.asarray(values, dtype=object) if is_exact(values) else mp_array(values)


def to_float(values):
    """Round to float64, once, at the end."""
    values = np.asarray(values, dtype=object)
    return np.array([float(v) for v in values.ravel()], dtype=float).reshape(values.shape)


def equal(a, b, scale=0):
    """Equal exactly (fractions), to 1e-40 relative, or to 1e-80 of the terms that were summed."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    a, b, scale = to_mp(a), to_mp(b), to_mp(scale)
    return abs(a - b) <= max(EQUAL_RTOL * max(abs(a), abs(b)), ZERO_RTOL * abs(scale))


def is_zero(value, scale):
    """Zero exactly (fractions), or below 1e-80 of the terms that were summed."""
    return value == 0 if isinstance(value, Fraction) else abs(value) <= ZERO_RTOL * abs(to_mp(scale))


def sqrt(value):
    """Square root as mpf; zero for negative rounding errors."""
    value = to_mp(value)
    return mp.sqrt(value) if value > 0 else mp.mpf(0)


def symmetric_eigen(matrix):
    """Eigenvalues, largest first, and the unit eigenvectors as columns, of a symmetric matrix."""
    matrix = mp_array(matrix)
    values, vectors = mp.eigsy(mp.matrix(((matrix + matrix.T) / 2).tolist()))
    order = sorted(range(len(matrix)), key=lambda i: values[i], reverse=True)
    columns = np.array([[vectors[row, i] for i in order] for row in range(len(matrix))], dtype=object)
    return np.array([values[i] for i in order], dtype=object), columns


def fix_sign(vector):
    """Make the entry of largest absolute value positive (the first among equals)."""
    largest = max(abs(v) for v in vector)
    entry = next(v for v in vector if equal(abs(v), largest))
    return -vector if entry < 0 else vector
