"""Text from the user's data, which may have any length and any characters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def brief(name: str, length: int = 40) -> str:
    """Return the name, truncated if it is too long for a sentence."""
    return name if len(name) <= length else name[: length - 1] + "…"


def clean(value: Any) -> Any:
    """Return the value without anything that JSON or UTF-8 cannot represent.

    NaN and infinity become None. Unpaired surrogates and characters that are invalid in HTML become the
    replacement character.
    """
    if isinstance(value, dict):
        return {_clean_text(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [clean(item) for item in value]
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _clean_text(text: str) -> str:
    if text.isprintable():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_invalid(char) else char for char in text)


def _is_invalid(character: str) -> bool:
    code = ord(character)
    return 0xD800 <= code < 0xE000 or (code < 32 and character not in "\t\n\r") or 0x7F <= code < 0xA0
