"""Formats of numbers on the page; a missing number is a dash."""

from __future__ import annotations

MISSING, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"


def fixed(value: float | None, digits: int) -> str:
    """Format a number with a fixed number of decimals."""
    # 0.0 is added because a small negative number is rounded to -0.0
    return MISSING if value is None else f"{round(value, digits) + 0.0:.{digits}f}".replace("-", MINUS)


def signed(value: float | None, digits: int) -> str:
    """Format a number with its sign and a fixed number of decimals."""
    return MISSING if value is None else f"{value:+.{digits}f}".replace("-", MINUS)


def probability(value: float | None) -> str:
    """Format a p-value."""
    if value is None:
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def grouped(value: int) -> str:
    """Format a count with separators between thousands."""
    return f"{value:,}"


def duration(seconds: float | None) -> str:
    """Format a number of seconds."""
    if seconds is None:
        return MISSING
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}" if seconds < 100 else f"{seconds:,.0f}"


def bytes_(count: float | None) -> str:
    """Format a number of bytes with its unit."""
    if count is None:
        return MISSING
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
