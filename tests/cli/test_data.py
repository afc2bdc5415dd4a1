"""Options of the data, and notes on how it was read."""

import json

import pytest

from cli.command import error_line, rank_as_json, run


def test_column_named_target_is_used_as_labels_with_a_note(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,Target\n" + "".join(f"{i * i},{i % 2}\n" for i in range(12)))
    result = run("rank", path, "--json")
    assert result.stderr == "Note: Using column 'Target' as the labels.\n"
    output = json.loads(result.stdout)
    assert output["target"] == "Target"
    assert [row["feature"] for row in output["features"]] == ["a"]


def test_note_if_a_column_named_target_is_ranked(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,target\n" + "".join(f"{i * i},{i % 2},{i % 3}\n" for i in range(12)))
    note = "Column 'target' is ranked as a feature because --target is 'b'. Use --drop target to exclude it."
    assert run("rank", path, "--target", "b", "--scale").stderr == f"Note: {note}\n"
    assert run("rank", path, "--target", "b", "--drop", "target", "--scale").stderr == ""


def test_no_note_with_an_explicit_target(table):
    result = run("rank", table, "--target", "Class", "--drop", "note,id,gap", "--scale")
    assert result.exit_code == 0
    assert result.stderr == ""


def test_conversions_are_reported(table):
    result = run("rank", table, "--target", "Class", "--scale", "--json")
    notes = [
        "Column 'id' contains the names of the samples and is not ranked.",
        "Column 'note' looks like an identifier and was left out.",
        "1 missing value in column 'gap' was replaced with the median.",
    ]
    assert result.stderr == "".join(f"Note: {note}\n" for note in notes)
    assert json.loads(result.stdout)["notes"] == notes


def test_options_of_the_data(table):
    output = rank_as_json(table, "--target", "Class", "--drop", "note", "--drop", "id", "-m", "fisher")
    assert output["features"][0]["feature"] == "signal"
    assert output["shape"] == [12, 3]


def test_text_target(table):
    output = rank_as_json(table, "--target", "note", "--drop", "gap", "-m", "laplacian")
    assert output["target"] == "note"


def test_dropped_labels_may_be_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,target\n" + "".join(f"{i * i},\n" for i in range(9)))
    assert "--drop target" in error_line("rank", path)
    assert rank_as_json(path, "--drop", "target")["target"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "Clas"], "no column 'Clas'. Did you mean 'Class'?"),
        (["--drop", "nte"], "no column 'nte'. Did you mean 'note'?"),
        (["--strict"], "column 'note' contains text ('n0')"),
        (["--strict", "--drop", "note"], "column 'gap' has 1 missing value: omit --strict"),
        (["--samples", "X"], "no arrays, layers or sheets to name with --samples"),
    ],
)
def test_invalid_options_of_the_data(table, arguments, message):
    assert message in error_line("rank", table, *arguments)


def test_missing_file(table):
    assert "t.csv?" in error_line("rank", table.with_name("tt.csv"))


@pytest.mark.parametrize(
    ("file", "arguments", "best"),
    [
        ("sonar.csv", ["-m", "fisher"], "band_11"),
        ("dermatology.csv", ["-m", "variance"], "age"),
        ("anneal.csv", ["-m", "fisher"], "family"),
        ("horse_colic.csv", ["-m", "fisher"], None),
        ("Yale_32x32.mat", [], None),
        ("mnist.npz", ["-m", "variance"], "x378"),
    ],
)
def test_real_file(data_dir, file, arguments, best):
    output = rank_as_json(data_dir / file, *arguments)
    assert len(output["features"]) == 10
    assert output["features"][0]["feature"] == best or best is None


@pytest.mark.parametrize("name", ["yale", "Yale_32x32", "YALE"])
def test_catalog_names(data_dir, name):
    assert rank_as_json(name, "-m", "variance")["shape"] == [165, 1024]
