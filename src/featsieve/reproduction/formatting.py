"""Format numbers and differences for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featsieve.evaluation.measures import MEASURES


def format_number(value: Any, size: float | None = None, digits: int = 2) -> str:
    """Format a number, followed by its number of features in parentheses. Counts have no decimals.

    Examples
    --------
    >>> from featsieve.reproduction.formatting import format_number
    >>> format_number(77.3, 378), format_number(18), format_number(None)
    ('77.30 (378)', '18', '-')
    """
    text = "-" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value)
    return text if size is None else f"{text} ({size:g})"


def format_difference(cell: Mapping[str, Any], digits: int = 2) -> str:
    """Format our number minus the printed one; for text, whether both are the same."""
    if cell["difference"] is None:
        return "" if cell["same"] is None else "same" if cell["same"] else "differs"
    count = isinstance(cell["paper"], int) and isinstance(cell["ours"], int)
    text = f"{round(cell['difference'], digits) + 0.0:+.{0 if count else digits}f}"  # adding 0.0 avoids -0.00
    if cell["paper_size"] is None or cell["ours_size"] is None:
        return text
    return f"{text} ({cell['ours_size'] - cell['paper_size']:+g})"


def measure_name(key: str) -> str:
    """Return the name of a measure for people; "" for the numbers of computations."""
    measure = MEASURES.get(key)
    return "" if measure is None else measure.name + (" (%)" if measure.percent else "")
