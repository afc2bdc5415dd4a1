"""Tables in terminals of any width."""

import io

import pytest
from rich.console import Console

from featsieve.reproduction.terminal import render_tables

LINES = [
    {
        "row": f"Method {number}",
        "statistic": "maximum",
        "cells": [
            {
                "paper": 43.21 + column,
                "ours": 43.29 + column,
                "difference": 0.08,
                "same": False,
                "mark": None,
                "paper_size": 1004,
                "ours_size": 1000 + column,
            }
            for column in range(6)
        ],
    }
    for number in range(3)
]
PANELS = [
    {
        "title": f"a data set, by a measure with a long name, {index}",
        "lines": [{"name": f"method {n}", "mean": [70.03 + index + n / 10]} for n in range(4)],
    }
    for index in range(9)
]
COMMON = {
    "title": "numbers",
    "missing": {},
    "errors": {},
    "runs": {"p=2": {}},
    "n_compared": 0,
    "marks": [],
    "readings": [],
    "notes": [],
    "line_value": "mean over the sizes",
    "digits": 2,
}
SUMMARY = {
    "authors": "People",
    "year": 2000,
    "title": "A paper",
    "form": "quick",
    "has_quick_form": True,
    "claims": [],
    "n_unjudged": 0,
    "experiments": [
        COMMON
        | {
            "name": "Table I",
            "kind": "table",
            "measures": [{"name": "accuracy", "lines": LINES}],
            "columns": [f"p={p}" for p in range(2, 8)],
        },
        COMMON | {"name": "Figure 1", "kind": "figure", "panels": PANELS},
    ],
}


@pytest.mark.parametrize("width", [60, 80, 120, 10_000])
def test_every_number_is_shown_at_any_width(width):
    console = Console(width=width, file=io.StringIO(), highlight=False, markup=False)
    for block in render_tables(SUMMARY, width):
        console.print(block, soft_wrap=isinstance(block, str))
    shown = console.file.getvalue()
    assert "…" not in shown
    assert "(quick form)" in shown
    assert shown.count("the smallest number of features that reaches it") == 1
    for column in range(6):
        assert shown.count(f"{43.21 + column:.2f} (1004)") == 3
        assert shown.count(f"+0.08 ({column - 4:+d})") == 3
    for panel in PANELS:
        assert panel["title"] in shown
        for line in panel["lines"]:
            assert f"{line['mean'][0]:.2f}" in shown
    groups = shown.count("mean over the sizes")
    assert groups == (1 if width == 10_000 else pytest.approx(9 // max(1, (width - 12) // 48), abs=1))
    assert max(map(len, shown.splitlines())) <= max(width, 80)
