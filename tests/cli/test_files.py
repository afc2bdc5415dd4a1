"""The files that people have, through the command."""

import json

import numpy as np
import pandas as pd
import pytest

from cli.command import error_line, rank_as_json, run
from featsieve import ConstraintScore
from featsieve.datasets import TableOptions, load


@pytest.fixture
def write(tmp_path):
    """Write a table and return its path."""

    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def values_of(path, column, **options):
    data = load(path, **options)
    return data.X[:, data.feature_names.index(column)].tolist()


def test_thousands_separators_and_decimal_commas(write):
    rows = "".join(f"{i}.123,45;{i},5;{i % 2}\n" for i in range(1, 13))
    path = write(f"price;size;target\n{rows}")
    result = run("rank", path, "-m", "variance")
    note = "Column 'price' contains decimal commas or thousands separators; '1.123,45' was read as 1123.45."
    assert f"Note: {note}\n" in result.stderr
    assert values_of(path, "price")[:2] == [1123.45, 2123.45]
    assert values_of(path, "size")[:2] == [1.5, 2.5]


@pytest.mark.parametrize(
    ("text", "value"), [("1,123.45", 1123.45), ("1 123,5", 1123.5), ("1'123.5", 1123.5), ("0,5", 0.5)]
)
def test_numbers_in_quotes(write, text, value):
    path = write("a,b\n" + "".join(f'"{text}",{i}\n' for i in range(12)))
    assert f"was read as {value}" in run("rank", path, "-m", "variance").stderr
    assert values_of(path, "a")[0] == value


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("a;b\n" + "1,234;5\n" * 12, 1.234),  # semicolons separate fields where the comma is the decimal mark
        ("a,b\n" + '"1,234",5\n' * 12, 1234),
        ("a,b,c\n" + '"1,234",5,"0,5"\n' * 12, 1.234),  # another column has decimal commas
        ("a\tb\n" + "1,234\t5.5\n" * 12, 1234),  # another column has decimal points
        ("a;b\n" + "1.234;5,5\n" * 12, 1234),
        ("a;b\n" + "1,234;5\n" * 11 + "0,1;5\n", 1.234),
    ],
)
def test_ambiguous_number_is_reported(write, content, value):
    path = write(content)
    assert values_of(path, "a")[0] == value
    notes = run("rank", path, "-m", "variance").stderr
    assert f"{value:.15g}" in notes or "decimal commas" in notes


def test_plain_numbers_have_no_note(write):
    path = write("a,b\n" + "".join(f"{i}.234,{i}\n" for i in range(12)))
    assert run("rank", path, "-m", "variance").stderr == ""
    assert values_of(path, "a")[3] == 3.234


def test_censored_values_become_their_limits(write):
    crp = ["<0.1", "> 100", "≤0.1", *(f"{i}.5" for i in range(9))]
    il6 = ["< LOD", "2", *("3456789012"), "7"][:12]
    path = write("crp,il6\n" + "".join(f"{a},{b}\n" for a, b in zip(crp, il6, strict=True)))
    result = run("rank", path, "-m", "variance")
    assert (
        "4 censored values ('< LOD', '<0.1', '> 100' and 1 more) were replaced with the limit"
        in result.stderr
    )
    assert "by column: 'crp' 3, 'il6' 1." in result.stderr
    assert values_of(path, "crp")[:3] == [0.1, 100, 0.1]
    assert values_of(path, "il6")[0] == 0  # the smallest value of the column


def test_age_groups_are_not_censored(write):
    pytest.importorskip("skrub")
    ages = ["<20", "20-40", "40-60", ">60"]
    path = write("age,b\n" + "".join(f"{ages[i % 4]},{i}\n" for i in range(20)))
    assert "Column 'age' is categorical" in run("rank", path, "-m", "variance").stderr


def test_censored_target(write):
    path = write("a,b,y\n" + "".join(f"{i},{i * i % 7},{'<0.5' if i < 2 else i / 2}\n" for i in range(24)))
    output = rank_as_json(path, "--target", "y", "-m", "pearson")
    assert output["features"][0]["feature"] == "a"
    assert any("2 censored values ('<0.5') were replaced" in note for note in output["notes"])


@pytest.fixture
def named(write):
    """Fifteen samples with names in the first column."""
    rows = "".join(f"P-{i:02}x,{i % 2 * 5 + i % 3},{i * i % 7},{i % 2}\n" for i in range(15))
    return write(f"sample,signal,noise,target\n{rows}")


def test_sample_names_are_kept(named, tmp_path):
    out = tmp_path / "out.csv"
    result = run("select", named, "-m", "fisher", "-k", 1, "-o", out)
    assert "Note: Column 'sample' contains the names of the samples and is not ranked.\n" in result.stderr
    written = pd.read_csv(out)
    assert list(written) == ["sample", "signal", "target"]
    assert written["sample"][3] == "P-03x"
    assert load(named).sample_names[3] == "P-03x"
    # the written file is understood in the same way
    assert [row["feature"] for row in rank_as_json(out)["features"]] == ["signal"]


def test_id_option(write, tmp_path):
    path = write("a,code,b\n" + "".join(f"{i},{(i * 7) % 15},{i % 4}\n" for i in range(15)))
    assert {row["feature"] for row in rank_as_json(path)["features"]} == {"a", "code", "b"}
    out = tmp_path / "out.csv"
    assert run("select", path, "--id", "code", "-m", "variance", "-k", 1, "-o", out).exit_code == 0
    assert list(pd.read_csv(out)) == ["a", "code"]
    assert "no column 'cod'. Did you mean 'code'?" in error_line("rank", path, "--id", "cod")


def test_first_column_of_dates_or_categories_is_not_a_name(write):
    pytest.importorskip("skrub")
    path = write("when,b\n" + "".join(f"2020-01-{i + 1:02},{i % 4}\n" for i in range(15)))
    assert load(path).sample_names is None
    path = write("site,b\n" + "".join(f"{'uvw'[i % 3]},{i % 4}\n" for i in range(15)))
    assert load(path).sample_names is None


GENES, SAMPLES = 80, 8


@pytest.fixture
def expression(write):
    """Genes in rows and samples in columns, with a column that describes the genes."""
    rng = np.random.default_rng(0)
    level = rng.lognormal(3, 1, (GENES, 1)) * rng.lognormal(0, 0.2, (GENES, SAMPLES))
    rows = "".join(
        f"g{i},the gene {i % 9},{','.join(f'{value:.3f}' for value in row)}\n" for i, row in enumerate(level)
    )
    header = ",".join(f"lane{i}" for i in range(SAMPLES))
    return level, header, rows, write


def test_samples_in_columns_are_noticed(expression):
    _, header, rows, write = expression
    without_text = "".join(
        ",".join(line.split(",")[:1] + line.split(",")[2:]) + "\n" for line in rows.splitlines()
    )
    path = write(f"tracking_id,{header}\n{without_text}")
    result = run("rank", path, "-m", "variance")
    assert "use --transpose." in result.stderr
    assert "'lane0', 'lane1', 'lane2' and 5 more" in result.stderr
    assert "transpose" not in run("rank", path, "-m", "variance", "--transpose").stderr


def test_ordinary_table_with_names_is_not_suspected(write):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4)) * [1, 5, 2, 1]
    rows = "".join(f"a{i}q,{','.join(f'{value:.3f}' for value in row)}\n" for i, row in enumerate(X))
    result = run("rank", write(f"who,age,height,dose,bmi\n{rows}"), "-m", "variance")
    assert "transpose" not in result.stderr


def test_transpose(expression, tmp_path):
    level, header, rows, write = expression
    classes = ",".join("AB"[i % 2] for i in range(SAMPLES))
    path = write(f"gene,description,{header}\n{rows}group,,{classes}\n")
    assert "a row with this name" in error_line("rank", path, "--target", "group")
    out = tmp_path / "out.csv"
    result = run("select", path, "--transpose", "--target", "group", "-m", "fisher", "-k", 2, "-o", out)
    assert result.exit_code == 0, result.stderr
    assert "Column 'description' contains descriptions of the features and was left out." in result.stderr
    assert f"Rows and columns were exchanged: {SAMPLES} samples" in result.stderr
    written = pd.read_csv(out)
    assert next(iter(written)) == "sample_id"
    assert written["sample_id"].tolist() == header.split(",")
    assert written["group"].tolist() == list("AB" * (SAMPLES // 2))
    data = load(path, target="group", options=TableOptions(transpose=True))
    np.testing.assert_allclose(data.X, level.T, atol=1e-3)
    assert data.feature_names[:2] == ["g0", "g1"]


def test_row_of_labels_is_noticed(expression):
    _, header, rows, write = expression
    lines = [line.split(",") for line in rows.splitlines()]
    numbers = "".join(",".join([line[0], *line[2:]]) + "\n" for line in lines)
    classes = ",".join("AB"[i % 2] for i in range(SAMPLES))
    path = write(f"gene,{header}\ngroup,{classes}\n{numbers}")
    notes = run("rank", path, "-m", "variance").stderr
    assert "use --transpose." in notes
    assert (
        f"{SAMPLES} columns ('lane0', 'lane1', 'lane2' and 5 more) contain numbers and other values" in notes
    )
    assert len(notes.splitlines()) == 4
    result = run("rank", path, "--transpose", "--target", "group", "-m", "fisher")
    assert result.exit_code == 0, result.stderr


def test_columns_that_describe_the_features(write):
    """A table of featureCounts."""
    rows = "".join(
        f"G{i}\tchr1\t{i};{i + 3}\t+\t{7 * i}\t{3 * i}\t{i % 9}\t{i * i % 7}\t{i % 4}\n" for i in range(60)
    )
    path = write(f"Geneid\tChr\tStart\tStrand\tLength\tscore\tr1.bam\tr2.bam\tr3.bam\n{rows}", "t.tsv")
    notes = run("rank", path, "-m", "variance").stderr
    assert "The samples seem to be in the columns ('score', 'r1.bam', 'r2.bam' and 1 more)" in notes
    result = run("rank", path, "-m", "variance", "--transpose", "--drop", "score,G5")
    assert (
        "4 columns ('Chr', 'Start', 'Strand' and 1 more) contain descriptions of the features"
        in result.stderr
    )
    assert "3 samples ('r1.bam', 'r2.bam', 'r3.bam'), 60 columns" in result.stderr
    assert result.stdout.startswith("t.tsv: 3 samples, 59 features.")


def test_samples_without_a_label_are_dropped(write):
    path = write("a,b,y\n" + "".join(f"{i},{i * i % 7},{'' if i in (3, 4) else i % 2}\n" for i in range(15)))
    output = rank_as_json(path, "--target", "y", "-m", "fisher")
    assert output["shape"] == [13, 2]
    assert "2 of 15 samples were dropped because their label in 'y' is missing." in output["notes"]
    assert load(path, target="y").y.tolist() == [i % 2 for i in range(15) if i not in (3, 4)]


def test_all_commands_drop_the_same_samples(write, tmp_path):
    path = write("a,b,y\n" + "".join(f"{i},{i * i % 7},{'uv'[i % 2] if i > 4 else ''}\n" for i in range(25)))
    note = "5 of 25 samples were dropped because their label in 'y' is missing."
    commands = (
        ["rank", path, "--target", "y", "-m", "constraint"],
        ["select", path, "--target", "y", "-m", "constraint", "-k", "1", "-o", tmp_path / "out.csv"],
        ["compare", path, "--target", "y", "-m", "constraint", "--repeats", "1"],
    )
    for command in commands:
        result = run(*command)
        assert result.exit_code == 0, result.stderr
        assert f"Note: {note}" in result.stderr
    assert len(pd.read_csv(tmp_path / "out.csv")) == 20
    # the method takes samples without labels, but only pairs of labels count
    data = load(path, target="y", options=TableOptions(keep_unlabeled=True))
    assert data.y.tolist()[4:6] == ["-1", "v"]
    scores = {
        row["feature"]: row["score"] for row in rank_as_json(*commands[0][1:], "--no-scale")["features"]
    }
    np.testing.assert_allclose(ConstraintScore().fit(data.X, data.y).scores_, [scores["a"], scores["b"]])


def test_several_targets(write):
    path = write(
        "a,b,c,u,v\n" + "".join(f"{i},{i * i % 7},{i % 5},{i / 3:.3f},{i * i % 11}.5\n" for i in range(30))
    )
    output = rank_as_json(path, "--target", "u, v", "-m", "l1-path")
    assert output["target"] == "u,v"
    assert {row["feature"] for row in output["features"]} == {"a", "b", "c"}
    assert rank_as_json(path, "--target", "u", "--target", "v", "-m", "l1-path") == output
    message = error_line("rank", path, "--target", "u,v", "-m", "fisher")
    assert "fisher takes one target; got 2 (u, v)" in message
    assert "compare takes one target; got 2 (u, v)" in error_line("compare", path, "--target", "u,v")


def test_survival_times_are_refused(write):
    path = write("a,b,os_time,event\n" + "".join(f"{i},{i % 4},{i * 3 % 17}.5,{i % 2}\n" for i in range(20)))
    for target in ("os_time", "os_time,event"):
        message = error_line("rank", path, "--target", target)
        assert "survival times" in message
        assert "--drop event" in message
    assert rank_as_json(path, "--target", "os_time", "--drop", "event", "-m", "pearson")["features"]
    assert rank_as_json(path, "--target", "event", "-m", "fisher")["features"]


@pytest.mark.parametrize("header", ["a,time,target,flag", "a,event,time,b", "time,status,a,b"])
def test_other_tables_are_not_survival_times(write, header):
    path = write(f"{header}\n" + "".join(f"{i},{i % 4},{i * 3 % 17}.5,{i % 2}\n" for i in range(20)))
    target = header.split(",")[2]
    assert run("rank", path, "--target", target, "-m", "variance").exit_code == 0


def test_many_integers_are_numbers_with_a_note(write):
    path = write("a,b,y\n" + "".join(f"{i},{i * i % 7},{i}\n" for i in range(40)))
    result = run("rank", path, "--target", "y", "-m", "pearson", "--json")
    assert "40 distinct values in 40 samples; pearson treats them as numbers." in result.stderr
    assert json.loads(result.stdout)["features"][0]["feature"] == "a"


@pytest.mark.parametrize("kind", ["counts", "one-hot", "frequencies"])
def test_counts_one_hot_columns_and_frequencies_have_one_unit(write, kind):
    rng = np.random.default_rng(0)
    if kind == "counts":
        X = rng.poisson(rng.lognormal(2, 2, 30), (60, 30))
    elif kind == "one-hot":
        X = np.c_[(rng.integers(0, 12, 60)[:, None] == np.arange(12)), rng.integers(0, 40, 60)[:, None] % 14]
    else:
        words = rng.poisson(rng.lognormal(-1, 1.5, 40), (60, 40)) + np.eye(60, 40)
        X = words / words.sum(axis=1, keepdims=True)
    X = np.c_[X, np.arange(60) % 2]
    header = ",".join([*(f"w{i}" for i in range(X.shape[1] - 1)), "target"])
    path = write(header + "\n" + "\n".join(",".join(f"{value:.6g}" for value in row) for row in X) + "\n")
    result = run("rank", path, "-m", "laplacian")
    assert result.exit_code == 0
    assert "--scale" not in result.stderr


def test_columns_with_different_units_are_still_noticed(write):
    path = write("age,height,smoker\n" + "".join(f"{20 + i},{1.5 + i % 7 / 20},{i % 2}\n" for i in range(40)))
    message = "The columns have different units, so they are standardized"
    assert message in run("rank", path, "-m", "laplacian").stderr


@pytest.fixture
def patients(write):
    """Samples of 16 patients; a feature names the patient, another one predicts the class."""
    rng = np.random.default_rng(0)
    lines = ["patient,who,signal,noise,target"]
    for i in range(96):
        patient = i // 6
        label = patient % 2
        values = f"{2 * label + rng.normal():.3f},{rng.normal():.3f}"
        lines.append(f"P{patient},{patient * 7 % 16},{values},{label}")
    return write("\n".join(lines) + "\n")


def test_groups_are_not_ranked_and_are_kept_together(patients, tmp_path):
    options = ["--methods", "fisher", "--repeats", "6", "--seed", "1", "--json"]
    apart = run("compare", patients, "--groups", "patient", *options)
    assert apart.exit_code == 0, apart.stderr
    output = json.loads(apart.stdout)
    assert output["protocol"]["parameters"]["n_groups"] == 16
    assert "each of the 16 groups is on one side of a split" in output["protocol"]["description"]
    assert output["data"]["n_features"] == 3
    out = tmp_path / "out.csv"
    assert run("select", patients, "--groups", "patient", "-m", "fisher", "-k", 1, "-o", out).exit_code == 0
    assert "patient" in pd.read_csv(out)


def test_number_of_features_is_chosen_across_groups(patients, tmp_path):
    out = tmp_path / "out.csv"
    result = run("select", patients, "--groups", "patient", "-o", out)
    assert result.exit_code == 0, result.stderr
    assert "who" not in pd.read_csv(out)  # it identifies patients, not the class of others


def test_groups_must_be_complete(write):
    path = write("a,b,g\n" + "".join(f"{i},{i % 4},{'' if i == 3 else i % 5}\n" for i in range(20)))
    assert "1 of the 20 groups in 'g' are missing" in error_line("rank", path, "--groups", "g")
    assert "no column 'h'" in error_line("rank", path, "--groups", "h")


def test_excel(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame(
        {"sample": [f"S{i}x" for i in range(12)], "a": range(12), "b": [i * i % 7 for i in range(12)]}
    )
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        frame.to_excel(writer, sheet_name="one", index=False)
        frame.assign(c=5.5).to_excel(writer, sheet_name="two", index=False)
    result = run("rank", tmp_path / "t.xlsx", "-m", "variance")
    assert "Using the first of 2 sheets, 'one'; choose one with --sheet" in result.stderr
    assert rank_as_json(tmp_path / "t.xlsx", "--sheet", "two", "-m", "variance")["shape"] == [12, 3]
    out = tmp_path / "out.xlsx"
    assert run("select", tmp_path / "t.xlsx", "-m", "variance", "-k", 1, "-o", out).exit_code == 0
    assert list(pd.read_excel(out)) == ["sample", "a"]


def test_annotated_cells(tmp_path):
    """Layer, embedding and labels of an .h5ad file; results in var of a copy."""
    h5py = pytest.importorskip("h5py")
    rng = np.random.default_rng(0)
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = rng.normal(size=(40, 6))
        file["layers/counts"] = rng.poisson(3, (40, 6)) + np.outer(np.arange(40) % 2, [0, 0, 9, 0, 0, 0])
        file["obsm/X_pca"] = rng.normal(size=(40, 2))
        file["obs/cell_type"] = np.arange(40) % 2
        file["obs/donor"] = np.arange(40) // 5
        file["obs/_index"] = [f"c{i}" for i in range(40)]
        file["var/_index"] = [f"g{i}" for i in range(6)]
    cells = [tmp_path / "t.h5ad", "--target", "cell_type", "-m", "fisher"]
    assert rank_as_json(*cells, "--layer", "counts")["features"][0]["feature"] == "g2"
    assert rank_as_json(*cells, "--layer", "obsm/X_pca")["shape"] == [40, 2]
    out = tmp_path / "out.h5ad"
    assert run("rank", *cells, "--layer", "counts", "--groups", "donor", "-k", 1, "-o", out).exit_code == 0
    with h5py.File(out) as file:
        assert file["X"].shape == (40, 6)
        assert file["var/featsieve_rank"][2] == 1
        assert file["var/featsieve_selected"][()].tolist() == [False, False, True, False, False, False]
    result = run("select", *cells, "--layer", "counts", "-k", 2, "-o", out, "--force")
    assert result.exit_code == 0, result.stderr
    with h5py.File(out) as file:
        assert file["layers/counts"].shape == (40, 2)
        assert b"g2" in file["var/_index"][()]
    assert "out.h5ad: all cells, 2 of 6 columns by fisher" in result.stdout
    assert "cannot be written. Supported: .csv, .h5ad" in error_line(
        "rank", *cells, "-o", tmp_path / "out.npz"
    )
