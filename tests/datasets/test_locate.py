"""Where data is searched for."""

import numpy as np
import pytest

from featsieve.datasets import DataError, DataNotFoundError, load


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of data named by FEATSIEVE_DATA, and another to work in."""
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "data" / "sonar.csv").write_text("a,b\n1,2\n3,4\n")
    return tmp_path / "data"


@pytest.mark.parametrize("source", ["sonar", "sonar.csv"])
def test_data_folder(folder, source):
    assert load(source).feature_names == ["a", "b"]


def test_path_takes_precedence_over_the_data_folder(folder, tmp_path):
    (tmp_path / "here" / "sonar.csv").write_text("c,d\n1,2\n3,4\n")
    assert load("sonar.csv").feature_names == ["c", "d"]
    assert load("sonar").feature_names == ["a", "b"]


def test_embedded_name_takes_precedence_over_a_folder(folder, tmp_path):
    (tmp_path / "here" / "iris").mkdir()
    assert load("iris").X.shape == (150, 4)


def test_ambiguous_name_is_refused(folder):
    np.save(folder / "sonar.npy", np.eye(3))
    with pytest.raises(DataError, match=r"sonar could be sonar\.csv or sonar\.npy: give the extension"):
        load("sonar")


@pytest.mark.parametrize(
    ("source", "suggestion"),
    [
        ("sonr.csv", "sonar.csv"),
        ("sonar.mat", "sonar.csv"),
        ("iriss", "iris"),
        ("IRIS", "iris"),
    ],
)
def test_not_found_suggests(folder, source, suggestion):
    with pytest.raises(DataNotFoundError, match=f"Did you mean {suggestion}"):
        load(source)


def test_not_found_suggests_files_of_the_same_folder(folder, monkeypatch):
    monkeypatch.delenv("FEATSIEVE_DATA")
    with pytest.raises(FileNotFoundError, match=r"Did you mean .*data.sonar\.csv\?"):
        load(folder / "sonnar.csv")


def test_not_found_states_that_the_folder_is_missing(folder):
    with pytest.raises(DataNotFoundError, match="the folder nowhere does not exist"):
        load("nowhere/qqq.csv")


def test_not_found_states_that_the_data_folder_is_missing(folder, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", "gone")
    for name in ("sonar", "a_table"):
        with pytest.raises(DataNotFoundError, match="FEATSIEVE_DATA names gone, which is not a folder"):
            load(name)


def test_folder_instead_of_file(folder):
    with pytest.raises(DataError, match=r"is a folder: name a file in it, such as 'sonar\.csv'"):
        load(folder)


@pytest.mark.parametrize(("name", "expected"), [("t.ods", "the extension '.ods'"), ("t", "no extension")])
def test_unsupported_extension(tmp_path, name, expected):
    (tmp_path / name).write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"Supported: \.arff, \.csv, \.data, ") as caught:
        load(tmp_path / name)
    assert expected in str(caught.value)


def test_empty_name():
    with pytest.raises(DataError, match="empty"):
        load("")
