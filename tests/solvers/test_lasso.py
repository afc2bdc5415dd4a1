"""Lasso paths of several responses are optimal, and equal to those of one response at a time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context

from featsieve.solvers import lasso
from featsieve.solvers.lasso import lasso_paths


def correlated(n=80, d=40, seed=0, responses=6):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5)) @ rng.standard_normal((5, d)) + 0.5 * rng.standard_normal((n, d))
    X -= X.mean(axis=0)
    Y = X @ rng.standard_normal((d, responses)) + rng.standard_normal((n, responses))
    return X, Y - Y.mean(axis=0)


def check_optimal(X, y, a, n_nonzero):
    """Check that the coefficients solve the lasso at some level, and that this level is a knot."""
    c = X.T @ (y - X @ a)
    level, active = np.abs(c).max(), a != 0
    assert active.sum() == n_nonzero
    assert_allclose(c[active], level * np.sign(a[active]), rtol=1e-7)
    assert np.sort(np.abs(c[~active]))[-1] == pytest.approx(level, rel=1e-7)


@pytest.mark.parametrize("gram", [True, False])
@pytest.mark.parametrize("n_nonzero", [1, 7, 25])
def test_every_path_is_optimal_at_its_last_knot(gram, n_nonzero):
    X, Y = correlated()
    for y, a in zip(Y.T, lasso_paths(X, Y.T @ X, n_nonzero, gram), strict=True):
        check_optimal(X, y, a, n_nonzero)


@pytest.mark.parametrize("gram", [True, False])
def test_paths_do_not_depend_on_other_responses(gram):
    X, Y = correlated()
    covariances = Y.T @ X
    together = lasso_paths(X, covariances, 20, gram)
    alone = [lasso_paths(X, row[None], 20, gram)[0] for row in covariances]
    assert_allclose(together, alone, rtol=1e-9, atol=1e-12)
    with config_context(working_memory=0):  # one path at a time
        assert_allclose(lasso_paths(X, covariances, 20, gram), together, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("gram", [True, False])
@pytest.mark.parametrize(
    ("drift", "stale", "dependent"),
    [(-1, -1, 0), (-1, 1e-9, 0), (1e-11, 1e-9, 2), (-1, -1, 2), (np.inf, np.inf, 0)],
)
def test_refining_and_refreshing_the_inverse_do_not_change_the_path(
    monkeypatch, gram, drift, stale, dependent
):
    X, Y = correlated(seed=1)
    expected = lasso_paths(X, Y.T @ X, 30, gram)
    monkeypatch.setattr(lasso, "_REFINE_TOL", drift)
    monkeypatch.setattr(lasso, "_REFRESH_TOL", stale)
    monkeypatch.setattr(lasso, "_NEAR_DEPENDENCE_RTOL", dependent)
    assert_allclose(lasso_paths(X, Y.T @ X, 30, gram), expected, rtol=1e-9, atol=1e-12)


def ill_conditioned(n=80, d=200, responses=4):
    """Return features that are nearly equal to the next one, like the pixels of an image."""
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((n, responses))
    X = rng.standard_normal((n, d)).cumsum(axis=1)
    X -= X.mean(axis=0)
    return X / np.abs(X).max(), Y - Y.mean(axis=0)


@pytest.mark.parametrize("gram", [True, False])
def test_refining_avoids_factorizations(monkeypatch, gram):
    refreshed, refresh = [], lasso.LassoPaths._refresh

    def count_refresh(self, path):
        refreshed.append(path)
        return refresh(self, path)

    monkeypatch.setattr(lasso.LassoPaths, "_refresh", count_refresh)
    X, Y = ill_conditioned()
    lasso_paths(X, Y.T @ X, 79, gram)
    assert len(refreshed) < 10  # of some hundred knots


def test_an_ill_conditioned_path_ends_at_the_same_point_with_and_without_the_gram_matrix():
    X, Y = ill_conditioned()
    with_gram, without = (lasso_paths(X, Y.T @ X, 79, gram) for gram in (True, False))
    assert_array_equal(with_gram != 0, without != 0)
    assert_allclose(with_gram, without, atol=1e-5 * np.abs(without).max())


@pytest.mark.parametrize("distance", [0, 1e-13, 1e-9, 1e-6, 1e-4])
def test_features_that_are_nearly_linear_combinations_of_others(distance):
    X, _ = correlated(n=60, d=12)
    rng = np.random.default_rng(3)
    noise = rng.standard_normal((60, 12))
    X = np.hstack([X, X @ rng.standard_normal((12, 12)) / 4 + distance * (noise - noise.mean(axis=0))])
    y = rng.standard_normal(60)
    y -= y.mean()
    a = lasso_paths(X, (X.T @ y)[None], 24)[0]
    c = X.T @ (y - X @ a)
    active = a != 0
    assert active.sum() >= 12
    # no covariance exceeds the level
    level = np.abs(c[active]).max()
    assert np.abs(c).max() <= level + 1e-6 * np.abs(X.T @ y).max()


def test_copies_and_constants_do_not_enter():
    X, Y = correlated(d=10)
    expected = lasso_paths(X, Y.T @ X, 10)
    wide = np.hstack([X, X, np.zeros((len(X), 3)), -X])
    coefficients = lasso_paths(wide, Y.T @ wide, 33)
    assert_allclose(coefficients[:, :10], expected, rtol=1e-6, atol=1e-10)
    assert not coefficients[:, 10:].any()


def test_the_end_of_the_path_is_least_squares():
    X, Y = correlated(d=15)
    least_squares = np.linalg.lstsq(X, Y, rcond=None)[0].T
    assert_allclose(lasso_paths(X, Y.T @ X, 15), least_squares, rtol=1e-8)


def test_responses_without_covariance_and_no_responses():
    X, Y = correlated()
    covariances = Y.T @ X
    covariances[2] = 0
    coefficients = lasso_paths(X, covariances, 9)
    assert_array_equal(coefficients[2], 0)
    assert_array_equal(np.count_nonzero(coefficients, axis=1), [9, 9, 0, 9, 9, 9])
    assert_array_equal(lasso_paths(X, np.zeros((2, 40)), 9), 0)
    assert lasso_paths(X, np.zeros((0, 40)), 9).shape == (0, 40)


def test_scale_of_features_does_not_matter():
    X, Y = correlated()
    expected = lasso_paths(X, Y.T @ X, 12)
    for scale in (1e-60, 1e60):
        coefficients = lasso_paths(X * scale, Y.T @ X * scale, 12)
        assert_allclose(coefficients * scale, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("gram", [True, False])
def test_copies_do_not_end_the_path_early(gram):
    """The path reaches least squares, with as many coefficients as the rank."""
    for seed in range(10):
        X, y = correlated(12, 10, seed, responses=3)
        doubled = np.hstack([X, X])
        coefficients = lasso_paths(doubled, y.T @ doubled, 10, gram)
        expected = np.linalg.lstsq(X, y, rcond=None)[0].T
        assert_allclose(
            coefficients[:, :10] + coefficients[:, 10:], expected, atol=1e-7 * np.abs(expected).max()
        )


@pytest.mark.parametrize("size", [1e-150, 1e-157, 1e-170])
def test_features_whose_squares_underflow_do_not_enter(size):
    y = np.repeat([-1.0, 1.0], 4)
    X = np.column_stack([np.tile([1.0, -1.0], 4), size * y])
    assert_array_equal(lasso_paths(X, (y @ X)[None], 1), 0)
