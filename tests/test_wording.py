"""Words of messages."""

import pytest

from featsieve.wording import counted, enumerate_names


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 features"), (1, "1 feature"), (2, "2 features"), (1234, "1,234 features")]
)
def test_only_one_is_singular(number, expected):
    assert counted(number, "feature", ",") == expected


def test_names_in_a_sentence():
    assert enumerate_names(["a"]) == "a"
    assert enumerate_names(["a", "b"]) == "a and b"
    assert enumerate_names(["a", "b", "c"]) == "a, b and c"
