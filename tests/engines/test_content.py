"""Hashes of rows depend on content only."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn import config_context

from featsieve.engines.content import content_hashes, content_keys, rank_by_content


def with_copies():
    rng = np.random.default_rng(0)
    return rng.integers(-2, 3, (40, 6)).astype(float)[rng.integers(0, 40, 90)] / 4


def with_negative_zeros(X):
    return np.where(X == 0, -0.0, X)


@pytest.mark.parametrize(
    "form", [np.float32, sp.csr_array, sp.csc_array, np.asfortranarray, with_negative_zeros]
)
def test_keys_do_not_depend_on_storage(form):
    X = with_copies()
    assert_array_equal(content_keys(form(X)), content_keys(X))
    assert_array_equal(content_keys(sp.csr_array(X) - sp.csr_array(X)), 0)


def test_keys_do_not_depend_on_blocks():
    X = with_copies()
    keys = content_keys(X)
    with config_context(working_memory=0.001):
        assert_array_equal(content_keys(X), keys)


def test_keys_are_equal_for_copies_only():
    X = with_copies()
    keys = content_keys(X)
    is_copy = (X[:, None] == X).all(axis=2)
    assert is_copy.sum() > len(X)
    assert_array_equal(keys[:, None] == keys, is_copy)


def test_key_of_a_subset_is_the_sum_of_its_hashes():
    X, features = with_copies(), np.array([4, 1])
    hashes = content_hashes(X, np.arange(6))
    assert_array_equal(content_keys(X[:, features], features), hashes[:, 4] + hashes[:, 1])


def test_ranks_follow_the_samples():
    X = with_copies()
    ranks = rank_by_content(X)
    order = np.random.default_rng(1).permutation(len(X))
    assert_array_equal(X[np.argsort(ranks)], X[order][np.argsort(rank_by_content(X[order]))])
