"""Names come from the user's data: any length, any characters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def brief(name: str, length: int = 40) -> str:
    """The name, cut where it would drown the sentence that holds it."""
    return name if len(name) <= length else name[: length - 1] + "…"


def clean(value: Any) -> Any:
    """The value with nothing in it that JSON or UTF-8 cannot hold.

    NaN and infinity become None; half a surrogate pair and characters that HTML has no place for become the
    replacement character.
    """
    if isinstance(value, dict):
        return {_text(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [clean(item) for item in value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _text(value: str) -> str:
    if value.isprintable():
        return value
    return "".join("\N{REPLACEMENT CHARACTER}" if _unfit(each) else each for each in value)


def _unfit(character: str) -> bool:
    code = ord(character)
    return 0xD800 <= code < 0xE000 or (code < 32 and character not in "\t\n\r") or 0x7F <= code < 0xA0


def listed(names: list[str]) -> str:
    """The names as a sentence has them: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
