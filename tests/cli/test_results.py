"""The recommendation of ``compare``: its command writes exactly the recommended columns."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from cli.command import run
from featsieve.datasets import load
from featsieve.evaluation import Comparison

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


@pytest.mark.parametrize("make", [classes, numbers, integers_as_classes, unlabeled, mixed, sparse])
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
    if output.endswith((".mat", ".npy")):
        whole, part = load(arguments[0]).table.values, load(output).table.values
        indices = sorted(int(name[1:]) for name in names)
        np.testing.assert_array_equal(sp.csr_array(part).toarray(), sp.csr_array(whole[:, indices]).toarray())
    else:
        assert sorted(written) == sorted(names)
    assert Comparison.read("s.sqlite").recommend().command == advice["command"]


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


@pytest.mark.parametrize("label", ["spfs+labels", "diverse:laplacian", "fisher+labels", "auto+labels"])
def test_labels_of_compare_are_accepted(label, tmp_path):
    result = run("rank", "iris", "-m", label)
    assert result.exit_code == 0, result.stderr
    assert run("select", "iris", "-m", label, "-k", "2", "-o", tmp_path / "o.csv").exit_code == 0
    assert "remove '+labels'" in run("rank", "iris", "-m", "laplacian+labels").stderr
