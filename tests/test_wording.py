"""Words of messages."""

import pytest

from featsieve.wording import counted


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 features"), (1, "1 feature"), (2, "2 features"), (1234, "1,234 features")]
)
def test_only_one_is_singular(number, expected):
    assert counted(number, "feature", ",") == expected
