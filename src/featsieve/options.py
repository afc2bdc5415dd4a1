"""One way to refuse a misspelt option of a function."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def check_option(name: str, value: Any, allowed: Collection[Any]) -> None:
    """Raise ValueError, naming what is allowed, unless ``value`` is."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}.")
