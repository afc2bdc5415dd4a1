"""Check that an option is one of its allowed values."""

from __future__ import annotations

from collections.abc import Collection


def check_option(name: str, value: object, allowed: Collection[object]) -> None:
    """Raise ValueError unless ``value`` is one of the allowed values."""
    if value not in allowed:
        raise ValueError(f"`{name}` must be one of {', '.join(map(repr, allowed))}; got {value!r}.")
