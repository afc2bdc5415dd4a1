"""``featsieve rank``: the table and the JSON."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.datasets import load_iris

import featsieve
from cli.command import error_line, rank_as_json, run


def test_table_shows_the_ranking_of_the_estimator():
    lines = run("rank", "iris", "-m", "laplacian").stdout.splitlines()
    assert lines[0] == "iris: 150 samples, 4 features. laplacian: smaller scores are better."
    fitted = featsieve.LaplacianScore().fit(load_iris().data)
    names = [load_iris().feature_names[index] for index in fitted.order_]
    rows = [line.split(maxsplit=1) for line in lines if line[:5].strip().isdigit()]
    assert [int(rank) for rank, _ in rows] == [1, 2, 3, 4]
    for (_, rest), name, index in zip(rows, names, fitted.order_, strict=True):
        assert rest.startswith(name)
        assert float(rest.split()[-1]) == pytest.approx(fitted.scores_[index], rel=1e-5)


def test_json_contains_the_ranking_of_the_estimator():
    output = rank_as_json("wine", "--method", "fisher", "--top", "3")
    X, y = featsieve.datasets.load("wine").X, featsieve.datasets.load("wine").y
    fitted = featsieve.FisherScore().fit(X, y)
    assert {key: output[key] for key in ("data", "shape", "target", "method", "direction")} == {
        "data": "wine",
        "shape": [178, 13],
        "target": "target",
        "method": "fisher",
        "direction": "larger",
    }
    assert [row["rank"] for row in output["features"]] == [1, 2, 3]
    assert [row["index"] for row in output["features"]] == fitted.order_[:3].tolist()
    scores = [row["score"] for row in output["features"]]
    assert scores == pytest.approx(fitted.scores_[fitted.order_[:3]])
    assert output["features"][0]["feature"] == "flavanoids"


def test_the_default_is_the_best_of_several_methods():
    X, y = load_iris(return_X_y=True)
    fitted = featsieve.AutoSelector(target="classes").fit(X, y)
    title, *_ = run("rank", "iris").stdout.splitlines()
    expected = f"auto+labels (labels: target) chose {fitted.chosen_method_}: larger scores are better."
    assert title.endswith(expected)
    output = rank_as_json("iris")
    assert output["chosen_method"] == fitted.chosen_method_
    assert [row["index"] for row in output["features"]] == fitted.order_.tolist()


def test_scores_of_steps_are_not_called_better():
    title = run("rank", "wine", "-m", "mrmr").stdout.splitlines()[0]
    assert "better" not in title
    assert "the score is that of the step at which a feature was ranked" in title


@pytest.mark.parametrize("name", ["variance", "relieff", "graph-preserving", "spfs"])
def test_ties_and_constant_features_are_no_steps(name, tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 6)) * 1e-3
    X = np.hstack([X, X[::-1], X[np.argsort(X[:, 0])], np.zeros((40, 2))])
    np.savez(tmp_path / "t.npz", X=X, y=np.arange(40) % 2)
    title = run("rank", tmp_path / "t.npz", "-m", name).stdout.splitlines()[0]
    assert title.endswith("scores are better.")


def test_diverse():
    X, y = load_iris(return_X_y=True)
    fitted = featsieve.Diverse(featsieve.FisherScore()).fit(X, y)
    for arguments in (["-m", "fisher", "--diverse"], ["-m", "diverse:fisher"]):
        output = rank_as_json("iris", *arguments)
        assert output["method"] == "diverse:fisher"
        assert [row["index"] for row in output["features"]] == fitted.order_.tolist()
    assert "--diverse needs --method" in error_line("rank", "iris", "--diverse")


@pytest.mark.parametrize("name", [m.name for m in featsieve.methods()])
def test_every_method_ranks(name):
    output = rank_as_json("wine", "--method", name, "--top", "100")
    assert output["direction"] == featsieve.get_method(name).direction
    assert sorted(row["index"] for row in output["features"]) == list(range(13))


def test_ten_features_by_default():
    assert len(rank_as_json("breast_cancer")["features"]) == 10
    assert len(rank_as_json("breast_cancer", "--top", "2")["features"]) == 2


def test_infinite_scores_are_null_in_json_and_shown_in_the_table(tmp_path):
    X = np.random.default_rng(0).random((20, 3))
    X[:, 1] = 5
    np.save(tmp_path / "d.npy", X)
    last = rank_as_json(tmp_path / "d.npy", "-m", "laplacian")["features"][-1]
    assert last == {"rank": 3, "index": 1, "feature": "x1", "score": None}
    assert run("rank", tmp_path / "d.npy", "-m", "laplacian").stdout.split()[-2:] == ["x1", "inf"]


def test_encoded_columns_are_ranked_by_their_best_feature(tmp_path):
    pytest.importorskip("skrub")
    rows = [f"{'uvw'[i % 3]},{i % 5},{(i * 7) % 11},{int(i % 3 == 1)}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["kind,a,b,target", *rows]))
    output = rank_as_json(tmp_path / "t.csv", "-m", "fisher")
    assert output["shape"] == [60, 5]
    assert [row["rank"] for row in output["features"]] == [1, 2, 3]
    assert sorted(row["feature"] for row in output["features"]) == ["a", "b", "kind"]
    assert output["features"][0] == {
        "rank": 1,
        "index": 1,
        "feature": "kind",
        "encoded": "kind_v",
        "score": None,
    }
    lines = run("rank", tmp_path / "t.csv", "-m", "fisher").stdout.splitlines()
    assert (
        lines[0]
        == "t.csv: 60 samples, 3 columns as 5 features. fisher (labels: target): larger scores are better."
    )
    assert any(line.split() == ["1", "kind", "kind_v", "inf"] for line in lines)


def test_unknown_method_suggests():
    assert "unknown method 'laplacien'. Did you mean laplacian" in error_line(
        "rank", "iris", "-m", "laplacien"
    )


@pytest.mark.parametrize("name", [m.name for m in featsieve.methods(role=None) if m.role != "ranker"])
def test_transformers_and_classifiers_are_refused(name):
    assert f"method {name!r} must be a ranker" in error_line("rank", "iris", "-m", name)


def test_method_is_checked_before_the_data_is_read():
    assert "unknown method" in error_line("rank", "no_such_file.csv", "-m", "laplacien")


def test_names_are_printed_without_markup_or_control_characters(tmp_path):
    names = ["[red]a[/red]", ":smile:", "x\x1b[31my", "β", "two\nlines"]
    header = ",".join(f'"{name}"' for name in names)
    rows = "".join(f"{i},{i * i},{i % 3},{i % 4},{i % 5}\n" for i in range(9))
    (tmp_path / "t.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    text = run("rank", tmp_path / "t.csv").stdout
    for name in ("[red]a[/red]", ":smile:", r"x\x1b[31my", "β", "two lines"):
        assert f" {name} " in text
    output = rank_as_json(tmp_path / "t.csv")["features"]
    assert sorted(row["feature"] for row in output) == sorted(names)


def test_long_names_are_not_truncated(tmp_path):
    name = "a_very_long_name_" * 20
    np.savetxt(
        tmp_path / "t.csv",
        np.random.default_rng(0).random((9, 2)),
        delimiter=",",
        header=f"{name},b",
        comments="",
    )
    assert name in run("rank", tmp_path / "t.csv").stdout


@pytest.fixture
def large_file(tmp_path):
    """A file of 1.4 MB; the command may set the working memory to 1 MB, which is reset."""
    pytest.importorskip("dask.array", reason="dask is not installed")
    rng = np.random.default_rng(0)
    np.save(tmp_path / "large.npy", rng.standard_normal((3000, 60)) * rng.uniform(1, 3, 60))
    with sklearn.config_context():
        yield tmp_path / "large.npy"


def test_large_files_are_read_in_chunks(large_file):
    small = rank_as_json(large_file, "--method", "laplacian", "--no-scale", "--top", "60")
    result = run("rank", large_file, "-m", "laplacian", "--top", "60", "--working-memory", "1", "--json")
    assert "read in chunks" in result.stderr
    large = json.loads(result.stdout)
    assert [row["feature"] for row in large["features"]] == [row["feature"] for row in small["features"]]
    scores = [[row["score"] for row in output["features"]] for output in (small, large)]
    assert scores[1] == pytest.approx(scores[0])


def test_chunks_are_standardized_on_request(large_file):
    options = (large_file, "-m", "laplacian", "--scale")
    small = rank_as_json(*options)
    large = json.loads(run("rank", *options, "--working-memory", "1", "--json").stdout)
    assert [row["score"] for row in large["features"]] == pytest.approx(
        [row["score"] for row in small["features"]], rel=1e-6
    )
    assert [row["feature"] for row in large["features"]] == [row["feature"] for row in small["features"]]


def test_dry_run_prints_an_estimate(large_file):
    result = run("rank", large_file, "-m", "lkr", "--dry-run", "--working-memory", "1")
    assert "passes over X" in result.stdout
    resources = rank_as_json("iris", "-m", "lkr", "--dry-run")
    assert resources["passes"] >= 2
    assert resources["operations"] > 150**2 * 4


def test_other_methods_read_data_into_memory(large_file):
    result = run("rank", large_file, "-m", "column-subset", "--working-memory", "1")
    assert result.exit_code == 0
    assert "chunks" not in result.stderr
    message = error_line("rank", large_file, "-m", "column-subset", "--dry-run")
    assert "column-subset reads all data" in message
    assert "laplacian" in message


@pytest.mark.parametrize("option", [["--dry-run"], []])
def test_large_sparse_data_needs_a_method_that_accepts_it(option, tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    pytest.importorskip("dask.array", reason="dask is not installed")
    X = sp.random_array((600, 300), density=0.9, random_state=0, format="csr")
    with h5py.File(tmp_path / "X.h5ad", "w") as file:
        group = file.create_group("X")
        group.attrs.update({"encoding-type": "csr_matrix", "shape": X.shape})
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(X, part)
        for table, size in (("obs", 600), ("var", 300)):
            file.create_group(table).attrs["_index"] = "_index"
            file[table]["_index"] = [f"{table}{i}" for i in range(size)]
        file["obs/target"] = [str(i % 3) for i in range(600)]
    path = str(tmp_path / "X.h5ad")
    message = error_line("rank", path, "-m", "relieff", "--working-memory", "1", *option)
    assert "relieff does not accept sparse data" in message
