"""Numbers and differences for people."""

import pytest

from featsieve.reproduction.formatting import format_difference, format_number, measure_name


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((77.3,), "77.30"),
        ((77.3, 378.0), "77.30 (378)"),
        ((18,), "18"),
        ((None,), "-"),
        ((0.12345, None, 4), "0.1235"),
    ],
)
def test_numbers(arguments, text):
    assert format_number(*arguments) == text


def cell(difference=None, same=None, paper=1.0, ours=1.0, sizes=(None, None)):
    return {
        "difference": difference,
        "same": same,
        "paper": paper,
        "ours": ours,
        "paper_size": sizes[0],
        "ours_size": sizes[1],
    }


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (cell(-1.234), "-1.23"),
        (cell(-0.001), "+0.00"),
        (cell(3.0, paper=5, ours=8), "+3"),
        (cell(0.5, sizes=(10, 7)), "+0.50 (-3)"),
        (cell(), ""),
        (cell(same=True), "same"),
        (cell(same=False), "differs"),
    ],
)
def test_differences(cell, text):
    assert format_difference(cell) == text


def test_names_of_measures():
    assert measure_name("nn") == "1-NN accuracy (%)"
    assert measure_name("") == ""
