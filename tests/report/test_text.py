"""Text of any length and with any characters can be shown in the report."""

import json

import numpy as np
import pytest

from featsieve.report.text import brief, clean


def test_long_names_are_truncated():
    assert brief("x" * 40) == "x" * 40
    assert brief("x" * 41) == "x" * 39 + "…"
    assert len(brief("x" * 41, 10)) == 10


@pytest.mark.parametrize("text", ["наука", "a\tb\nc", "\N{SNOWMAN}", "<b>&'\"", "\u202e"])
def test_valid_text_is_unchanged(text):
    assert clean(text) == text


@pytest.mark.parametrize("character", ["\ud800", "\x00", "\x1b", "\x7f", "\x80"])
def test_invalid_characters_are_replaced(character):
    assert clean({f"a{character}": [f"{character}b"]}) == {
        "a\N{REPLACEMENT CHARACTER}": ["\N{REPLACEMENT CHARACTER}b"]
    }


def test_values_can_be_written_as_json():
    values = {1: np.arange(3), "nan": np.nan, "inf": [np.float64(np.inf)], "pair": (np.int64(2), True, None)}
    expected = {"1": [0, 1, 2], "nan": None, "inf": [None], "pair": [2, True, None]}
    assert json.loads(json.dumps(clean(values), allow_nan=False)) == expected
