"""ARFF."""

import time

import numpy as np
import pytest
from load_error import load_error

from featsieve.datasets import load

ARFF = """% a comment
@RELATION 'the weather'
@attribute outlook {sunny, 'very rainy', "over\\"cast"}
@ATTRIBUTE 'the temperature' REAL
@attribute note string
@attribute class {yes,no}

@DATA
sunny, 21.5, 'a, b', yes
% between
'very rainy',?,"it's",no

"over\\"cast",1e3,plain,yes
"""


def test_arff(tmp_path):
    pytest.importorskip("skrub")
    (tmp_path / "t.arff").write_text(ARFF)
    data = load(tmp_path / "t.arff")
    assert data.columns == ["outlook", "the temperature", "note"]
    assert data.y.tolist() == ["yes", "no", "yes"]
    assert data.target_name == "class"
    table = data.table.values
    assert table["outlook"].tolist() == ["sunny", "very rainy", 'over"cast']
    assert table["note"].tolist() == ["a, b", "it's", "plain"]
    np.testing.assert_array_equal(table["the temperature"], [21.5, np.nan, 1000])


def test_sparse_arff(tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation r\n@attribute a numeric\n@attribute b {u,'v, w'}\n@attribute c integer\n@data\n"
        "{0 1.5, 2 7}\n{}\n{1 'v, w',2 ?}\n"
    )
    table = load(tmp_path / "t.arff", target="b").table.values
    np.testing.assert_array_equal(table[["a", "c"]], [[1.5, 7], [0, 0], [0, np.nan]])
    assert table["b"].tolist() == ["u", "u", "v, w"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("@DATA", "data"), "line 8 is not valid in an ARFF header: 'data'"),
        (("sunny, 21.5", "snowy, 21.5"), "line 9: 'snowy' is not a declared value of 'outlook'"),
        (("21.5", "warm"), "line 9: 'the temperature' must be a number; got 'warm'"),
        (("plain,yes", "plain"), "line 13 has 3 values for 4 attributes"),
        (("'a, b'", "'a, b"), "line 9: a quote is not closed"),
        (("REAL", "imaginary"), "has the type 'imaginary', which is not supported"),
        (("{yes,no}", "{yes,no"), "do not end with }"),
        (("note string", "note"), "must have the name and the type of an attribute"),
        (("note string", "outlook string"), "several columns have the name 'outlook'"),
    ],
)
def test_error_states_the_line(tmp_path, change, expected):
    assert change[0] in ARFF
    (tmp_path / "t.arff").write_text(ARFF.replace(*change))
    assert expected in load_error(tmp_path / "t.arff")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("@relation r\n@attribute a real\n", "no line @data"),
        ("@relation r\n@data\n1\n", "has no attributes"),
        ("@relation r\n@attribute a real\n@data\n", "has attributes but no rows"),
        ("@relation r\n@attribute a real\n@data\n{0 1\n", "does not end with }"),
        ("@relation r\n@attribute a real\n@data\n{7 1}\n", "index must be less than 1; got '7'"),
        ("a,b\n1,2\n", "line 1 is not valid in an ARFF header"),
    ],
)
def test_unusable_arff(tmp_path, content, expected):
    (tmp_path / "t.arff").write_text(content)
    assert expected in load_error(tmp_path / "t.arff")


def test_many_spaces_before_a_stray_quote_take_linear_time(tmp_path):
    """Found in a time that does not grow with the cube of the spaces."""
    path = tmp_path / "t.arff"
    path.write_text(f"@relation r\n@attribute a string\n@attribute b real\n@data\n'u',{' ' * 3_000}0'\n")
    start = time.perf_counter()
    assert "line 5: a quote is not closed" in load_error(path)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("@relation r\n@attribute a real\n@attribute b real\n@data\n1,2,{3}\n2,3, {1}\n", [[1, 2], [2, 3]]),
        ("@relation r\n@attribute a integer\n@data\n1.5\n2\n", [[1.5], [2]]),
        ("@relation r\n@attribute a real\n@attribute b real\n@data\n{0 1,1 2}\n3,4\n", [[1, 2], [3, 4]]),
        ("@attribute a real\n@data\n1\n2\n", [[1], [2]]),
        ("@relation r\n@attribute a real\n@data\n1\n  % a comment\n\n2\n", [[1], [2]]),
    ],
    ids=["weights", "fraction of an integer attribute", "mixed rows", "no relation", "indented comment"],
)
def test_unusual_rows(tmp_path, content, expected):
    (tmp_path / "t.arff").write_text(content)
    assert load(tmp_path / "t.arff").X.tolist() == expected


def test_dates_are_text(tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation r\n@attribute day date 'yyyy-MM-dd'\n@attribute b real\n@data\n"
        "2020-01-02,1\n'2020-01-03',2\n"
    )
    table = load(tmp_path / "t.arff", target="day").table.values
    assert table["day"].tolist() == ["2020-01-02", "2020-01-03"]


def test_files_that_are_not_utf8(tmp_path):
    content = "@relation r\n@attribute größe real\n@data\n1\n2\n"
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        (tmp_path / "t.arff").write_bytes(content.encode(encoding))
        data = load(tmp_path / "t.arff")
        assert data.feature_names == ["größe"]
        assert len(data.notes) == (encoding == "latin-1")
