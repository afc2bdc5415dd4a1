"""Words of messages."""

from __future__ import annotations


def counted(number: int, noun: str, form: str = "d") -> str:
    """Return a number with its noun, which gets an s unless the number is 1.

    Examples
    --------
    >>> from featsieve.wording import counted
    >>> counted(1, "feature"), counted(2000, "feature", ",")
    ('1 feature', '2,000 features')
    """
    return f"{number:{form}} {noun}" + ("" if number == 1 else "s")
