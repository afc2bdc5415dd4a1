"""The encoding of text files."""

import numpy as np
import pytest
from fuzz.judge import outcome

from featsieve.datasets import load


def test_byte_order_mark_and_spaces(table):
    data = load(table("\ufeffa, b , c\n1, 2,3\n 4,5, \n"))
    assert data.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(data.X, [[1, 2, 3], [4, 5, 3]])


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", None),
        ("cp1252", "Windows-1252"),
        ("latin-1", "Latin-1"),
    ],
)
def test_encoding_is_detected(table, encoding, note):
    odd = "\x81" if encoding == "latin-1" else ""  # Windows-1252 has no such byte
    data = load(table(f"größe{odd},b\n1,2\n3,5\n".encode(encoding)))
    assert data.feature_names == [f"größe{odd}", "b"]
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 5]])
    assert [text for text in data.notes if "UTF-8" in text] == (
        [f"The file is not UTF-8 text and was read as {note}."] if note else []
    )


def write(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_mixed_encodings(tmp_path):
    content = "größe,b\n1,2\n".encode() + "3,é\n".encode("latin-1") + "4,é\n".encode()
    data = outcome(write(tmp_path / "t.csv", content), target="b")
    assert data.y.tolist() == ["2", "é", "Ã©"]
    assert "The file is not UTF-8 text and was read as Windows-1252." in data.notes
