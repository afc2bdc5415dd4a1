"""``featsieve datasets``: the list of datasets and their status."""

import json

import numpy as np
from typer.testing import CliRunner

from featsieve.cli.app import app
from featsieve.datasets import catalog, load, names


def run(*arguments):
    result = CliRunner().invoke(app, ["datasets", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result


def test_json_lists_all(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    (tmp_path / "zoo.csv").write_text("a,target\n1,2\n")
    result = run("--json")
    output = {row["name"]: row for row in json.loads(result.stdout)}
    assert list(output) == [*names(), *(entry.name for entry in catalog())]
    assert output["iris"]["status"] == "embedded"
    assert output["zoo"]["status"] == "found"
    assert output["yale"]["status"] == "missing"
    assert output["yale"]["image_shape"] == "32x32F"
    assert output["yale"]["papers"] == ["LLE"]
    assert result.stderr == ""


def test_embedded_datasets_match_their_description():
    for row in json.loads(run("--json").stdout)[: len(names())]:
        data = load(row["name"])
        assert data.X.shape == (row["samples"], row["features"])
        assert data.image_shape == row["image_shape"]
        assert row["classes"] is None or np.unique(data.y).size == row["classes"]


def test_table_has_a_line_per_dataset(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    lines = run().stdout.splitlines()
    for entry in catalog():
        (line,) = [line for line in lines if line.split()[:1] == [entry.name]]
        assert "missing" in line
        assert entry.source in line
    assert sum("embedded" in line for line in lines) == len(names())


def test_note_without_a_data_folder(monkeypatch):
    monkeypatch.delenv("FEATSIEVE_DATA", raising=False)
    assert "set FEATSIEVE_DATA to the folder" in run().stderr
