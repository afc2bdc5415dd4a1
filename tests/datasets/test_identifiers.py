"""Columns that name the samples."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets.identifiers import contains_sample_names, is_number_identifier

NAMES = [f"P-{i}" for i in range(12)]


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("who", NAMES, True),
        ("who", NAMES[:5], False),  # too few to be sure
        ("sample", NAMES[:5], True),
        ("Unnamed: 0", NAMES[:5], True),
        ("Unnamed: 0", list(range(12)), True),
        ("age", list(range(12)), False),
        ("who", [*NAMES[1:], NAMES[1]], False),
        ("who", [*NAMES[1:], None], False),
        ("who", ["a text of several words " + name for name in NAMES], False),
        ("when", [f"2020-01-{i + 1:02}" for i in range(12)], False),
        ("when", [f"{i + 1}.3.2020" for i in range(12)], False),
        ("price", [f"{i}.123,5" for i in range(1, 13)], False),
        ("who", [True, False] * 6, False),
    ],
)
def test_contains_sample_names(column, values, expected):
    assert contains_sample_names(pd.Series(values), column) == expected


def test_numbers_need_a_name():
    assert is_number_identifier(np.arange(12.0), "patient_id")
    assert not is_number_identifier(np.arange(12.0), "time")
    assert not is_number_identifier(np.arange(12.0) / 2, "patient_id")
