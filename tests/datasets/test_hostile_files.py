"""Damaged and unusual files: an error of one line or a correct table, nothing else."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from fuzz.corpus import FORMATS, X, sample, samples
from fuzz.judge import outcome
from typer.testing import CliRunner

from featsieve.cli.app import app
from featsieve.datasets.formats import all_formats, extensions


def write(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# Ending -> name of a valid file: the first of each format, a compressed one, and one of MATLAB 7.3.
VALID = {samples(name)[0].ending: samples(name)[0].name for name in FORMATS}
VALID |= {".csv.gz": "csv-numbers-gz", ".73.mat": "mat-73dense"}
READERS = {suffix: record.read for record in all_formats() for suffix in record.extensions}
PLAIN_TEXT = [ending for ending, name in VALID.items() if sample(name).layers[0].text]
STABLE = [ending for ending in VALID if Path(ending).suffix not in extensions(fragile=True)]


@pytest.mark.parametrize("ending", VALID)
def test_valid_files_are_read(tmp_path, ending):
    data = outcome(write(tmp_path / f"t{ending}", sample(VALID[ending]).content))
    values = data.X.toarray() if sp.issparse(data.X) else data.X
    np.testing.assert_array_equal(values[:, :5], X)


@pytest.mark.parametrize("ending", VALID)
def test_truncated_anywhere(tmp_path, ending):
    content = sample(VALID[ending]).content
    rng = np.random.default_rng(0)
    cuts = {1, 2, 3, 4, 8, 16, 127, 128, 129, len(content) // 2, len(content) - 1, len(content) - 2}
    cuts |= set(rng.integers(1, len(content), 40).tolist())
    n_refused = 0
    for cut in sorted(cut for cut in cuts if 0 < cut < len(content)):
        result = outcome(write(tmp_path / f"t{ending}", content[:cut]))
        n_refused += isinstance(result, str)
        if not isinstance(result, str):
            _check_beginning(result, text=ending in PLAIN_TEXT)
    assert n_refused > 5


def _check_beginning(data, text):
    """Check all values, except those of the last row of a text, whose last number may be cut."""
    values = data.X.toarray() if sp.issparse(data.X) else data.X
    columns = [index for index, name in enumerate(data.feature_names) if "kind" not in name][:5]
    count = len(values) - text
    assert text or count == len(X)
    np.testing.assert_array_equal(values[:count, columns], X[:count, : len(columns)])


@pytest.mark.parametrize("ending", [*STABLE, ".mat"])
def test_bytes_changed_anywhere(tmp_path, ending):
    content = sample(VALID[ending]).content
    rng = np.random.default_rng(1)
    for _ in range(60):
        changed = bytearray(content)
        for index in rng.integers(0, len(content), rng.integers(1, 4)):
            changed[index] = rng.integers(0, 256)
        outcome(write(tmp_path / f"t{ending}", bytes(changed)))


@pytest.mark.parametrize("ending", extensions())
@pytest.mark.parametrize("content", VALID)
def test_wrong_extension(tmp_path, ending, content):
    result = outcome(write(tmp_path / f"t{ending}", sample(VALID[content]).content))
    is_same = READERS[ending] == READERS.get(Path(f"t{content}").suffix)
    # a row of any text may be a row of a table; one of svmlight has spaces
    is_table = READERS[ending] == READERS[".csv"] and content in PLAIN_TEXT
    if not is_same and not is_table:
        assert isinstance(result, str)


@pytest.mark.parametrize("ending", [*extensions(), ".csv.gz", ".arff.xz", ".svm.bz2"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"\0" * 5000,
        b"\n",
        b"   \n\t\n  ",
        bytes(range(256)),
        bytes(range(1, 256)) * 20,
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"PK\x03\x04" + b"\x07" * 100,
        b"\x89HDF\r\n\x1a\n" + b"\0" * 100,
        b"\x93NUMPY\x01\x00\xff\xff{",
        b"PAR1" + b"\0" * 50 + b"\xff\xff\xff\x7fPAR1",
        b"ARROW1\0\0" + b"\xff" * 64 + b"ARROW1",
        b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"\x0e\0\0\0\xff\xff\xff\x7f" + b"\0" * 64,
        b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\0" * 400,
        b"@relation r\n@attribute a real\n@data\n\xff\n",
        b"1 1:1 2:\xff\n",
        np.random.default_rng(0).integers(0, 256, 4096, dtype=np.uint8).tobytes(),
    ],
    ids=range(19),
)
def test_random_bytes_are_refused(tmp_path, ending, content):
    assert isinstance(outcome(write(tmp_path / f"t{ending}", content)), str)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\n1\n2\n", [[1], [2]]),
        ("1\n2\n3\n", [[2], [3]]),  # numbers in order may be names
        ("a,b\r1,2\r3,4\r", [[1, 2], [3, 4]]),
        ("a,b\r\n\r\n1,2\r\n\r\n3,4", [[1, 2], [3, 4]]),
        ("\n\n\na,b\n1,2\n3,4\n\n\n", [[1, 2], [3, 4]]),
        ("\ufeffa,b\n1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("a,b,\n1,2,\n3,4,\n", [[1, 2], [3, 4]]),
        ("a,b\n1e3,-1E-3\n+4,.5\n", [[1000, -0.001], [4, 0.5]]),
        ("a,b\n1,NaN\n2,4\n3,6\n", [[1, 5], [2, 4], [3, 6]]),
        ("a,b\n1e-999,1\n2,3\n", [[0, 1], [2, 3]]),
        ("a,b\n0123,1\n2,3\n", [[123, 1], [2, 3]]),
        ("a,b\n123456789012345678901234567890,1\n2,3\n", [[123456789012345678901234567890.0, 1], [2, 3]]),
        ('a,b\n"1",2\n"3","4"\n', [[1, 2], [3, 4]]),
        ("a,b\n1,2\n\n\n3,4\n", [[1, 2], [3, 4]]),
        ("a,b\nTrue,1\nFalse,2\n", [[1, 1], [0, 2]]),
    ],
)
def test_unusual_tables_are_read(tmp_path, content, expected):
    np.testing.assert_array_equal(outcome(write(tmp_path / "t.csv", content)).X, expected)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3 has 1 fields"),
        ("a,b\n1,2\n3,4,5\n", "Expected 2 fields in line 3, saw 3"),
        ("a,b\n1,2,3\n4,5,6\n", "more fields than there are column names"),
        ("a,b\n", "no rows"),
        ("a", "no rows"),
        ("a,a\n1,2\n", "several columns have the name 'a'"),
        ("a,b\n,\n,\n", "no columns remain to rank. 2 columns ('a', 'b') are entirely missing"),
        ("a,b\n?,NA\nnan,null\n", "no columns remain to rank"),
        ("a,b\n1e999,1\n2,3\n", "column 'a' has 1 infinite value"),
        ("a,b\ninf,1\n-inf,3\n", "column 'a' has 2 infinite values"),
        ("a,target\n1,\n2,\n", "all labels in 'target' are missing"),
        ("a,target\n1,inf\n2,1\n", "the labels in 'target' contain infinite values"),
        ("a,b\n1,2\n3,\0\n", "is not text"),
        ('a,b\n1,"2\n3,4\n', "EOF inside string"),
        ("target\n1\n2\n", "no columns remain"),
        (
            "x" * 200_000 + ",b\n1,2\n",
            "a field that is too long for a column name or an unclosed quotation mark",
        ),
        ('"' + "gene," * 30_000 + "b\n1,2\n", "an unclosed quotation mark"),
    ],
)
def test_unusable_tables_are_refused(tmp_path, content, message):
    assert message in outcome(write(tmp_path / "t.csv", content))


@pytest.mark.parametrize(
    "value", ["0x10", "1_000", "1,5", "1 000", "--1", "1e", "٣", "½", "=1+1", "\x1b[31m"]
)
def test_texts_that_resemble_numbers_are_text(tmp_path, value):
    pytest.importorskip("skrub")
    rows = "".join(f'"{value}",{i % 7}\n' if i % 2 else f"word,{i % 7}\n" for i in range(30))
    data = outcome(write(tmp_path / "t.csv", f"a,b\n{rows}"))
    assert [data.columns[index] for index in data.origins] == ["a", "b"]
    np.testing.assert_array_equal(np.unique(data.X[:, 0]), [0, 1])


@pytest.mark.parametrize("index", ["first", "last", "middle", "quoted"])
def test_huge_field(tmp_path, index):
    pytest.importorskip("skrub")
    huge = "z" * 10_000_000
    rows = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
    row, column = {"first": (0, 0), "last": (2, 2), "middle": (1, 1), "quoted": (1, 1)}[index]
    rows[row][column] = f'"{huge}\n"' if index == "quoted" else huge
    data = outcome(write(tmp_path / "t.csv", "a,b,c\n" + "\n".join(map(",".join, rows)) + "\n"))
    assert data.X.shape[0] == 3
    assert set(data.origins) == {0, 1, 2}


def test_huge_field_in_a_ragged_file(tmp_path):
    content = f"a,b\n1,{'z' * 1_000_000}\n2\n3,4\n"
    assert "line 3 has 1 fields" in outcome(write(tmp_path / "t.csv", content))


@pytest.mark.parametrize("count", [1_000, 20_000])
def test_wide_file(tmp_path, count):
    header = ",".join(f"gene_{i}" for i in range(count))
    row = ",".join(str(i % 7) for i in range(count))
    data = outcome(write(tmp_path / "t.csv", f"{header}\n{row}\n{row}\n"))
    assert data.X.shape == (2, count)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b""),
        ("t.csv", b"a,b\n1,2\n3\n"),
        ("t.csv", b"a,b\n1e999,2\n3,4\n"),
        ("t.csv", bytes(range(256))),
        ("t.csv", b"a,a\n1,2\n"),
        ("t.csv", b"a,b\n,\n"),
        ("t.npz", b"PK\x03\x04rubbish"),
        ("t.npy", b"a,b\n1,2\n"),
        ("t.mat", b"a,b\n1,2\n"),
        ("t.parquet", b"PAR1PAR1"),
        ("t.feather", b"ARROW1"),
        ("t.h5ad", b"\x89HDF"),
        ("t.arff", b"@data"),
        ("t.svm", b"a:b"),
        ("t.csv.gz", b"\x1f\x8b\x08"),
        ("t.xlsx", b"PK"),
    ],
)
@pytest.mark.parametrize("command", [["rank"], ["select", "--top", "1", "--output", "out.csv"]])
def test_command_prints_one_line(tmp_path, monkeypatch, name, content, command):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name, content)
    result = CliRunner().invoke(app, [*command, name], catch_exceptions=False)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {name}")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]
