"""Where data is looked for, the embedded datasets, and the real files."""

import dataclasses

import numpy as np
import pytest
import sklearn.datasets

from featsieve.datasets import DataError, DataNotFoundError, load, names


@pytest.mark.parametrize("name", names())
def test_embedded(name):
    data = load(name)
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.name == name
    assert data.target_name == "target"
    assert len(data.feature_names) == X.shape[1]
    assert all(type(feature) is str for feature in data.feature_names)


def test_names_is_a_fresh_list():
    names().clear()
    assert "iris" in names()


def test_dataset_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        load("iris").X = None


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


def test_a_path_goes_before_the_data_folder(folder, tmp_path):
    (tmp_path / "here" / "sonar.csv").write_text("c,d\n1,2\n3,4\n")
    assert load("sonar.csv").feature_names == ["c", "d"]
    assert load("sonar").feature_names == ["a", "b"]


def test_an_embedded_name_goes_before_a_folder(folder, tmp_path):
    (tmp_path / "here" / "iris").mkdir()
    assert load("iris").X.shape == (150, 4)


def test_two_files_of_a_name(folder):
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


def test_not_found_suggests_files_of_the_folder_meant(folder, monkeypatch):
    monkeypatch.delenv("FEATSIEVE_DATA")
    with pytest.raises(FileNotFoundError, match=r"Did you mean .*data.sonar\.csv\?"):
        load(folder / "sonnar.csv")


def test_not_found_says_when_the_folder_is_missing(folder):
    with pytest.raises(DataNotFoundError, match="the folder nowhere does not exist"):
        load("nowhere/qqq.csv")


def test_not_found_says_when_the_data_folder_is_missing(folder, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", "gone")
    for name in ("sonar", "a_table"):
        with pytest.raises(DataNotFoundError, match="FEATSIEVE_DATA names gone, which is not a folder"):
            load(name)


def test_folder_instead_of_file(folder):
    with pytest.raises(DataError, match=r"is a folder: name a file in it, such as 'sonar\.csv'"):
        load(folder)


@pytest.mark.parametrize(("name", "says"), [("t.xlsx", "the extension '.xlsx'"), ("t", "no extension")])
def test_unsupported_extension(tmp_path, name, says):
    (tmp_path / name).write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"Supported: \.arff, \.csv, \.data, ") as caught:
        load(tmp_path / name)
    assert says in str(caught.value)


def test_several_targets_are_not_embedded():
    assert "linnerud" not in names()
    with pytest.raises(DataNotFoundError, match="linnerud"):
        load("linnerud")


def test_empty_name():
    with pytest.raises(DataError, match="empty"):
        load("")


@pytest.mark.parametrize(
    ("file", "shape", "n_classes"),
    [
        ("sonar.csv", (208, 60), 2),
        ("zoo.csv", (101, 16), 7),
        ("Yale_32x32.mat", (165, 1024), 15),
        ("COIL20.mat", (1440, 1024), 20),
        ("USPS49.mat", (1673, 256), 2),
        ("mnist.npz", (70000, 784), 10),
    ],
)
def test_real_file(data_dir, file, shape, n_classes):
    data = load(data_dir / file)
    assert data.X.shape == shape
    assert np.unique(data.y).size == n_classes
    assert len(data.feature_names) == shape[1]


@pytest.mark.parametrize(
    ("file", "missing"), [("wpbc.csv", 4), ("dermatology.csv", 8), ("horse_colic.csv", 1927)]
)
def test_real_missing_values(data_dir, file, missing):
    with pytest.raises(DataError, match=f"{missing} missing values"):
        load(data_dir / file, strict=True)
    data = load(data_dir / file)
    assert np.isfinite(data.X).all()
    assert np.isnan(data.raw).sum() == missing
    assert any(f"{missing} missing values in" in note for note in data.notes)


def test_real_identifier(data_dir):
    data = load(data_dir / "horse_colic.csv")
    assert "Column 'hospital_number' looks like an identifier and was left out." in data.notes
    assert data.X.shape == (368, 26)


def test_real_messy_table(data_dir):
    pytest.importorskip("skrub")
    data = load(data_dir / "anneal.csv")
    assert data.encoded
    assert len(data.columns) == 38
    assert len(set(data.origins)) == 32
    gone = {data.columns[place] for place in set(range(38)) - set(data.origins)}
    assert gone == {"m", "marvi", "corr", "jurofm", "s", "p"}
    steel = [
        name
        for name, place in zip(data.feature_names, data.origins, strict=True)
        if data.columns[place] == "steel"
    ]
    assert steel[:2] == ["steel_A", "steel_K"]
    assert np.isfinite(data.X).all()
