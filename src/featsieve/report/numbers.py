"""How numbers are written on the page."""

from __future__ import annotations

NONE = "\N{EN DASH}"


def fixed(value: float | None, digits: int) -> str:
    """The number with so many digits after the point."""
    return NONE if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int) -> str:
    """As fixed, with its sign."""
    return NONE if value is None else f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def probability(value: float | None) -> str:
    """A p-value."""
    if value is None:
        return NONE
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def grouped(value: int) -> str:
    """A count, its thousands apart."""
    return f"{value:,}"


def duration(seconds: float | None) -> str:
    """Seconds."""
    if seconds is None:
        return NONE
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}" if seconds < 100 else f"{seconds:,.0f}"


def bytes_(count: float | None) -> str:
    """An amount of memory."""
    if count is None:
        return NONE
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
