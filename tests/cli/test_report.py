"""``featsieve report``: from a store to a file."""

import json
import sys

import numpy as np
import pytest
from report.synthetic import comparison
from typer.testing import CliRunner

from featsieve.cli.app import app
from featsieve.evaluation.store import Store
from featsieve.report import summarize


@pytest.fixture
def stored_comparison(tmp_path):
    path = tmp_path / "results.sqlite"
    results = comparison()
    with Store(path) as store:
        store.add_run("0123", {key: value for key, value in results.info.items() if key != "methods"})
        for label, method in results.info["methods"].items():
            store.add_method("0123", label, method)
        for cell in results.cells:
            store.put("0123", cell)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


def test_report_is_written_to_the_output(stored_comparison, tmp_path):
    target = tmp_path / "out.html"
    result = run(stored_comparison, "-o", target)
    assert (result.exit_code, result.stdout) == (0, f"{target}\n")
    assert "2 of 4 methods beat random selection" in target.read_text(encoding="utf-8")


def test_default_output_is_named_after_the_store(stored_comparison):
    assert run(stored_comparison).exit_code == 0
    assert stored_comparison.with_suffix(".html").is_file()


def test_json(stored_comparison, tmp_path):
    result = run(stored_comparison, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["answer"] == summarize(comparison())["answer"]
    assert not list(tmp_path.glob("*.html"))
    result = run(stored_comparison, "--json", "-o", tmp_path / "out.html")
    assert json.loads(result.stdout)["data"]["name"] == "made-up"
    assert (tmp_path / "out.html").is_file()


def test_data_adds_the_mean_image(stored_comparison, tmp_path):
    X = np.tile(np.arange(24.0), (120, 1))
    np.savez(tmp_path / "images.npz", X=X, **{"class": np.zeros(120)})
    result = run(stored_comparison, "--json", "--data", tmp_path / "images.npz", "--image-shape", "4x6F")
    assert result.exit_code == 0, result.stderr
    pixels = json.loads(result.stdout)["pixels"]
    assert (pixels["height"], pixels["mean"][0], pixels["mean"][-1]) == (4, 0, 255)
    # a comparison may have used some of the samples alone
    np.savez(tmp_path / "more.npz", X=np.r_[X, X], **{"class": np.zeros(240)})
    result = run(stored_comparison, "--json", "--data", tmp_path / "more.npz", "--image-shape", "4x6F")
    assert json.loads(result.stdout)["pixels"] == pixels
    np.savez(tmp_path / "other.npz", X=X[:, :20], **{"class": np.zeros(120)})
    result = run(stored_comparison, "--data", tmp_path / "other.npz")
    assert result.exit_code == 2
    assert "with 24 features; other.npz has 20" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.sqlite"], "the store none.sqlite does not exist"),
        ([__file__], "cannot be used: file is not a database"),
        (["STORE", "--run", "9"], "has no run '9'"),
        (["STORE", "--image-shape", "5x5"], "with 25 pixels"),
        (["STORE", "--image-shape", "big"], "must be ROWSxCOLUMNS"),
        (["STORE", "-o", "no/such/folder/out.html"], "cannot be written"),
        (["STORE", "-o", "."], "is a folder"),
    ],
)
def test_errors_are_one_line(stored_comparison, arguments, message):
    result = run(*[stored_comparison if argument == "STORE" else argument for argument in arguments])
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_missing_extra(stored_comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    result = run(stored_comparison)
    assert result.exit_code == 2
    assert "pip install 'featsieve[report]'" in result.stderr
