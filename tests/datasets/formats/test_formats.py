"""The records of formats, and what is generated from them."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from featsieve.datasets import formats, load
from featsieve.datasets.formats import COMPRESSIONS, all_formats, extension, extension_hint, extensions, stem

ROOT = Path(__file__).parents[3]

TOY = """
from featsieve.datasets.formats import Format
from featsieve.datasets.table import Table

def read(path, samples, target):
    rows = [list(map(float, line.split("~"))) for line in path.read_text().split()]
    import numpy as np
    return Table(np.array(rows), [f"x{i}" for i in range(len(rows[0]))])

FORMATS = (Format("a toy file", "Numbers with tildes", ("{suffix}",), read, magic=(b"1~",)),)
"""


@pytest.fixture
def add_format(tmp_path, monkeypatch):
    """Add a module with a format for an extension."""

    def add(suffix):
        (tmp_path / "toy.py").write_text(TOY.replace("{suffix}", suffix))
        monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
        formats._formats_by_extension.cache_clear()

    yield add
    monkeypatch.undo()
    sys.modules.pop("featsieve.datasets.formats.toy", None)
    formats._formats_by_extension.cache_clear()


def test_format_is_one_module(add_format, tmp_path):
    add_format(".toy")
    (tmp_path / "t.toy").write_text("1~2\n3~4\n")
    assert load(tmp_path / "t.toy").X.tolist() == [[1, 2], [3, 4]]
    assert ".toy" in extensions()
    assert ".toy" not in extensions(writable=True)
    (tmp_path / "t.csv").write_text("1~2\n")
    assert extension_hint(tmp_path / "t.csv") == ": it looks like a toy file. Check its extension."


def test_duplicate_extension_raises(add_format):
    add_format(".csv")
    with pytest.raises(ValueError, match=r"\.csv must have one format; got a text table and a toy file\."):
        all_formats()


def test_records_are_complete():
    names = [record.name for record in all_formats()]
    assert len(set(names)) == len(names)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for record in all_formats():
        assert record.help
        assert "\n" not in record.help
        assert record.title.startswith(("a ", "an "))
        assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in record.extensions)
        assert record.extra is None or record.extra in extras


@pytest.mark.parametrize("command", ["rank", "select", "compare"])
def test_help_lists_all_extensions(command):
    arguments = [sys.executable, "-m", "featsieve.cli", command, "--help"]
    text = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    assert all(suffix in text for suffix in extensions())


def test_compressed_extensions():
    for record in all_formats():
        for suffix in record.extensions:
            for compression in COMPRESSIONS:
                expected = suffix if record.compressible else ""
                assert extension(Path(f"a{suffix.upper()}{compression}")) == expected
            assert stem(f"a.b{suffix}") == "a.b"
    assert stem("a.csv.gz") == "a"
    assert extension(Path("a.gz")) == extension(Path("a")) == ""


def test_hint_recognizes_formats(tmp_path):
    for record in all_formats():
        for magic in record.magic:
            (tmp_path / "t.csv").write_bytes(magic + b"\1\2\3")
            assert record.title in extension_hint(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_bytes(b"a,b\n")
    assert extension_hint(tmp_path / "t.csv") == ": check its extension."
