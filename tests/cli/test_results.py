"""The recommendation of ``compare``: its command writes exactly the recommended columns."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from cli.command import run
from featsieve import get_method
from featsieve.datasets import load
from featsieve.evaluation import Comparison
from featsieve.evaluation.candidates import choose_candidates, find_candidate

N = 160


@pytest.fixture
def random():
    return np.random.default_rng(0)


def classes(folder, random):
    y = np.arange(N) % 3
    X = random.standard_normal((N, 24)) * random.choice([1, 50], 24)
    X[:, :4] += 2 * np.eye(4)[y] * np.abs(X[:, :4]).max(axis=0)
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(24)])
    frame.assign(kind=np.array(["a", "b", "c"])[y]).to_csv(folder / "t.csv", index=False)
    return ["t.csv", "--target", "kind", "-m", "diverse:fisher,mcfs+labels"]


def numbers(folder, random):
    X = random.standard_normal((N, 12))
    frame = pd.DataFrame(X, columns=list("abcdefghijkl")).assign(y=X[:, 2] + X[:, 5] + X[:, 7])
    frame.to_csv(folder / "t.csv", index=False)
    return ["t.csv", "--target", "y", "-m", "pearson", "--drop", "l"]


def integers_as_classes(folder, random):
    y = np.arange(N) % 40
    X = random.standard_normal((N, 12)) + 4 * (np.arange(12) < 3) * random.standard_normal((40, 12))[y]
    pd.DataFrame(X).assign(y=y).to_csv(folder / "t.csv", index=False)
    return ["t.csv", "--target", "y", "-m", "l1-path", "--target-type", "classes"]


def unlabeled(folder, random):
    factors = random.standard_normal((N, 3))
    X = np.hstack([factors + 0.1 * random.standard_normal((N, 3)) for _ in range(4)])
    np.save(folder / "t.npy", np.hstack([X, 0.3 * random.standard_normal((N, 20))]))
    return ["t.npy", "-m", "column-subset"]


def mixed(folder, random):
    pytest.importorskip("skrub")
    y = np.arange(N) % 2
    frame = pd.DataFrame(random.standard_normal((N, 15)), columns=[f"n{i}" for i in range(15)])
    frame["size"] = 3 * y + random.standard_normal(N)
    frame.loc[random.random(N) < 0.1, "size"] = np.nan
    frame["color"] = np.where(random.random(N) < 0.9, np.array(["red", "blue"])[y], "green")
    frame.assign(kind=y).to_csv(folder / "t.csv", index=False)
    return ["t.csv", "--target", "kind", "-m", "fisher", "--scale"]


def sparse(folder, random):
    X = sp.random_array((N, 60), density=0.1, random_state=random, format="lil")
    y = np.arange(N) % 2
    X[:, :3] = (random.random((N, 3)) < 0.1 + 0.7 * y[:, None]) * 1.0
    scipy.io.savemat(folder / "t.mat", {"X": sp.csc_array(X), "Y": y})
    return ["t.mat", "-m", "chi-square"]


def odd_names(folder, random):
    y = np.arange(N) % 2
    names = ["it's", "-k", "a b", "x,y", "gène β", "--top", 'say "hi"', "$HOME `ls`"]
    frame = pd.DataFrame(random.standard_normal((N, 8)), columns=names)
    frame.insert(0, "-target", np.where(y, "ill", "well"))
    frame.iloc[:, [2, 3, 5]] += 2 * y[:, None]
    frame.to_csv(folder / "my file.csv", index=False)
    return ["my file.csv", "--target", "-target", "-m", "mrmr", "--drop", 'say "hi"', "--drop", "x,y"]


def samples_in_columns(folder, random):
    frame = pd.DataFrame(random.standard_normal((30, N)), columns=[f"S{i}" for i in range(N)])
    frame.iloc[:3] += 2 * (np.arange(N) % 2)
    frame.insert(0, "gene_id", [f"gene{i}" for i in range(30)])
    labels = pd.DataFrame([["kind", *("uv"[i % 2] for i in range(N))]], columns=frame.columns)
    pd.concat([labels, frame]).to_csv(folder / "t.tsv", sep="\t", index=False)
    return ["t.tsv", "--target", "kind", "--transpose", "-m", "relieff"]


def words(folder, random):
    X = (random.random((N, 50)) < 0.05) * random.integers(1, 5, (N, 50))
    y = np.arange(N) % 2
    X[:, :3] += (random.random((N, 3)) < 0.7 * y[:, None]) * 2
    dump_svmlight_file(sp.csr_array(X), y, str(folder / "t.svmlight"))
    return ["t.svmlight", "-m", "information-gain"]


def workbook(folder, random):
    pytest.importorskip("openpyxl")
    y = np.arange(N) % 2
    frame = pd.DataFrame(
        random.standard_normal((N, 6)) + y[:, None] * [2, 1, 1, 0, 0, 0], columns=list("abcdef")
    )
    with pd.ExcelWriter(folder / "t.xlsx") as writer:
        pd.DataFrame({"read me": ["please"]}).to_excel(writer, sheet_name="about", index=False)
        frame.assign(kind=y).to_excel(writer, sheet_name="all data", index=False, startrow=2)
        writer.sheets["all data"]["A1"] = "Results of the study"
    return ["t.xlsx", "--target", "kind", "--sheet", "all data", "-m", "fisher"]


def cells(folder, random):
    h5py = pytest.importorskip("h5py")
    y = np.arange(N) % 2
    with h5py.File(folder / "t.h5ad", "w") as file:
        file["X"] = random.standard_normal((N, 20))
        file["layers/counts"] = random.poisson(3 + 6 * np.outer(y, np.arange(20) < 3))
        file["obs/kind"], file["obs/donor"] = y, np.arange(N) // 8
        file["obs/_index"] = [f"c{i}" for i in range(N)]
        file["var/_index"] = [f"g{i}" for i in range(20)]
    return ["t.h5ad", "--target", "kind", "--layer", "counts", "--groups", "donor", "-m", "chi-square"]


def store(folder, random):
    zarr = pytest.importorskip("zarr")
    y = np.arange(N) % 2
    group = zarr.open_group(folder / "t.zarr", mode="w")
    group["X"], group["y"] = random.standard_normal((N, 20)) + 2 * np.outer(y, np.arange(20) < 3), y
    return ["t.zarr", "-m", "fisher"]


MAKERS = (classes, numbers, integers_as_classes, unlabeled, mixed, sparse)
MAKERS += (odd_names, samples_in_columns, words, workbook, cells, store)


@pytest.mark.parametrize("make", MAKERS)
def test_the_printed_command_writes_the_recommended_columns(make, random, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = make(tmp_path, random)
    result = run("compare", *arguments, "--json", "--repeats", "6", "--rows", "150", "--store", "s.sqlite")
    assert result.exit_code == 0, result.stderr
    advice = json.loads(result.stdout)["recommendation"]
    names = [feature["name"] for feature in advice["features"]]
    assert 0 < len(names) == advice["n_features"]
    program, *selection = shlex.split(advice["command"])
    assert program == "featsieve"
    selected = run(*selection)
    assert selected.exit_code == 0, selected.stderr
    output = selection[selection.index("-o") + 1]
    target = arguments[2] if "--target" in arguments else None
    written = load(output, target=target).columns
    # a matrix file does not store the names of the columns
    if output.endswith((".mat", ".npy", ".svmlight")):
        whole, part = load(arguments[0]).table.values, load(output).table.values
        indices = sorted(int(name[1:]) for name in names)
        np.testing.assert_array_equal(sp.csr_array(part).toarray(), sp.csr_array(whole[:, indices]).toarray())
    else:
        assert sorted(written) == sorted(names)
    assert Comparison.read("s.sqlite").recommend().command == advice["command"]


def test_json_without_a_recommendation(tmp_path):
    noise = np.random.default_rng(0).standard_normal((60, 5))
    np.savez(tmp_path / "t.npz", X=noise, y=np.arange(60) % 2)
    result = run("compare", tmp_path / "t.npz", "-m", "fisher", "--repeats", "5", "--json")
    output = json.loads(result.stdout)
    assert output["recommendation"] is None
    assert "clearly better than random selection" in output["reason"]


def test_rank_writes_the_ranking_to_a_file(tmp_path):
    out = tmp_path / "ranking.csv"
    result = run("rank", "wine", "-m", "fisher", "--top", "2", "-o", out)
    assert "13 columns" in result.stderr
    table = pd.read_csv(out)
    assert table["rank"].tolist() == list(range(1, 14))
    assert table["feature"].tolist()[0] == "flavanoids"
    assert "already exists" in run("rank", "wine", "-o", out).stderr
    assert run("rank", "wine", "-o", out, "--force").exit_code == 0
    assert "Supported: .csv, .h5ad" in run("rank", "wine", "-o", tmp_path / "r.json").stderr


def test_every_label_of_compare_names_a_method():
    for candidate in choose_candidates(None, True):
        if candidate.estimator is not None:
            named = find_candidate(candidate.label)
            assert (named.label, named.uses_labels) == (candidate.label, candidate.uses_labels)
            assert type(get_method(candidate.label).make()) is type(named.estimator)


@pytest.mark.parametrize("label", ["spfs+labels", "diverse:laplacian", "fisher+labels", "auto+labels"])
def test_labels_of_compare_are_accepted(label, tmp_path):
    result = run("rank", "iris", "-m", label)
    assert result.exit_code == 0, result.stderr
    assert run("select", "iris", "-m", label, "-k", "2", "-o", tmp_path / "o.csv").exit_code == 0
    assert "remove '+labels'" in run("rank", "iris", "-m", "laplacian+labels").stderr
