"""Protocols that several papers share."""

import numpy as np
import pytest

from featsieve.datasets.catalog import find_entry
from featsieve.datasets.errors import DataError, DataNotFoundError
from featsieve.reproduction.protocols import CatalogSplits, LeadingSamples


def test_leading_samples_are_the_training_set():
    classes = np.array([0, 1, 0, 1, 0, 1])
    split = LeadingSamples(2, per_class=True).splits(6, classes, 0)[0]
    assert split.train.tolist() == [0, 1, 2, 3]
    assert LeadingSamples(4).splits(6, classes, 0)[0].test.tolist() == [4, 5]


def test_missing_splits_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="Yale_5Train"):
        CatalogSplits(5)(find_entry("yale"))


def test_damaged_splits_raise_a_data_error(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    entry = find_entry("yale")
    file = tmp_path / entry.splits.format(k=5)
    with pytest.raises(DataNotFoundError):
        CatalogSplits(5)(entry)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("no splits")
    with pytest.raises(DataError, match="cannot be read"):
        CatalogSplits(5)(entry).splits(165, None, 0)
