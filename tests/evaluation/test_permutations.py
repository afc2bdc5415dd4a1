"""Permuted labels keep what groups imply."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from featsieve.evaluation.permutations import permute_labels

GROUPS = np.random.default_rng(1).permutation(np.repeat(list("abcdefgh"), [1, 2, 3, 4, 5, 6, 7, 8]))


def test_labels_of_samples_without_groups_are_permuted_one_by_one():
    y = np.arange(100)
    permuted = permute_labels(y, None, np.random.default_rng(0))
    assert_array_equal(np.sort(permuted), y)
    assert np.mean(permuted == y) < 0.1


@pytest.mark.parametrize("labels", [[0, 1, 0, 1, 0, 1, 0, 1], [0.5, 1.5, 2, 3, 4, 5, 6, 7], list("uvuvuvuv")])
def test_groups_exchange_their_labels_if_each_has_one(labels):
    _, codes = np.unique(GROUPS, return_inverse=True)
    y, seen = np.array(labels)[codes], set()
    for seed in range(150):
        permuted = permute_labels(y, GROUPS, np.random.default_rng(seed))
        by_group = [np.unique(permuted[group == GROUPS]).tolist() for group in "abcdefgh"]
        assert sorted(label for (label,) in by_group) == sorted(labels)
        seen.add(by_group[0][0])
    assert seen == set(labels)


@pytest.mark.parametrize("columns", [1, 2])
def test_groups_of_equal_sizes_exchange_all_labels(columns):
    groups = np.arange(60) % 6
    y = 10.0 * groups + np.arange(60) // 6
    y = y if columns == 1 else np.column_stack([y, -y])
    permuted = permute_labels(y, groups, np.random.default_rng(0))
    of_group = {tuple(np.sort(y.reshape(60, -1)[groups == group, 0])) for group in range(6)}
    assert {tuple(np.sort(permuted.reshape(60, -1)[groups == group, 0])) for group in range(6)} == of_group
    assert not np.array_equal(permuted, y)
    if columns == 2:
        assert_array_equal(permuted[:, 1], -permuted[:, 0])


def test_shares_of_labels_are_kept_and_groups_stay_similar():
    random = np.random.default_rng(0)
    _, codes = np.unique(GROUPS, return_inverse=True)
    y = (random.random(GROUPS.size) < np.linspace(0, 1, 8)[codes]).astype(int)
    between, alone = [], []
    for seed in range(200):
        permuted = permute_labels(y, GROUPS, np.random.default_rng(seed))
        assert permuted.sum() == y.sum()
        for values, labels in ((between, permuted), (alone, np.random.default_rng(seed).permutation(y))):
            shares = np.bincount(codes, labels) / np.bincount(codes)
            values.append(np.average((shares - y.mean()) ** 2, weights=np.bincount(codes)))
    assert np.mean(between) > 1.4 * np.mean(alone)
