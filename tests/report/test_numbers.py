"""Formats of numbers on the page."""

import pytest

from featsieve.report.numbers import MINUS, MISSING, bytes_, duration, fixed, grouped, probability, signed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (fixed(-1.256, 2), f"{MINUS}1.26"),
        (fixed(3, 1), "3.0"),
        (fixed(-0.004, 2), "0.00"),
        (signed(0.5, 1), "+0.5"),
        (signed(-0.5, 1), f"{MINUS}0.5"),
        (probability(0.0009), "< 0.001"),
        (probability(0.001), "0.001"),
        (probability(1.0), "1.000"),
        (grouped(1234567), "1,234,567"),
        (duration(0.01234), "0.012"),
        (duration(12.34), "12.3"),
        (duration(4567.8), "4,568"),
        (bytes_(999), "999 B"),
        (bytes_(1000), "1 kB"),
        (bytes_(2.5e8), "250 MB"),
        (bytes_(2.54e12), "2540.0 GB"),
    ],
)
def test_formats(text, expected):
    assert text == expected


def test_missing_numbers_are_dashes():
    assert {fixed(None, 2), signed(None, 2), probability(None), duration(None), bytes_(None)} == {MISSING}
