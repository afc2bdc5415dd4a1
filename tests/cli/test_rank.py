"""``featsieve rank``: the table, the JSON, and what is said when something is not right."""

import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import featsieve
from featsieve.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments], catch_exceptions=False)


def mistake(*arguments):
    """The one line that is said, with exit code 2 and nothing on stdout."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    *notes, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert all(line.startswith("Note: ") for line in notes)
    return last


def ranking(*arguments):
    result = run("rank", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout, parse_constant=lambda literal: pytest.fail(f"{literal} is not JSON"))


@pytest.fixture
def table(tmp_path):
    """Twelve samples: an id, a feature that follows the class, one that does not, text, and gaps."""
    rng = np.random.default_rng(0)
    rows = ["id,signal,noise,Class,note,gap"]
    for i in range(12):
        gap = "" if i == 3 else str(i)
        rows.append(f"{i},{(i % 2) * 10 + rng.random():.3f},{rng.random():.3f},{i % 2},n{i},{gap}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows))
    return path


def test_table_is_the_estimator_s_ranking():
    lines = run("rank", "iris").stdout.splitlines()
    assert lines[0] == "iris: 150 samples, 4 features. laplacian: smaller scores are better."
    fitted = featsieve.LaplacianScore().fit(load_iris().data)
    names = [load_iris().feature_names[index] for index in fitted.order_]
    shown = [line.split(maxsplit=1) for line in lines if line[:5].strip().isdigit()]
    assert [int(rank) for rank, _ in shown] == [1, 2, 3, 4]
    for (_, rest), name, index in zip(shown, names, fitted.order_, strict=True):
        assert rest.startswith(name)
        assert float(rest.split()[-1]) == pytest.approx(fitted.scores_[index], rel=1e-5)


def test_json_is_the_estimator_s_ranking():
    found = ranking("wine", "--method", "fisher", "--top", "3")
    X, y = featsieve.datasets.load("wine").X, featsieve.datasets.load("wine").y
    fitted = featsieve.FisherScore().fit(X, y)
    assert {key: found[key] for key in ("data", "shape", "target", "method", "direction")} == {
        "data": "wine",
        "shape": [178, 13],
        "target": "target",
        "method": "fisher",
        "direction": "larger",
    }
    assert [row["rank"] for row in found["features"]] == [1, 2, 3]
    assert [row["index"] for row in found["features"]] == fitted.order_[:3].tolist()
    assert [row["score"] for row in found["features"]] == fitted.scores_[fitted.order_[:3]].tolist()
    assert found["features"][0]["feature"] == "flavanoids"


@pytest.mark.parametrize("name", [m.name for m in featsieve.methods()])
def test_every_method_ranks(name):
    found = ranking("wine", "--method", name, "--top", "100")
    assert found["direction"] == featsieve.get_method(name).direction
    assert sorted(row["index"] for row in found["features"]) == list(range(13))


def test_ten_features_unless_asked():
    assert len(ranking("breast_cancer")["features"]) == 10
    assert len(ranking("breast_cancer", "--top", "2")["features"]) == 2


def test_infinite_scores_are_null_in_json_and_shown_in_the_table(tmp_path):
    X = np.random.default_rng(0).random((20, 3))
    X[:, 1] = 5
    np.save(tmp_path / "d.npy", X)
    last = ranking(tmp_path / "d.npy")["features"][-1]
    assert last == {"rank": 3, "index": 1, "feature": "x1", "score": None}
    assert run("rank", tmp_path / "d.npy").stdout.split()[-2:] == ["x1", "inf"]


def test_column_called_target_is_set_aside_and_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,Target\n" + "".join(f"{i * i},{i % 2}\n" for i in range(12)))
    result = run("rank", path, "--json")
    assert result.stderr == "Note: Using column 'Target' as the labels.\n"
    found = json.loads(result.stdout)
    assert found["target"] == "Target"
    assert [row["feature"] for row in found["features"]] == ["a"]


def test_column_called_target_among_the_features_is_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,target\n" + "".join(f"{i * i},{i % 2},{i % 3}\n" for i in range(12)))
    note = "Column 'target' is ranked as a feature because --target is 'b'. Use --drop target to exclude it."
    assert run("rank", path, "--target", "b", "--scale").stderr == f"Note: {note}\n"
    assert run("rank", path, "--target", "b", "--drop", "target", "--scale").stderr == ""


def test_nothing_is_said_when_the_target_is_named(table):
    result = run("rank", table, "--target", "Class", "--drop", "note,id,gap", "--scale")
    assert result.exit_code == 0
    assert result.stderr == ""


def test_what_was_done_is_said(table):
    result = run("rank", table, "--target", "Class", "--scale", "--json")
    notes = [
        "Column 'id' looks like an identifier and was left out.",
        "Column 'note' looks like an identifier and was left out.",
        "1 missing value in column 'gap' was replaced with the median.",
    ]
    assert result.stderr == "".join(f"Note: {note}\n" for note in notes)
    assert json.loads(result.stdout)["notes"] == notes


def test_encoded_columns_are_ranked_by_their_best_part(tmp_path):
    pytest.importorskip("skrub")
    rows = [f"{'uvw'[i % 3]},{i % 5},{(i * 7) % 11},{int(i % 3 == 1)}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["kind,a,b,target", *rows]))
    found = ranking(tmp_path / "t.csv", "-m", "fisher")
    assert found["shape"] == [60, 5]
    assert [row["rank"] for row in found["features"]] == [1, 2, 3]
    assert sorted(row["feature"] for row in found["features"]) == ["a", "b", "kind"]
    assert found["features"][0] == {
        "rank": 1,
        "index": 1,
        "feature": "kind",
        "encoded": "kind_v",
        "score": None,
    }
    lines = run("rank", tmp_path / "t.csv", "-m", "fisher").stdout.splitlines()
    assert lines[0] == "t.csv: 60 samples, 3 columns as 5 features. fisher: larger scores are better."
    assert any(line.split() == ["1", "kind", "kind_v", "inf"] for line in lines)


def test_options_of_the_data(table):
    found = ranking(table, "--target", "Class", "--drop", "note", "--drop", "id", "-m", "fisher")
    assert found["features"][0]["feature"] == "signal"
    assert found["shape"] == [12, 3]


def test_text_target(table):
    found = ranking(table, "--target", "note", "--drop", "gap", "-m", "laplacian")
    assert found["target"] == "note"


def test_labels_are_needed(table):
    message = mistake("rank", table, "--drop", "note,gap", "--method", "fisher")
    assert (
        "fisher needs labels, but t.csv has none. Name the labels with --target COLUMN (perhaps Class)"
        in message
    )


def test_labels_are_needed_by_a_method_that_can_do_without_elsewhere(table):
    message = mistake("rank", table, "--drop", "note,gap", "--method", "constraint")
    assert "constraint needs labels in this command. Name the labels with --target" in message


def test_missing_labels_do_not_matter_once_dropped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,target\n1,x\n" + "".join(f"{i * i},\n" for i in range(9)))
    assert "--drop target" in mistake("rank", path)
    assert ranking(path, "--drop", "target")["target"] is None


def test_continuous_target_with_a_method_for_classes():
    message = mistake("rank", "iris", "--target", "sepal width (cm)", "--method", "fisher")
    assert message.startswith("Error: fisher cannot rank iris: ")
    assert "continuous" in message


def test_whole_numbers_taken_for_classes_are_said():
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
    assert ranking(tmp_path / "d.mat", "-m", "fisher")["shape"] == [40, 6]
    assert "relieff does not accept sparse data" in mistake("rank", tmp_path / "d.mat", "-m", "relieff")


def test_too_few_samples(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    assert "laplacian cannot rank t.csv: " in mistake("rank", tmp_path / "t.csv")


def test_unknown_method_suggests():
    assert "unknown method 'laplacien'. Did you mean laplacian" in mistake("rank", "iris", "-m", "laplacien")


@pytest.mark.parametrize("name", [m.name for m in featsieve.methods(role=None) if m.role != "ranker"])
def test_methods_that_rank_nothing_are_refused(name):
    assert f"{name} makes " in mistake("rank", "iris", "-m", name)


def test_unknown_method_is_said_before_the_data_is_read():
    assert "unknown method" in mistake("rank", "no_such_file.csv", "-m", "laplacien")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--target", "Clas"], "no column 'Clas'. Did you mean 'Class'?"),
        (["--drop", "nte"], "no column 'nte' to drop. Did you mean 'note'?"),
        (["--strict"], "column 'note' contains text ('n0')"),
        (["--strict", "--drop", "note"], "column 'gap' has 1 missing value: without --strict"),
        (["--samples", "X"], "no arrays to name with --samples"),
    ],
)
def test_wrong_columns(table, arguments, says):
    assert says in mistake("rank", table, *arguments)


def test_missing_file(table):
    assert "t.csv?" in mistake("rank", table.with_name("tt.csv"))


def test_names_are_shown_as_they_are(tmp_path):
    names = ["[red]a[/red]", ":smile:", "x\x1b[31my", "β", "two\nlines"]
    header = ",".join(f'"{name}"' for name in names)
    rows = "".join(f"{i},{i * i},{i % 3},{i % 4},{i % 5}\n" for i in range(9))
    (tmp_path / "t.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    shown = run("rank", tmp_path / "t.csv").stdout
    for name in ("[red]a[/red]", ":smile:", r"x\x1b[31my", "β", "two lines"):
        assert f" {name} " in shown
    found = ranking(tmp_path / "t.csv")["features"]
    assert sorted(row["feature"] for row in found) == sorted(names)


def test_long_names_are_not_cut(tmp_path):
    name = "a_very_long_name_" * 20
    np.savetxt(
        tmp_path / "t.csv",
        np.random.default_rng(0).random((9, 2)),
        delimiter=",",
        header=f"{name},b",
        comments="",
    )
    assert name in run("rank", tmp_path / "t.csv").stdout


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
    found = ranking(data_dir / file, *arguments)
    assert len(found["features"]) == 10
    assert found["features"][0]["feature"] == best or best is None


def test_scale_makes_units_comparable(tmp_path):
    X = np.column_stack([np.arange(40) % 7, 1000 * ((np.arange(40) * 5) % 11), np.arange(40)])
    np.save(tmp_path / "units.npy", X)
    expected = featsieve.LaplacianScore().fit((X - X.mean(axis=0)) / X.std(axis=0)).scores_
    scaled = [row["score"] for row in ranking(tmp_path / "units.npy", "--scale")["features"]]
    assert scaled == pytest.approx(sorted(expected))
    plain = [row["score"] for row in ranking(tmp_path / "units.npy")["features"]]
    assert plain != pytest.approx(scaled)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "laplacian"], True),
        (["-m", "variance"], True),
        (["-m", "fisher"], False),
        (["--scale"], False),
    ],
)
def test_units_that_differ_are_said_where_they_matter(arguments, said):
    assert ("consider --scale" in run("rank", "wine", *arguments).stderr) == said
    assert "--scale" not in run("rank", "iris", *arguments).stderr


def test_numeric_target_is_not_taken_for_classes():
    found = ranking("diabetes", "--method", "pearson")["features"]
    assert [row["feature"] for row in found[:2]] == ["bmi", "s5"]
    assert "pearson treats them as numbers" in run("rank", "diabetes", "--method", "pearson").stderr


@pytest.mark.parametrize("name", ["yale", "Yale_32x32", "YALE"])
def test_by_the_name_of_the_catalog(data_dir, name):
    assert ranking(name, "-m", "variance")["shape"] == [165, 1024]
