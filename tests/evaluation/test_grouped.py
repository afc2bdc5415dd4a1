"""Splits that keep groups together."""

import numpy as np
import pytest

from featsieve.evaluation import (
    Clustering,
    GroupedSplits,
    RepeatedFolds,
    RepeatedSplits,
    Resamples,
    SeenSplits,
)
from featsieve.evaluation.grouped import keep_groups, without_strata

GROUPS = np.repeat(np.arange(12), [3, 5, 4, 6, 2, 7, 3, 4, 5, 6, 4, 3])
CLASSES = (GROUPS % 3 == 0).astype(int)


@pytest.mark.parametrize("protocol", [RepeatedSplits(8, 0.3), SeenSplits(4), RepeatedFolds(4, 2)])
@pytest.mark.parametrize("classes", [None, CLASSES])
def test_no_group_is_on_both_sides(protocol, classes):
    splits = GroupedSplits(GROUPS, protocol).splits(GROUPS.size, classes, 0)
    assert len(splits) == protocol.n_splits
    for split in splits:
        assert not set(GROUPS[split.train]) & set(GROUPS[split.test])
        np.testing.assert_array_equal(np.sort(np.concatenate(split)), np.arange(GROUPS.size))


def test_shares_of_samples_and_classes():
    splits = GroupedSplits(GROUPS, RepeatedSplits(20, 0.5)).splits(GROUPS.size, CLASSES, 0)
    assert all(0.35 < split.test.size / GROUPS.size < 0.65 for split in splits)
    shares = [CLASSES[split.test].mean() for split in splits]
    assert np.abs(np.array(shares) - CLASSES.mean()).max() < 0.15
    assert len({tuple(split.test) for split in splits}) > 10  # the splits differ


def test_folds_hold_out_each_sample_once():
    splits = GroupedSplits(GROUPS, RepeatedFolds(3, 1)).splits(GROUPS.size, CLASSES, 0)
    assert np.bincount(np.concatenate([split.test for split in splits])).tolist() == [1] * GROUPS.size


def test_a_class_remains_in_the_training_set():
    groups, classes = np.arange(40) // 4, (np.arange(40) < 8).astype(int)  # a class in two of ten groups
    splits = GroupedSplits(groups, RepeatedSplits(10)).splits(40, classes, 0)
    assert all(classes[split.train].any() for split in splits)


def test_splits_depend_on_the_seed_and_the_names_of_groups_do_not_matter():
    protocol = RepeatedSplits(3)
    first = GroupedSplits(GROUPS, protocol)
    named = GroupedSplits([f"p{group:02}" for group in GROUPS], protocol)
    assert [split.test.tolist() for split in first.splits(GROUPS.size, None, 0)] == [
        split.test.tolist() for split in named.splits(GROUPS.size, None, 0)
    ]
    assert first.parameters() == named.parameters()
    assert first.parameters() != GroupedSplits(GROUPS // 2, protocol).parameters()
    tests = [first.splits(GROUPS.size, None, seed)[0].test.tolist() for seed in range(5)]
    assert len(set(map(tuple, tests))) > 1


def test_invalid_groups():
    with pytest.raises(ValueError, match="`groups` must have at least 2 groups for this protocol; got 1"):
        GroupedSplits(np.zeros(5))
    with pytest.raises(ValueError, match="at least 20 groups"):
        GroupedSplits(GROUPS, RepeatedFolds(20))
    with pytest.raises(ValueError, match=r"`protocol` must be .*; got Clustering"):
        GroupedSplits(GROUPS, Clustering())
    with pytest.raises(ValueError, match="one group for each of the 7 samples; got 52"):
        GroupedSplits(GROUPS).splits(7, None, 0)


def test_keep_groups():
    assert keep_groups(RepeatedSplits(), None) == RepeatedSplits()
    assert isinstance(keep_groups(RepeatedSplits(), GROUPS), GroupedSplits)
    grouped = GroupedSplits(GROUPS)
    assert keep_groups(grouped, GROUPS) is grouped
    assert keep_groups(Clustering(), GROUPS) == Clustering()


def test_description():
    grouped = GroupedSplits(GROUPS, RepeatedSplits(3))
    assert grouped.description.endswith("; each of the 12 groups is on one side of a split.")
    assert "of each class" in grouped.description
    assert "of each class" not in without_strata(grouped).description
    assert (grouped.name, grouped.transductive) == ("splits", False)
    assert GroupedSplits(GROUPS, SeenSplits()).transductive


@pytest.mark.parametrize("labeled", [False, True])
def test_number_of_features_is_chosen_with_groups(labeled):
    """The last feature names the group; the rank function sees which groups are in a training set."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(GROUPS.size, 3)), GROUPS]
    y = CLASSES if labeled else None
    trained = []

    def rank(X, y, n_features):
        trained.append(set(X[:, 3]))
        return {"": np.arange(4)}

    Resamples(X, y, n_resamples=5, groups=GROUPS).curves(rank)
    assert all(len(groups) < 12 for groups in trained)
    trained.clear()
    Resamples(X, y, n_resamples=5).curves(rank)
    assert any(len(groups) == 12 for groups in trained)
