"""Splits: disjoint, stratified, the same for the same seed."""

import numpy as np
import pytest

from featsieve.evaluation import Clustering, Plan, RepeatedFolds, RepeatedSplits, compare

CLASSES = np.repeat([0, 1, 2], [40, 15, 5])


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((15, 3))


@pytest.mark.parametrize("protocol", [RepeatedSplits(), RepeatedSplits(3, 0.2), RepeatedFolds(5, 2)])
@pytest.mark.parametrize("classes", [None, CLASSES])
def test_training_and_test_sets_are_disjoint_and_complete(protocol, classes):
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


def test_class_with_a_single_sample_is_in_the_training_set():
    classes = np.repeat([0, 1, 2], [10, 10, 1])
    for train, test in RepeatedSplits(20).splits(21, classes, 0):
        assert 20 in train
        assert len(test) == 10


def test_samples_are_held_out_equally_often():
    counts = np.zeros(60)
    for _, test in RepeatedSplits(600).splits(60, CLASSES, 0):
        counts[test] += 1
    assert np.abs(counts / 600 - 0.5).max() < 0.1


def test_folds_hold_out_each_sample_once():
    splits = RepeatedFolds(7, 2).splits(60, CLASSES, 0)
    for repeat in (splits[:7], splits[7:]):
        assert np.array_equal(np.sort(np.concatenate([test for _, test in repeat])), np.arange(60))


@pytest.mark.parametrize("protocol", [RepeatedSplits(), RepeatedFolds()])
def test_splits_depend_on_the_seed_only(protocol):
    first, again, other = (protocol.splits(60, CLASSES, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))
    assert len({split.test.tobytes() for split in first}) == len(first)


def test_more_repeats_do_not_change_the_first():
    few, many = RepeatedSplits(3).splits(60, CLASSES, 0), RepeatedSplits(5).splits(60, CLASSES, 0)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(few, many[:3], strict=True))


def test_clustering_is_transductive_and_needs_classes():
    protocol = Clustering(3)
    assert protocol.transductive
    for train, test in protocol.splits(60, CLASSES, 0):
        assert np.array_equal(train, test)
    with pytest.raises(ValueError, match="pass labels"):
        protocol.splits(60, None, 0)


@pytest.mark.parametrize(
    "call",
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
def test_invalid_parameters_raise(call):
    with pytest.raises(ValueError, match=r"must|too few"):
        call()


def test_description_of_one_repeat():
    assert "repeated once" in Clustering(1).description
    assert "repeated 2 times" in Clustering(2).description


@pytest.mark.parametrize("y", [None, "numbers"])
def test_splits_without_classes_are_not_stratified(X, y):
    comparison = compare(X, None if y is None else X[:, 0], "variance", Plan(RepeatedSplits(2), draws=2))
    assert comparison.info["protocol"]["description"].startswith("2 random splits, ")


@pytest.mark.slow
def test_folds_of_one_sample_measure_accuracy(X):
    comparison = compare(X, np.arange(15) % 2, "fisher", Plan(RepeatedFolds(10, 1), draws=2))
    assert {cell.status for cell in comparison.cells} == {"ok"}
    assert list(comparison.measures) == ["nn", "ncm", "linear"]


def test_folds_of_one_sample_cannot_measure_anything_else(X):
    for y in (None, X[:, 0]):
        with pytest.raises(ValueError, match="use fewer folds"):
            compare(X, y, "variance", Plan(RepeatedFolds(10, 1)))
