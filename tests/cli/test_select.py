"""``featsieve select``: the file, the JSON and errors."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.preprocessing import StandardScaler

import featsieve
from cli.command import error_line, rank_as_json, run
from featsieve.datasets import load


def test_best_columns_are_written_in_file_order(tmp_path):
    out = tmp_path / "small.csv"
    result = run("select", "wine", "--method", "fisher", "--top", "4", "-o", out)
    assert result.exit_code == 0
    data = load("wine")
    best = featsieve.FisherScore(n_features_to_select=4).fit(data.X, data.y)
    names = [data.feature_names[index] for index in np.flatnonzero(best.get_support())]
    back = load(out)
    assert back.feature_names == names
    np.testing.assert_array_equal(back.X, data.X[:, best.get_support()])
    assert back.y.tolist() == data.y.tolist()
    expected = f"{out}: 178 samples, 4 of 13 columns by fisher (labels: target): {', '.join(names)}\n"
    assert result.stdout == expected
    assert result.stderr == ""


@pytest.mark.parametrize("name", ["trace-ratio", "spfs", "mcfs+labels"])
def test_a_requested_method_selects_the_first_columns_of_its_ranking(tmp_path, name):
    run("select", "wine", "--method", name, "--top", "3", "-o", tmp_path / "out.csv")
    ranked = rank_as_json("wine", "--method", name, "--top", "3")["features"]
    assert set(load(tmp_path / "out.csv").feature_names) == {row["feature"] for row in ranked}


@pytest.mark.parametrize("arguments", [["-m", "fisher"], ["-m", "variance"], []])
def test_the_number_of_columns_is_chosen_on_held_out_samples(tmp_path, arguments):
    out = tmp_path / "small.csv"
    assert run("select", "wine", *arguments, "-o", out).exit_code == 0
    data = load("wine")
    method = featsieve.get_method(arguments[-1] if arguments else "auto")
    X = data.X if method.name == "variance" else StandardScaler().fit_transform(data.X)
    expected = method.make(n_features_to_select="auto").fit(X, data.y)
    assert 1 < expected.n_features_ < 13
    assert load(out).feature_names == [data.feature_names[i] for i in expected.get_support(indices=True)]


def test_the_default_method_explains_its_choice(tmp_path):
    out = tmp_path / "small.csv"
    written, report = run("select", "wine", "-k", "3", "-o", out).stdout.splitlines()
    data = load("wine")
    assert written.startswith(f"{out}: 178 samples, 3 of 13 columns by auto+labels (labels: target): ")
    assert report == featsieve.select(StandardScaler().fit_transform(data.X), data.y, 3).report_


@pytest.mark.filterwarnings("default:The chosen features predict")
def test_noise_is_reported(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "noise.npz", X=rng.standard_normal((80, 6)), y=np.arange(80) % 2)
    result = run("select", tmp_path / "noise.npz", "-o", tmp_path / "small.npz")
    assert "no better than with permuted labels" in " ".join(result.stderr.split())
    assert load(tmp_path / "small.npz").X.shape[1] == 1


def test_json(tmp_path):
    out = tmp_path / "small.npz"
    result = run("select", "wine", "--method", "fisher", "--top", "2", "-o", out, "--json")
    output = json.loads(result.stdout)
    assert output["output"] == str(out)
    assert output["best_first"] == ["flavanoids", "proline"]
    assert output["columns"] == ["flavanoids", "proline"]
    assert output["data"] == "wine"


@pytest.fixture
def messy(tmp_path):
    """A table with text and missing values, in which the text determines the class."""
    pytest.importorskip("skrub")
    frame = pd.DataFrame(
        {
            "id": np.arange(60),
            "noise": [(i * 7) % 11 for i in range(60)],
            "kind": ["uvw"[i % 3] for i in range(60)],
            "gap": [None if i == 5 else (i * 5) % 13 for i in range(60)],
            "label": [["yes", "no"][i % 3 == 1] for i in range(60)],
        }
    )
    frame.to_csv(tmp_path / "messy.csv", index=False)
    return tmp_path / "messy.csv"


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff"])
def test_columns_are_written_unconverted(messy, tmp_path, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"small.{ending}"
    result = run("select", messy, "--target", "label", "--method", "fisher", "--top", "1", "-o", out)
    assert result.exit_code == 0, result.stderr
    assert "Note: Column 'id' contains the names of the samples and is not ranked.\n" in result.stderr
    table = load(out, target="label").table.values
    assert list(table.columns) == ["id", "kind", "label"]
    assert table["kind"].tolist() == ["uvw"[i % 3] for i in range(60)]


def test_npy_output_notes_that_labels_are_missing(tmp_path):
    result = run("select", "iris", "--top", "2", "-o", tmp_path / "small.npy")
    assert "Note: small.npy contains no labels" in result.stderr
    assert np.load(tmp_path / "small.npy").shape == (150, 2)


def test_written_images_can_be_read_again(data_dir, tmp_path):
    run(
        "select",
        data_dir / "Yale_32x32.mat",
        "--method",
        "variance",
        "--top",
        "100",
        "-o",
        tmp_path / "small.mat",
    )
    back = load(tmp_path / "small.mat")
    whole = load(data_dir / "Yale_32x32.mat")
    columns = [int(name[1:]) for name in back.feature_names]
    assert back.X.dtype == np.uint8
    np.testing.assert_array_equal(back.X, whole.X[:, columns])
    np.testing.assert_array_equal(back.y, whole.y)


def test_errors_leave_files_unchanged(messy, tmp_path):
    out = tmp_path / "out.csv"
    assert "--top must be at most 3, the number of columns of messy.csv; got 9" in error_line(
        "select", messy, "--target", "label", "--top", "9", "-o", out
    )
    assert "cannot be written. Supported: .arff, .csv" in error_line(
        "select", "iris", "--top", "2", "-o", tmp_path / "out.xls"
    )
    assert "comes from: choose another name" in error_line(
        "select", messy, "--top", "1", "-o", messy, "--force"
    )
    assert "unknown method 'fishr'. Did you mean fisher" in error_line(
        "select", "iris", "-m", "fishr", "--top", "1", "-o", out
    )
    out.write_text("precious")
    assert "already exists" in error_line("select", "iris", "--top", "1", "-o", out)
    assert out.read_text() == "precious"
    assert run("select", "iris", "--top", "1", "-o", out, "--force").exit_code == 0
    assert sorted(os.listdir(tmp_path)) == ["messy.csv", "out.csv"]


def test_output_is_checked_before_fitting(tmp_path, monkeypatch):
    monkeypatch.setattr(featsieve.LaplacianScore, "fit", lambda *_: pytest.fail("it was fitted"))
    (tmp_path / "out.csv").write_text("precious")
    error_line("select", "iris", "--top", "1", "-o", tmp_path / "out.csv")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent differently on Windows")
def test_interrupt_leaves_no_partial_file(tmp_path):
    code = (
        "import sys, time, pandas; from featsieve.cli import main;"
        "pandas.DataFrame.to_csv = lambda self, handle, **o: (handle.write('half'), handle.flush(),"
        " print('writing', flush=True), time.sleep(60));"
        "sys.argv = ['featsieve', 'select', 'iris', '--top', '2', '-o', 'out.csv']; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout.readline() == "writing\n"
        assert len(os.listdir(tmp_path)) == 1
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout, stderr) == (130, "", "")
    assert os.listdir(tmp_path) == []


def test_large_files_are_read_in_chunks(tmp_path):
    pytest.importorskip("dask.array", reason="dask is not installed")
    X = np.random.default_rng(0).standard_normal((3000, 60)) * np.arange(1, 61)
    np.save(tmp_path / "large.npy", X)
    options = ("-m", "variance", "--working-memory", "1", "-o", tmp_path / "small.npy")
    with sklearn.config_context():
        assert "--top must be given" in error_line("select", tmp_path / "large.npy", *options)
        assert run("select", tmp_path / "large.npy", *options, "--top", "5").exit_code == 0
    assert np.array_equal(np.load(tmp_path / "small.npy"), X[:, 55:])
