"""Run the command in this process."""

import json

import pytest
from typer.testing import CliRunner

from featsieve.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


def error_line(*arguments):
    """Return the error of a command that exits with 2 and prints only notes and one error on stderr."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    *notes, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert all(line.startswith("Note: ") for line in notes)
    return last


def rank_as_json(*arguments):
    """Return the JSON of ``featsieve rank``, which must be strict JSON."""
    result = run("rank", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout, parse_constant=lambda literal: pytest.fail(f"{literal} is not JSON"))
