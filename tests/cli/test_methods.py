"""``featsieve methods``: the methods of the registry."""

import json

import pytest
from typer.testing import CliRunner

import featsieve
from featsieve.cli import methods
from featsieve.cli.app import app

EVERY = featsieve.methods(role=None)


def test_json_matches_the_registry():
    output = json.loads(CliRunner().invoke(app, ["methods", "--json"]).stdout)
    assert [row["name"] for row in output] == [m.name for m in EVERY]
    for row, method in zip(output, EVERY, strict=True):
        assert row["labels"] == method.supervised
        assert row["better"] == method.direction
        assert row["role"] == method.role
        assert row["inputs"][0] == "dense"
        assert set(row["inputs"][1:]) == method.inputs
        assert (row["family"], row["summary"], row["reference"]) == (
            method.family,
            method.summary,
            method.reference,
        )


def test_pipe_gets_a_line_per_method():
    lines = CliRunner().invoke(app, ["methods"]).stdout.splitlines()
    for method in EVERY:
        (line,) = [line for line in lines if line.split()[:1] == [method.name]]
        for word in (method.role, method.family, method.supervised, method.summary, method.reference):
            assert word in line
        assert line.split()[4] == (method.direction or "-")


@pytest.mark.parametrize("width", [80, 120, 200])
def test_tables_fit_any_terminal_width(width):
    from rich.console import Console

    records = [methods._describe_method(method) for method in EVERY]
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(
            methods._full_table(records)
            if width >= methods.MIN_WIDTH_OF_FULL_TABLE
            else methods._short_table(records)
        )
    text = "".join(capture.get().split())
    for method in EVERY:
        assert method.name in text
        for word in (*method.summary.split(), *method.reference.split()):
            assert word in text
    assert "…" not in text
    assert max(map(len, capture.get().splitlines())) <= width
