"""``featsieve compare``: the answer, for people and for programs; mistakes in one line."""

import json
import re

import numpy as np
import pytest
from scipy.io import savemat
from typer.testing import CliRunner

from featsieve.cli.app import app
from featsieve.evaluation import Comparison
from featsieve.evaluation.protocols import PROTOCOLS

QUICK = ["--methods", "fisher,mcfs,mcfs+labels", "--repeats", "2", "--jobs", "2"]


def run(*arguments):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


@pytest.fixture
def table(tmp_path):
    """A table with a column of text, gaps, and a target."""
    random = np.random.default_rng(0)
    label = np.arange(60) % 2
    noise = [f"noise{index}" for index in range(9)]
    lines = [f"size,weight,color,{','.join(noise)},kind"]
    for each in label:
        weight = "" if random.random() < 0.1 else f"{random.normal():.3f}"
        values = [f"{random.normal() + 3 * each:.3f}", weight, random.choice(["red", "blue", "green"])]
        values += [f"{random.normal():.3f}" for _ in noise]
        lines.append(",".join([*values, "ab"[each]]))
    path = tmp_path / "things.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def iris_table():
    result = run("iris", *QUICK)
    assert result.exit_code == 0, result.stderr
    return result


def test_table_and_conclusion(iris_table):
    lines = iris_table.stdout.splitlines()
    assert lines[0].startswith(
        "iris: 150 samples, 4 features, 3 classes. 2 random splits, 50% of the samples of each class"
    )
    rows = {line.split()[0]: line for line in lines if re.match(r" ?(random|variance|fisher|mcfs)", line)}
    assert set(rows) == {"random", "variance", "fisher", "mcfs", "mcfs+labels"}
    assert "the reference" in rows["random"]
    assert any(line.startswith("Score: the mean of the following measures, in %, on held-") for line in lines)
    measures = ("1-NN accuracy", "nearest class mean accuracy", "linear classifier accuracy")
    assert all(any(line.startswith(f"  {name}: share of samples") for line in lines) for name in measures)
    assert any(
        re.match(r"For comparison, all 4 features: \d\d\.\d%; always guessing", line) for line in lines
    )
    assert lines[-1].startswith("No recommendation. 2 splits: too few for a verdict.")


def test_the_table_fits_80_columns(iris_table):
    lines = iris_table.stdout.splitlines()
    start, end = (next(i for i, line in enumerate(lines) if line.startswith(s)) for s in ("Method", "Score:"))
    assert end - start == 8  # heading, rule, five methods and an empty line
    assert max(map(len, lines[start:end])) <= 80


def test_json_store_and_resume_with_text_and_missing_values(table, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["/bin/featsieve", "compare", "table.csv"])
    store = tmp_path / "results.sqlite"
    arguments = [table, "--target", "kind", "-m", "fisher", "--repeats", "5", "--json", "--store", store]
    first = run(*arguments)
    assert first.exit_code == 0, first.stderr
    output = json.loads(first.stdout)
    assert output["recommendation"]["method"] in ("fisher", "variance")  # with the same features
    assert output["recommendation"]["features"][0]["name"] == "size"
    assert set(output["curves"]["nn"]) == {"random", "all", "variance", "fisher"}
    assert len(output["curves"]["nn"]["fisher"]) == len(output["sizes"])
    assert output["top_features"]["fisher"][0] == "size"
    # names of columns of the table, not of the three features derived from the color
    assert set(output["top_features"]["variance"]) <= {
        "size",
        "weight",
        "color",
        *(f"noise{i}" for i in range(9)),
    }
    assert output["data"]["class_counts"] == {"a": 30, "b": 30}
    assert re.search(r"missing values in .*weight", first.stderr)
    assert {row["method"] for row in output["methods"]} == {"random", "variance", "fisher"}
    assert all(row["verdict"] for row in output["table"])
    comparison = Comparison.read(store)
    assert comparison.run_id == output["run"]
    assert "color" in comparison.ranking().index
    assert len(comparison.ranking()) == 12 < output["data"]["n_features"]
    assert comparison.info["impute"]
    assert comparison.info["command"] == "featsieve compare table.csv"
    again = run(*arguments)
    assert json.loads(again.stdout) == output
    assert Comparison.read(store).cells == comparison.cells


def test_title_counts_columns_and_features(table):
    result = run(table, "--target", "kind", "-m", "fisher", "--repeats", "2")
    assert result.stdout.startswith("things.csv: 60 samples, 12 columns as 14 features, 2 classes.")


def test_published_splits_and_rows(tmp_path):
    random = np.random.default_rng(0)
    savemat(
        tmp_path / "faces.mat", {"X": random.integers(255, size=(40, 9)), "Y": np.arange(40)[:, None] % 2}
    )
    order = np.array([random.permutation(40) + 1 for _ in range(3)])
    savemat(tmp_path / "splits.mat", {"trainIdx": order[:, :30], "testIdx": order[:, 30:]})
    result = run(tmp_path / "faces.mat", "-m", "fisher", "--protocol", tmp_path / "splits.mat", "--json")
    assert result.exit_code == 0, result.stderr
    output = json.loads(result.stdout)
    assert output["protocol"]["n_splits"] == 3
    assert not output["scale"]
    result = run(
        tmp_path / "faces.mat", "-m", "fisher", "--repeats", "2", "--rows", "20", "--json", "--scale"
    )
    output = json.loads(result.stdout)
    assert output["data"]["n_samples"] == 20
    assert output["scale"]
    assert "20 of the 40 samples were drawn at random" in result.stderr


def test_clustering_reports_that_no_samples_are_held_out():
    result = run("iris", "-m", "fisher", "--protocol", "clustering", "--repeats", "2")
    assert result.exit_code == 0, result.stderr
    assert "No samples are held out" in result.stdout
    assert "have already seen the test labels" in result.stdout


def test_report_option_writes_a_report(tmp_path):
    pytest.importorskip("plotly")
    pytest.importorskip("jinja2")
    result = run("iris", *QUICK, "--report", tmp_path / "report.html")
    assert result.exit_code == 0, result.stderr
    assert "mcfs+labels" in (tmp_path / "report.html").read_text()
    assert "Report written to" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["irs"], "irs"),
        (["iris", "-m", "fischer"], "unknown method 'fischer'. Did you mean fisher"),
        (["iris", "-m", ","], "must name at least one method"),
        (["iris", "--protocol", "fold"], "folds"),
        (["iris", "--protocol", "none.mat"], "no such file as"),
        (["iris", "--target", "color"], "color"),
        (["iris", "--store", "/no/such/folder/s.sqlite"], "no folder"),
        (["iris", "--report", "/no/such/folder/r.html"], "folder does not exist"),
        (["iris", "--report", "."], "is a folder"),
        (["iris", "--image-shape", "3x3"], "with 9 pixels"),
        (["iris", "--store", "."], "must be a file; got a folder"),
        (["iris", "--target-type", "num"], "--target-type must be one of auto, numeric, classes; got num"),
        (["iris", "--report", "r.csv"], "must end with .html or .htm; got r.csv"),
        (["iris", "--timeout", "0"], "timeout"),
        (["iris", "--repeats", "0"], "--repeats"),
        (["iris", "--jobs", "0"], "n_jobs"),
    ],
)
def test_errors_are_one_line(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert message in last


@pytest.mark.parametrize("as_json", [False, True])
def test_failures_are_listed(as_json, tmp_path):
    table = "\n".join(f"{i % 7},{-i},{'ab'[i % 2]}" for i in range(30))
    (tmp_path / "t.csv").write_text(f"u,v,kind\n{table}\n")
    arguments = [tmp_path / "t.csv", "--target", "kind", "-m", "chi-square", "--repeats", "2", "--no-scale"]
    result = run(*arguments, *(["--json"] if as_json else []))
    assert result.exit_code == 0, result.stderr
    if as_json:
        failures = json.loads(result.stdout)["failures"]
        assert [each["split"] for each in failures] == [-1, 0, 1]
        assert all(each["status"] == "failed" and "MinMaxScaler" in each["error"] for each in failures)
    else:
        pattern = r"Did not finish: chi-square on 2 of 2 splits \(.*MinMaxScaler.*[^.]\)"
        assert re.search(pattern, result.stdout)


@pytest.mark.parametrize("methods", ["chi-square", "diverse:supervised-column-subset,diverse:fisher"])
def test_long_labels_and_errors_fit_80_columns(methods, tmp_path):
    random = np.random.default_rng(0)
    values = random.standard_normal((40, 300)) + 1e-3
    rows = "".join(",".join([*(f"{v:.4f}" for v in row), "ab"[i % 2]]) + "\n" for i, row in enumerate(values))
    (tmp_path / "t.csv").write_text(",".join([*(f"x{i}" for i in range(300)), "kind"]) + "\n" + rows)
    lines = run(tmp_path / "t.csv", "--target", "kind", "-m", methods, "--repeats", "5").stdout.splitlines()
    start, end = (next(i for i, line in enumerate(lines) if line.startswith(s)) for s in ("Method", "Score:"))
    assert max(map(len, lines[start:end])) <= 80
    assert methods[:20] in "".join(lines[start:end])


def test_exit_code_if_no_method_finished(tmp_path):
    arguments = ["iris", "-m", "fisher", "--repeats", "1", "--timeout", "0.000001"]
    result = run(*arguments, "--report", tmp_path / "r.html")
    assert result.exit_code == 1
    assert "No recommendation. No method finished." in result.stdout
    assert "clearly better" not in result.stdout
    assert (tmp_path / "r.html").is_file()
    assert run(*arguments, "--json").exit_code == 1


def test_full_disk_is_one_line(monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device", "data.joblib")

    monkeypatch.setattr("joblib.dump", full)
    result = run("iris", "-m", "fisher", "--repeats", "1")
    assert result.exit_code == 1
    assert result.stderr.strip() == "Error: No space left on device: data.joblib."


def test_results_are_printed_before_the_report_is_written(monkeypatch, tmp_path):
    def full(*arguments, **options):
        raise ValueError("path='r.html' cannot be written: No space left on device.")

    monkeypatch.setattr("featsieve.report.write_report", full)
    result = run("iris", "-m", "fisher", "--repeats", "1", "--report", tmp_path / "r.html", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["methods"]


def test_help_has_examples():
    text = run("--help").stdout
    assert "featsieve compare breast_cancer --report report.html" in text


def test_help_names_every_protocol():
    assert set(PROTOCOLS) <= set(re.findall(r"[a-z]+(?= \()", " ".join(run("--help").stdout.split())))
