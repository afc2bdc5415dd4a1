"""Barycenter weights on a line: if values tie, the LLE score is an expectation over the ties."""

import numpy as np
import pytest
from literal import lle as ll
from numpy.testing import assert_allclose

from featsieve import KNNGraph, LLEScore, scores
from featsieve.graphs import barycenter_weights
from featsieve.scores.line import line_weights


def tied_matrix(seed, n=60, levels=(2, 3, 5, 8, 12, 30, 200)):
    """Integer columns from nearly binary to nearly tie-free, one mostly zero, one constant."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, top, n) for top in levels]
    columns += [rng.integers(0, 9, n) * (rng.random(n) < 0.2), np.full(n, 4)]
    return np.column_stack(columns).astype(float)


@pytest.mark.parametrize("k", [1, 2, 5, 7])
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_unchanged_when_samples_are_permuted(k, seed):
    X = tied_matrix(seed)
    X[1] = X[0]  # a repeated sample
    reference = LLEScore(k).fit(X).scores_
    for shuffle in range(5):
        order = np.random.default_rng(shuffle).permutation(len(X))
        assert_allclose(LLEScore(k).fit(X[order]).scores_, reference, rtol=0, atol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("reg", [1e-5, 0.5])
def test_score_is_the_expectation_over_random_ties(k, reg):
    X = tied_matrix(k, n=25)
    graph = KNNGraph(k).build(X)
    # the same data weights in both, also if multivariate distances tie
    M = np.zeros((len(X), len(X)))
    np.put_along_axis(M, graph.neighbors.indices, barycenter_weights(X, graph.neighbors.indices), axis=1)
    rng = np.random.default_rng(0)
    draws = np.array([ll.lle_random_ties(X, M, k, reg, rng) for _ in range(200)])
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    ours = scores.lle_score(X, graph, k, reg)
    assert np.all(abs(ours - draws.mean(axis=0)) <= 4.5 * error + 1e-9 * draws.mean(axis=0))


@pytest.mark.parametrize("k", [1, 4])
def test_expected_weights_sum_to_one(k):
    F = tied_matrix(0).T
    hat = line_weights(F, k, 1e-5)
    total = sum(hat.at(F, np.roll(F, shift, axis=1)) for shift in range(1, F.shape[1]))
    assert_allclose(total, 1.0, atol=1e-9)


def test_tied_neighbors_share_the_weight():
    # the one neighbor of 0 is -1 or 1, each with probability one half
    F = np.array([[0.0, -1.0, 1.0]])
    hat = line_weights(F, 1, 0.0)
    assert_allclose(hat.at(F, F - np.array([[1.0, 0.0, 0.0]]))[0, 0], 0.5)
    assert_allclose(hat.at(F, F + np.array([[1.0, 0.0, 0.0]]))[0, 0], 0.5)


@pytest.mark.parametrize("unit", [0.1, 0.3, 1 / 7, 1e-3, 7.7])
@pytest.mark.parametrize("k", [1, 2, 5, 7])
def test_scores_do_not_depend_on_the_unit(k, unit):
    X = tied_matrix(k)
    X[:, 5] -= 13  # both signs
    graph = KNNGraph(k).build(X)
    expected = scores.lle_score(X, graph, k, 1e-5)
    assert_allclose(scores.lle_score(unit * X, graph, k, 1e-5 * unit**2), expected, rtol=1e-8)
    short = scores.lle_score((unit * X).astype(np.float32), graph, k, 1e-5 * unit**2)
    assert_allclose(short, expected, rtol=1e-5)


def test_scores_do_not_depend_on_standardization():
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 40, (80, 6)) + 100) / 10
    graph = KNNGraph(5).build(X)
    centered = (X - X.mean(axis=0)) / 3
    assert_allclose(
        scores.lle_score(centered, graph, 5, 1e-5), scores.lle_score(X, graph, 5, 9e-5), rtol=1e-8
    )


@pytest.mark.parametrize("unit", [1.0, 2.0**-30, 2.0**30])
def test_differences_larger_than_rounding_are_not_ties(unit):
    # -1 is nearer to 0 than 1 + 1e-9 is; a far value changes nothing, nor do whole numbers of twelve digits
    for F in ([0.0, -1.0, 1.0 + 1e-9, 1e12], [0.0, 1.0 - 1e12, 1e12, 5e12]):
        F = unit * np.array([F])
        hat = line_weights(F, 1, 0.0).take([0] * 4)
        assert_allclose(hat.at(F[:, :1], F.T)[1:, 0], [1.0, 0.0, 0.0])


def test_copies_are_closer_than_values_within_rounding():
    # three copies are nearer than any other value, however near that one is
    F = np.array([[1.0, 1.0, 1.0, 1.0 + 2**-52, 1.0 - 2**-53, 3.0]])
    hat = line_weights(F, 3, 1e-5)
    total = sum(hat.at(F, np.roll(F, shift, axis=1)) for shift in range(1, 6))
    assert_allclose(total[0, :5], 1.0, atol=1e-9)


def test_constant_feature_has_equal_weights():
    hat = line_weights(np.zeros((1, 7)), 3, 1e-5)
    assert_allclose(hat.at(np.zeros((1, 7)), np.zeros((1, 7))), 1 / 6)
    assert_allclose(hat.norms, 7 / 3)


def test_unit_matters_only_relative_to_the_regularization():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6)) * 100
    # a feature in units 1000 times smaller is the same feature under a gamma 10^6 times smaller
    ours, other = line_weights(1000 * X.T, 5, 1e-5), line_weights(X.T, 5, 1e-11)
    assert_allclose(ours.norms, other.norms, rtol=1e-9)
    assert_allclose(ours.slope * 1000, other.slope, rtol=1e-9)
    graph = KNNGraph(5).build(X)
    assert_allclose(
        scores.lle_score(1000 * X, graph, reg=1e-5), scores.lle_score(X, graph, reg=1e-11), rtol=1e-9
    )
    # where gamma is not small against the gaps between values, the unit does matter
    assert abs(scores.lle_score(X * 1e-4, graph)[0] / scores.lle_score(X, graph)[0] - 1) > 0.01


@pytest.mark.parametrize("value", [1.1, 98765.43, 7654321.98, 1e12])
def test_equal_neighbors_have_equal_weights_at_any_magnitude(value):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.zeros(50), 1e9 * rng.standard_normal(50)])
    X[7, 0] = 1.1
    expected = scores.lle_score(X, graph := KNNGraph(5).build(X))
    X[7, 0] = value
    assert_allclose(scores.lle_score(X, graph), expected, rtol=1e-9)
    assert abs(expected[0] - 41.0458) < 1e-3


@pytest.mark.parametrize("scale", [1e-8, 1e5, 1e8, 1e15])
def test_single_neighbor_has_weight_one_at_any_magnitude(scale):
    X = np.random.default_rng(0).standard_normal((30, 5))
    expected = LLEScore(1).fit(X).scores_
    assert_allclose(LLEScore(1).fit(X * scale).scores_, expected, rtol=1e-9)
    assert len(set(expected)) > 1
