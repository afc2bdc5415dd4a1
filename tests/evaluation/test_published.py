"""Published splits are read as they were published."""

import numpy as np
import pytest
from scipy.io import savemat

from featsieve.evaluation import PublishedSplits


def test_published_splits(data_dir):
    protocol = PublishedSplits(data_dir / "splits" / "Yale_5Train.mat")
    splits = protocol.splits(165, None, 0)
    assert protocol.n_splits == len(splits) == 50
    assert {(len(train), len(test)) for train, test in splits} == {(75, 90)}
    for train, test in splits:
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(165))
    with pytest.raises(ValueError, match="samples 1 to 165, and the data has 100"):
        protocol.splits(100, None, 0)


def test_published_indices_start_at_one(tmp_path):
    savemat(tmp_path / "s.mat", {"trainIdx": [[1, 2], [3, 4]], "testIdx": [[3, 4], [1, 2]]})
    protocol = PublishedSplits(tmp_path / "s.mat")
    assert [split.train.tolist() for split in protocol.splits(4, None, 0)] == [[0, 1], [2, 3]]
    savemat(tmp_path / "t.mat", {"trainIdx": [[1, 2], [3, 4]], "testIdx": [[3, 4], [2, 1]]})
    assert PublishedSplits(tmp_path / "t.mat").parameters()["hash"] != protocol.parameters()["hash"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"trainIdx": [[1]]}, "testIdx"),
        ({"trainIdx": [[1, 2]], "testIdx": [[2, 3]]}, "both trainIdx and testIdx"),
        ({"trainIdx": [[1, 2], [1, 2]], "testIdx": [[3, 4]]}, "a row for each split"),
        ({"trainIdx": "abc", "testIdx": [[1]]}, "trainIdx"),
    ],
)
def test_invalid_published_splits_raise(tmp_path, arrays, message):
    savemat(tmp_path / "s.mat", arrays)
    with pytest.raises(ValueError, match=message):
        PublishedSplits(tmp_path / "s.mat").splits(10, None, 0)


def test_unreadable_published_splits_raise(tmp_path):
    (tmp_path / "s.mat").write_text("no splits")
    for name in ("s.mat", "none.mat"):
        with pytest.raises(ValueError, match="cannot be read"):
            PublishedSplits(tmp_path / name).splits(10, None, 0)
