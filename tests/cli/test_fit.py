"""Fits from the command: labels, scaling, and data that a method cannot use."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import featsieve
from cli.command import error_line, rank_as_json, run
from featsieve.targets import infer_target


def test_missing_labels_are_an_error_with_a_suggestion(table):
    message = error_line("rank", table, "--drop", "note,gap", "--method", "fisher")
    assert (
        "fisher needs labels, but t.csv has none. Name the labels with --target COLUMN (perhaps Class)"
        in message
    )


def test_missing_labels_of_a_method_with_optional_labels(table):
    message = error_line("rank", table, "--drop", "note,gap", "--method", "constraint")
    assert "constraint needs labels, but t.csv has none. Name the labels with --target" in message


def test_continuous_target_with_a_method_for_classes():
    arguments = ["rank", "iris", "--target", "sepal width (cm)", "--method"]
    for name in ("fisher", "diverse:fisher"):
        message = error_line(*arguments, name)
        expected = (
            f"Error: {name} needs classes, but the labels in 'sepal width (cm)' are continuous numbers."
        )
        assert message.startswith(expected)
    assert run(*arguments, "pearson").exit_code == 0
    assert "needs classes" in error_line("rank", "iris", "--target-type", "numeric", "--method", "fisher")


def test_note_if_labels_have_many_values():
    result = run("rank", "diabetes", "--method", "fisher")
    assert (
        "The labels have 214 distinct values in 442 samples; fisher treats each value as a class"
        in result.stderr
    )
    assert run("rank", "wine", "--method", "fisher").stderr == ""


def test_sparse_data(tmp_path):
    X = np.random.default_rng(0).random((40, 6))
    X[X < 0.6] = 0
    scipy.io.savemat(tmp_path / "d.mat", {"X": sp.csc_array(X), "Y": np.arange(40) % 2})
    assert rank_as_json(tmp_path / "d.mat", "-m", "fisher")["shape"] == [40, 6]
    # small sparse data are converted to an array, as in compare
    assert rank_as_json(tmp_path / "d.mat", "-m", "relieff")["shape"] == [40, 6]
    assert rank_as_json(tmp_path / "d.mat", "-m", "relieff", "--dry-run")["method"] == "relieff"


def test_large_sparse_data_need_a_method_for_sparse_data(tmp_path, monkeypatch):
    monkeypatch.setattr("featsieve.evaluation.data.densify_small", lambda X: X)
    X = sp.random_array((40, 6), density=0.4, random_state=np.random.default_rng(0), format="csc")
    scipy.io.savemat(tmp_path / "d.mat", {"X": X, "Y": np.arange(40) % 2})
    assert rank_as_json(tmp_path / "d.mat", "-m", "fisher")["shape"] == [40, 6]
    assert "relieff does not accept sparse data" in error_line("rank", tmp_path / "d.mat", "-m", "relieff")


@pytest.mark.parametrize("command", [["rank"], ["select", "--top", "1", "--output", "out.csv"]])
@pytest.mark.parametrize("method", ["laplacian", "variance", "fisher"])
def test_one_sample_is_an_error(tmp_path, monkeypatch, command, method):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,target\n1,2,3\n")
    message = error_line(*command, "t.csv", "--method", method)
    assert message == "Error: t.csv has 1 sample; ranking needs at least 2."


def test_error_of_a_method_names_the_data(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,target\n1,-2,0\n3,4,1\n5,0,1\n")
    assert "chi-square cannot rank t.csv: " in error_line("rank", tmp_path / "t.csv", "-m", "chi-square")


def test_scale_makes_units_comparable(tmp_path):
    X = np.column_stack([np.arange(40) % 7, 1000 * ((np.arange(40) * 5) % 11), np.arange(40)])
    np.save(tmp_path / "units.npy", X)
    expected = featsieve.LaplacianScore().fit((X - X.mean(axis=0)) / X.std(axis=0)).scores_
    scaled = [
        row["score"] for row in rank_as_json(tmp_path / "units.npy", "-m", "laplacian", "--scale")["features"]
    ]
    assert scaled == pytest.approx(sorted(expected))
    arguments = ["rank", tmp_path / "units.npy", "-m", "laplacian"]
    by_default = [row["score"] for row in rank_as_json(*arguments[1:])["features"]]
    assert by_default == scaled
    plain = [row["score"] for row in rank_as_json(*arguments[1:], "--no-scale")["features"]]
    assert plain != pytest.approx(scaled)


@pytest.mark.parametrize(
    ("arguments", "noted"),
    [
        (["-m", "laplacian"], True),
        (["-m", "variance"], False),
        (["-m", "laplacian", "--no-scale"], False),
        (["-m", "fisher"], False),
        (["-m", "relieff"], False),
        (["-m", "chi-square"], False),  # needs counts
        (["-m", "laplacian", "--diverse"], True),
        (["-m", "fisher", "--diverse"], False),
        (["-m", "laplacian", "--scale"], False),
        ([], False),
    ],
)
def test_note_if_column_ranges_differ(arguments, noted):
    assert ("so they are standardized" in run("rank", "wine", *arguments).stderr) == noted
    assert "standardized" not in run("rank", "iris", *arguments).stderr


def test_numeric_labels_are_treated_as_numbers():
    output = rank_as_json("diabetes", "--method", "pearson")["features"]
    assert [row["feature"] for row in output[:2]] == ["bmi", "s5"]
    assert "pearson treats them as numbers" in run("rank", "diabetes", "--method", "pearson").stderr


def test_rank_and_compare_judge_labels_by_the_same_rule(tmp_path):
    for n_values, kind in ((20, "classes"), (21, "numeric")):
        y = np.arange(60) % n_values
        table = "\n".join(f"{i * i % 13},{i % 7},{label}" for i, label in enumerate(y))
        (tmp_path / "t.csv").write_text(f"a,b,kind\n{table}\n")
        messages = run("rank", tmp_path / "t.csv", "--target", "kind", "--method", "pearson").stderr
        assert ("treats them as numbers" in messages) == (infer_target(y) == "numeric") == (kind == "numeric")
