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
def store(tmp_path):
    path = tmp_path / "results.sqlite"
    given = comparison()
    with Store(path) as made:
        made.add_run("0123", {key: value for key, value in given.info.items() if key != "methods"})
        for label, method in given.info["methods"].items():
            made.add_method("0123", label, method)
        for cell in given.cells:
            made.put("0123", cell)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


def test_report_is_written_to_the_output(store, tmp_path):
    target = tmp_path / "out.html"
    done = run(store, "-o", target)
    assert (done.exit_code, done.stdout) == (0, f"{target}\n")
    assert "2 of 4 methods beat random selection" in target.read_text(encoding="utf-8")


def test_default_output_is_named_after_the_store(store):
    assert run(store).exit_code == 0
    assert store.with_suffix(".html").is_file()


def test_json(store, tmp_path):
    done = run(store, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["answer"] == summarize(comparison())["answer"]
    assert not list(tmp_path.glob("*.html"))
    done = run(store, "--json", "-o", tmp_path / "out.html")
    assert json.loads(done.stdout)["data"]["name"] == "made-up"
    assert (tmp_path / "out.html").is_file()


def test_data_adds_the_mean_image(store, tmp_path):
    X = np.tile(np.arange(24.0), (120, 1))
    np.savez(tmp_path / "images.npz", X=X, **{"class": np.zeros(120)})
    done = run(store, "--json", "--data", tmp_path / "images.npz", "--image-shape", "4x6F")
    assert done.exit_code == 0, done.stderr
    pixels = json.loads(done.stdout)["pixels"]
    assert (pixels["height"], pixels["mean"][0], pixels["mean"][-1]) == (4, 0, 255)
    # a comparison may have used some of the samples alone
    np.savez(tmp_path / "more.npz", X=np.r_[X, X], **{"class": np.zeros(240)})
    done = run(store, "--json", "--data", tmp_path / "more.npz", "--image-shape", "4x6F")
    assert json.loads(done.stdout)["pixels"] == pixels
    np.savez(tmp_path / "other.npz", X=X[:, :20], **{"class": np.zeros(120)})
    done = run(store, "--data", tmp_path / "other.npz")
    assert done.exit_code == 2
    assert "with 24 features; other.npz has 20" in done.stderr


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
def test_errors_are_one_line(store, arguments, message):
    done = run(*[store if each == "STORE" else each for each in arguments])
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_missing_extra(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    done = run(store)
    assert done.exit_code == 2
    assert "pip install 'featsieve[report]'" in done.stderr
