"""Splits: disjoint, stratified, the same for the same seed, and the published ones as published."""

import numpy as np
import pytest
from scipy.io import savemat

from featsieve.evaluation import Clustering, PublishedSplits, RepeatedFolds, RepeatedSplits

CLASSES = np.repeat([0, 1, 2], [40, 15, 5])


@pytest.mark.parametrize("protocol", [RepeatedSplits(), RepeatedSplits(3, 0.2), RepeatedFolds(5, 2)])
@pytest.mark.parametrize("classes", [None, CLASSES])
def test_parts_are_disjoint_and_complete(protocol, classes):
    splits = protocol.splits(60, classes, 0)
    assert len(splits) == protocol.n_splits
    for train, test in splits:
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(60))
        assert len(test) == (12 if protocol.n_splits != 10 or isinstance(protocol, RepeatedFolds) else 30)


def test_classes_keep_their_shares():
    for train, test in RepeatedSplits(20).splits(60, CLASSES, 0):
        assert np.bincount(CLASSES[test])[0] == 20
        assert np.bincount(CLASSES[test])[1] in (7, 8)
        assert np.bincount(CLASSES[test])[2] in (2, 3)
        assert set(CLASSES[train]) == {0, 1, 2}
    for _, test in RepeatedFolds(5, 1).splits(60, CLASSES, 0):
        assert np.bincount(CLASSES[test]).tolist() == [8, 3, 1]


def test_a_class_of_one_is_learnt_from():
    classes = np.repeat([0, 1, 2], [10, 10, 1])
    for train, test in RepeatedSplits(20).splits(21, classes, 0):
        assert 20 in train
        assert len(test) == 10


def test_every_sample_has_the_same_chance():
    counts = np.zeros(60)
    for _, test in RepeatedSplits(600).splits(60, CLASSES, 0):
        counts[test] += 1
    assert np.abs(counts / 600 - 0.5).max() < 0.1


def test_folds_measure_each_sample_once():
    found = RepeatedFolds(7, 2).splits(60, CLASSES, 0)
    for repeat in (found[:7], found[7:]):
        assert np.array_equal(np.sort(np.concatenate([test for _, test in repeat])), np.arange(60))


@pytest.mark.parametrize("protocol", [RepeatedSplits(), RepeatedFolds()])
def test_seeds(protocol):
    first, again, other = (protocol.splits(60, CLASSES, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))
    assert len({split.test.tobytes() for split in first}) == len(first)


def test_more_repeats_keep_the_first_ones():
    few, many = RepeatedSplits(3).splits(60, CLASSES, 0), RepeatedSplits(5).splits(60, CLASSES, 0)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(few, many[:3], strict=True))


def test_published_splits(data_dir):
    protocol = PublishedSplits(data_dir / "splits" / "Yale_5Train.mat")
    splits = protocol.splits(165, None, 0)
    assert protocol.n_splits == len(splits) == 50
    assert {(len(train), len(test)) for train, test in splits} == {(75, 90)}
    for train, test in splits:
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(165))
    with pytest.raises(ValueError, match="samples 1 to 165, and the data has 100"):
        protocol.splits(100, None, 0)


def test_published_splits_count_from_one(tmp_path):
    savemat(tmp_path / "s.mat", {"trainIdx": [[1, 2], [3, 4]], "testIdx": [[3, 4], [1, 2]]})
    protocol = PublishedSplits(tmp_path / "s.mat")
    assert [split.train.tolist() for split in protocol.splits(4, None, 0)] == [[0, 1], [2, 3]]
    savemat(tmp_path / "t.mat", {"trainIdx": [[1, 2], [3, 4]], "testIdx": [[3, 4], [2, 1]]})
    assert PublishedSplits(tmp_path / "t.mat").parameters()["hash"] != protocol.parameters()["hash"]


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"trainIdx": [[1]]}, "testIdx"),
        ({"trainIdx": [[1, 2]], "testIdx": [[2, 3]]}, "both trainIdx and testIdx"),
        ({"trainIdx": [[1, 2], [1, 2]], "testIdx": [[3, 4]]}, "a row for each split"),
        ({"trainIdx": "abc", "testIdx": [[1]]}, "trainIdx"),
    ],
)
def test_published_splits_that_are_none(tmp_path, arrays, says):
    savemat(tmp_path / "s.mat", arrays)
    with pytest.raises(ValueError, match=says):
        PublishedSplits(tmp_path / "s.mat").splits(10, None, 0)


def test_published_splits_that_are_no_file(tmp_path):
    (tmp_path / "s.mat").write_text("no splits")
    for name in ("s.mat", "none.mat"):
        with pytest.raises(ValueError, match="cannot be read"):
            PublishedSplits(tmp_path / name).splits(10, None, 0)


def test_clustering_is_transductive_and_needs_classes():
    protocol = Clustering(3)
    assert protocol.transductive
    for train, test in protocol.splits(60, CLASSES, 0):
        assert np.array_equal(train, test)
    with pytest.raises(ValueError, match="pass labels"):
        protocol.splits(60, None, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: RepeatedSplits(0),
        lambda: RepeatedSplits(test_size=1.0),
        lambda: RepeatedFolds(1),
        lambda: RepeatedFolds(n_repeats=0),
        lambda: Clustering(n_starts=0),
        lambda: RepeatedFolds(10).splits(5, None, 0),
        lambda: RepeatedSplits().splits(1, None, 0),
    ],
)
def test_wrong_parameters(wrong):
    with pytest.raises(ValueError, match=r"must|too few"):
        wrong()
