"""``featsieve reproduce``: output, stored results and missing data."""

import json
import os

import pytest
from typer.testing import CliRunner

from featsieve.cli.app import app
from featsieve.reproduction.ledger import as_markdown, condense


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *arguments])


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    store, page = folder / "store.sqlite", folder / "page.html"
    arguments = ("lle", "--table", "IV", "--store", str(store), "--jobs", "2", "--report", str(page))
    return run(*arguments, "--json"), arguments, page


def test_json_contains_the_numbers_and_their_origin(iris):
    result = iris[0]
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    table = summary["experiments"][0]
    lines = {line["row"]: line["cells"][0] for line in table["measures"][0]["lines"]}
    assert [lines[f"Feature {r}"]["same"] for r in range(1, 5)] == [True] * 4
    assert lines["Variance"]["ours"] == lines["Variance"]["paper"] == "3, 1, 4, 2"
    assert lines["Random selection"]["ours"] is not None
    info = table["runs"]["K=5"]
    assert info["seed"] == 0
    assert len(info["dataset"]["hash"]) == 32
    assert "numpy" in info["versions"]
    assert summary["claims"][0]["verdict"] in ("holds", "holds partly", "does not hold")


def test_finished_runs_are_read_from_the_store(iris):
    _, arguments, _ = iris
    again = run(*arguments, "--json")
    first, second = (json.loads(result.stdout)["experiments"] for result in (iris[0], again))
    assert first == second  # including the time of completion


def test_table_shows_published_number_ours_and_difference(iris):
    shown = run(*iris[1]).stdout
    assert "Feature 1" in shown
    assert "73.33" in shown
    assert "+0.00" in shown


def test_each_run_is_announced_with_its_position(iris):
    assert "Running iris, K=5 (1 of 1)\n" in iris[0].stderr


def test_the_form_is_shown_only_if_forms_differ(iris):
    assert "quick form" not in run(*iris[1]).stdout
    assert "quick form" not in iris[2].read_text(encoding="utf-8")


def test_claims_that_require_other_experiments_are_counted(iris):
    assert json.loads(iris[0].stdout)["n_unjudged"] == 1
    shown = " ".join(run(*iris[1]).stdout.split())
    assert "other tables or figures as well: 1. To judge them, run featsieve reproduce lle" in shown


def test_page_is_self_contained_and_shows_the_numbers(iris):
    page = iris[2].read_text(encoding="utf-8")
    assert "default-src &#39;none&#39;" in page
    assert "https://" not in page
    assert "Feature 1" in page
    assert "does not hold" in page or "holds" in page


def test_ledger_is_written_from_the_summary(iris):
    condensed = condense(json.loads(iris[0].stdout))
    page = as_markdown([condensed], [])
    assert "73.33 / 73.33" in page
    assert condensed["experiments"][0]["runs"]["K=5"]["run"][:12] in page


def test_data_folder_is_restored(tmp_path, monkeypatch):
    arguments = ("lle", "--table", "IV", "--data", str(tmp_path), "--store", str(tmp_path / "s.sqlite"))
    for previous in (None, "/somewhere/else"):
        if previous is None:
            monkeypatch.delenv("FEATSIEVE_DATA", raising=False)
        else:
            monkeypatch.setenv("FEATSIEVE_DATA", previous)
        assert run(*arguments).exit_code == 0
        assert os.environ.get("FEATSIEVE_DATA") == previous


def test_missing_data_is_named_with_its_source(tmp_path):
    result = run(
        "lle", "--table", "VI", "--data", str(tmp_path), "--store", str(tmp_path / "s.sqlite"), "--json"
    )
    assert result.exit_code == 1  # nothing could be run
    assert "--data DIR" in result.stderr
    assert str(tmp_path) in result.stdout
    table = json.loads(result.stdout)["experiments"][0]
    assert set(table["missing"]) == {f"p={p}" for p in range(2, 8)}
    assert "Yale_32x32.mat" in table["missing"]["p=2"]
    assert "Download it from" in table["missing"]["p=2"]


def test_experiments_that_could_not_run_show_no_numbers(tmp_path):
    page = tmp_path / "page.html"
    where = ("--data", str(tmp_path), "--store", str(tmp_path / "s.sqlite"), "--report", str(page))
    shown = run("lle", "--table", "VI", *where).stdout
    assert shown.count("Yale_32x32.mat") == 1
    assert "p=2, p=3, p=4, p=5, p=6, p=7 not run" in shown
    assert "impossible" not in shown + page.read_text(encoding="utf-8")
    assert "p=2, p=3, p=4, p=5, p=6, p=7 not run" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name of a paper"),
        (("nothing",), "must be one of"),
        (("lle", "--table", "XX"), "no table XX"),
        (("lle", "--all"), "cannot be combined"),
        (("lle", "--data", "/nowhere/at/all"), "must be a folder"),
        (("lle", "--report", "/nowhere/at/all/page.html"), "folder does not exist"),
    ],
)
def test_errors_are_one_line(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
