"""Datasets, and the real files of the papers."""

import dataclasses

import numpy as np
import pytest

from featsieve.datasets import DataError, load


def test_dataset_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        load("iris").X = None


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
    left_out = {data.columns[index] for index in set(range(38)) - set(data.origins)}
    assert left_out == {"m", "marvi", "corr", "jurofm", "s", "p"}
    steel = [
        name
        for name, index in zip(data.feature_names, data.origins, strict=True)
        if data.columns[index] == "steel"
    ]
    assert steel[:2] == ["steel_A", "steel_K"]
    assert np.isfinite(data.X).all()
