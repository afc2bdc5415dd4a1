"""The datasets of the papers: the records, and the real files if they exist."""

import re
import sys

import numpy as np
import pytest

from featsieve.datasets import DataNotFoundError, Entry, catalog, load, names

IMAGE = re.compile(r"(\d+)x(\d+)F?")


def test_records_are_valid():
    entries = catalog()
    known = [entry.name for entry in entries]
    assert len(known) == len(set(known)) == len({entry.file for entry in entries})
    assert not set(known) & set(names())
    for entry in entries:
        assert entry.name == entry.name.lower()
        assert entry.papers
        assert set(entry.papers) <= {"LKR", "ILS", "LOO", "TAKES", "LLE"}
        assert entry.title
        assert entry.source
        if entry.image_shape:
            height, width = map(int, IMAGE.fullmatch(entry.image_shape).groups())
            assert height * width == entry.shape[1]


@pytest.mark.parametrize("name", ["tiny", "Tiny", "TINY_8x2"])
def test_by_name_or_file(tmp_path, monkeypatch, name):
    entry = Entry("tiny", "Tiny_8x2.npy", "a test", (8, 2), 2, ("LLE",), "nowhere", "y", "1x2")
    monkeypatch.setattr(sys.modules["featsieve.datasets.catalog"], "catalog", lambda: (entry,))
    monkeypatch.setenv("FEATSIEVE_DATA", str(tmp_path))
    with pytest.raises(
        DataNotFoundError, match=r"tiny: the file Tiny_8x2\.npy was not found in .* Download it from: nowhere"
    ):
        load(name)
    np.save(tmp_path / "Tiny_8x2.npy", np.arange(16.0).reshape(8, 2))
    assert load(name).X.shape == (8, 2)
    assert load(name).image_shape == "1x2"


def test_missing_file_states_the_source(monkeypatch):
    monkeypatch.delenv("FEATSIEVE_DATA", raising=False)
    with pytest.raises(
        DataNotFoundError, match=r"USPS\.mat was not found in the folder that FEATSIEVE_DATA names"
    ):
        load("usps")


def test_image_of_the_digits():
    assert load("digits").image_shape == "8x8"
    assert load("digits", drop=["pixel_0_0"]).image_shape is None


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_real_files_match_their_records(data_dir, entry):
    if entry.path is None:
        pytest.skip(f"{entry.file} does not exist")
    data = load(entry.name)
    assert (data.X.shape[0], len(data.columns)) == entry.shape
    assert data.target_name == entry.target
    assert np.unique(data.y).size == entry.n_classes
    assert data.image_shape == entry.image_shape
    if entry.splits:
        assert (data_dir / entry.splits.format(k=8)).is_file()
