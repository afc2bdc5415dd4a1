"""The formats that people have, through the command: Zarr, sparse matrices, typed tables and workbooks."""

import datetime

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from cli.command import error_line, rank_as_json, run
from featsieve.datasets import load

N = 60
Y = np.arange(N) % 2


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_zarr(tmp_path, random):
    zarr = pytest.importorskip("zarr")
    X = random.standard_normal((N, 8))
    X[:, 5] += 4 * Y
    group = zarr.open_group(tmp_path / "t.zarr", mode="w")
    group["X"], group["y"], group["kind"] = X, Y, 1 - Y
    result = run("rank", tmp_path / "t.zarr", "-m", "fisher", "-k", "1")
    assert "Using 'y' as the labels." in result.stderr
    assert (
        rank_as_json(tmp_path / "t.zarr", "-m", "fisher", "--target", "kind")["features"][0]["feature"]
        == "x5"
    )
    out = tmp_path / "out.npz"
    assert run("select", tmp_path / "t.zarr", "-m", "fisher", "-k", "1", "-o", out).exit_code == 0
    np.testing.assert_array_equal(load(out).X, X[:, [5]])
    assert "'.zarr' and cannot be written" in error_line(
        "select", tmp_path / "t.zarr", "-o", tmp_path / "o.zarr"
    )
    array = zarr.open_array(tmp_path / "a.zarr", mode="w", shape=X.shape, dtype="f8")
    array[...] = X
    assert rank_as_json(tmp_path / "a.zarr", "-m", "variance")["features"][0]["feature"] == "x5"


@pytest.fixture
def words(random):
    """Counts of words, of which two are frequent in one class."""
    X = (random.random((N, 40)) < 0.1) * random.integers(1, 4, (N, 40))
    X[:, :2] += (random.random((N, 2)) < 0.8 * Y[:, None]) * 3
    return sp.csr_array(X.astype(float))


@pytest.mark.parametrize("ending", ["svmlight", "npz", "mat"])
def test_sparse_data_stay_sparse(words, tmp_path, ending, monkeypatch):
    path = tmp_path / f"t.{ending}"
    if ending == "svmlight":
        dump_svmlight_file(words, Y, str(path))
    elif ending == "npz":
        sp.save_npz(path, words)
    else:
        from scipy.io import savemat

        savemat(path, {"X": words, "Y": Y})
    assert sp.issparse(load(path).X)
    monkeypatch.setattr("featsieve.evaluation.data.densify_small", lambda X: X)  # as for large data
    result = run("rank", path, "-m", "laplacian", "-k", "1")
    assert result.exit_code == 0, result.stderr
    assert "different units" not in result.stderr
    out = tmp_path / "out.mat"
    assert run("select", path, "-m", "variance", "-k", "3", "-o", out).exit_code == 0
    assert sp.issparse(load(out).X)
    if ending != "npz":  # which has no labels
        best = rank_as_json(path, "-m", "chi-square")["features"][:2]
        assert {row["feature"] for row in best} == {"x0", "x1"}


def test_types_of_parquet(tmp_path, random):
    pytest.importorskip("pyarrow")
    pytest.importorskip("skrub")
    frame = pd.DataFrame({"signal": random.standard_normal(N) + 3 * Y, "noise": random.standard_normal(N)})
    frame["kind"] = pd.Categorical(np.where(random.random(N) < 0.5, "u", "w"))
    frame["flag"] = pd.array([None if i % 9 == 0 else i % 3 == 0 for i in range(N)], dtype="boolean")
    frame["when"] = pd.date_range("2020-01-01", periods=N, freq="h")
    frame["count"] = pd.array([None if i % 7 == 0 else i * 5 % 11 for i in range(N)], dtype="Int64")
    frame["diagnosis"] = pd.Categorical(np.where(Y, "ill", "well"))
    frame.to_parquet(tmp_path / "t.parquet")
    output = rank_as_json(tmp_path / "t.parquet", "--target", "diagnosis", "-m", "fisher")
    assert output["features"][0]["feature"] == "signal"
    assert {row["feature"] for row in output["features"]} == {*frame.columns} - {"diagnosis"}
    notes = " ".join(output["notes"])
    assert "Column 'kind' is categorical" in notes
    assert "Column 'when' contains dates" in notes
    assert "missing values in 2 columns ('flag', 'count') were replaced with medians" in notes
    out = tmp_path / "out.parquet"
    arguments = [
        "select",
        tmp_path / "t.parquet",
        "--target",
        "diagnosis",
        "-m",
        "fisher",
        "-k",
        "3",
        "-o",
        out,
    ]
    assert run(*arguments).exit_code == 0
    written = pd.read_parquet(out)
    pd.testing.assert_frame_equal(written, frame[list(written)])


def test_workbook_with_a_title_dates_and_censored_values(tmp_path, random):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("skrub")
    book = openpyxl.Workbook()
    book.active.title = "about"
    book.active["A1"] = "Please read"
    sheet = book.create_sheet("Data 2023")
    sheet["A1"] = "Results of the study"
    sheet.merge_cells("A1:E1")
    sheet.append([])
    sheet.append(["Sample ID", "Date", "Marker A", "Marker B", "Outcome"])
    for i in range(N):
        marker = "<0.1" if i % 10 == 0 else 1 + random.random()
        day = datetime.datetime(2023, 1, 1 + i % 28)
        sheet.append([f"S-{i:03}", day, 3 * Y[i] + random.random(), marker, "ill" if Y[i] else "well"])
    book.save(tmp_path / "study.xlsx")
    assert "choose one with --sheet ('about', 'Data 2023')" in error_line("rank", tmp_path / "study.xlsx")
    arguments = [tmp_path / "study.xlsx", "--sheet", "Data 2023", "--target", "Outcome", "-m", "fisher"]
    output = rank_as_json(*arguments)
    assert output["features"][0]["feature"] == "Marker A"
    assert {row["feature"] for row in output["features"]} == {"Date", "Marker A", "Marker B"}
    notes = " ".join(output["notes"])
    assert "The first row ('Results of the study') is not part of the table" in notes
    assert "Column 'Sample ID' contains the names of the samples" in notes
    assert "6 censored values ('<0.1') were replaced" in notes
    out = tmp_path / "out.xlsx"
    assert run("select", *arguments, "-k", "1", "-o", out).exit_code == 0
    assert list(pd.read_excel(out)) == ["Sample ID", "Marker A", "Outcome"]


def test_texts_between_numeric_labels(tmp_path):
    labels = [*(f"{i / 2}" for i in range(40)), "n.d.", "pending"]
    rows = "".join(f"{i * i % 13},{i % 7},{label}\n" for i, label in enumerate(labels))
    (tmp_path / "t.csv").write_text(f"a,b,y\n{rows}")
    result = run("rank", tmp_path / "t.csv", "--target", "y", "-m", "pearson")
    assert "Column 'y' contains numbers and 2 other values ('n.d.', 'pending')" in result.stderr
    assert "2 of 42 samples were dropped because their label in 'y' is missing." in result.stderr
    assert load(tmp_path / "t.csv", target="y").y.tolist() == [i / 2 for i in range(40)]


def test_spaces_around_texts(tmp_path):
    pytest.importorskip("skrub")
    rows = "".join(
        f"{i * i % 7},{'uv'[i % 2]}{' ' * (i % 3)},{'ab'[i // 2 % 2]}{' ' * (i % 5)}\n" for i in range(30)
    )
    (tmp_path / "t.csv").write_text(f"a,kind,y\n{rows}")
    data = load(tmp_path / "t.csv", target="y")
    assert set(data.y) == {"a", "b"}
    assert data.feature_names == ["a", "kind_v"]


def test_numbers_with_units_are_noted(tmp_path):
    pytest.importorskip("skrub")
    rows = "".join(f"{i},{i * 7 % 60}.5%,{i * 3 % 50} mg,word {i % 55} of many\n" for i in range(60))
    (tmp_path / "t.csv").write_text(f"a,share,dose,text\n1,unknown,0 mg,word\n{rows}")
    notes = run("rank", tmp_path / "t.csv", "-m", "variance").stderr
    assert "2 columns ('share', 'dose') contain numbers with units, such as '0.5%'; delete the units" in notes


def test_row_of_labels_above_a_wide_table_of_proteins(tmp_path, random):
    values = random.standard_normal((80, N)).round(3).astype(str)
    table = [
        ["Response", *np.where(Y, "yes", "no")],
        *([f"Q{i:05};P1", *row] for i, row in enumerate(values)),
    ]
    lines = [["Protein IDs", *(f"P{i:02}_T" for i in range(N))], *table]
    (tmp_path / "t.csv").write_text("\n".join(",".join(line) for line in lines) + "\n")
    assert "use --transpose." in run("rank", tmp_path / "t.csv", "-m", "variance").stderr
    arguments = [tmp_path / "t.csv", "--transpose", "--target", "Response", "-m", "fisher"]
    assert rank_as_json(*arguments)["shape"] == [N, 80]
