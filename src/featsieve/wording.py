"""Words of messages."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, form: str = "d") -> str:
    """Return a number with its noun, which gets an s unless the number is 1.

    Examples
    --------
    >>> from featsieve.wording import counted
    >>> counted(1, "feature"), counted(2000, "feature", ",")
    ('1 feature', '2,000 features')
    """
    return f"{number:{form}} {noun}" + ("" if number == 1 else "s")


def enumerate_names(names: Sequence[str]) -> str:
    """Return the names as a list in a sentence.

    Examples
    --------
    >>> from featsieve.wording import enumerate_names
    >>> enumerate_names(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
