"""Distances by the first features equal direct differences, in blocks and with skipped samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.evaluation import _nested
from featsieve.evaluation._nested import NestedDistances, class_means, feature_rows


def samples(kind, n=60, d=12):
    rng = np.random.default_rng(0)
    if kind == "whole":
        return rng.integers(0, 4, (d, n)).astype(float), rng.integers(0, 4, (d, n // 2)).astype(float)
    return rng.standard_normal((d, n)) + 100, rng.standard_normal((d, n // 2)) + 100


def literal(train, test, m):
    return ((test[:m, :, None] - train[:m, None]) ** 2).sum(axis=0)


@pytest.mark.parametrize("kind", ["whole", "decimal"])
@pytest.mark.parametrize("sizes", [range(1, 13), [1, 2, 3], [5, 12], [12]])
def test_steps_equal_direct_differences_within_their_error(kind, sizes):
    train, test = samples(kind)
    nested = NestedDistances(train, test)
    assert nested.is_exact == (kind == "whole")
    steps = nested.steps(slice(3, 20), list(sizes), 1)
    for size, step in zip(sizes, steps, strict=True):
        assert step.n_features == size
        expected = literal(train, test, size)[3:20][:, step.columns]
        error = np.broadcast_to(np.reshape(step.error.rows, (-1, 1)) + step.error.columns, expected.shape)
        if kind == "whole":
            assert_array_equal(step.distances, expected)
        else:
            assert_allclose(step.distances, expected, atol=error.max(), rtol=1e-14)


@pytest.mark.parametrize("kind", ["whole", "decimal"])
@pytest.mark.parametrize("skipping", [0, 10**9])
@pytest.mark.parametrize("k", [1, 3, 60])
def test_nearest_indices_are_the_smallest_of_equal_distances(kind, skipping, k, monkeypatch):
    monkeypatch.setattr(_nested, "_MIN_SKIPPING_SAMPLES", skipping)
    train, test = samples(kind)
    train[:, 30:] = train[:, :30]
    nested, sizes = NestedDistances(train, test), [1, 2, 7, 12]
    blocks = nested.map_blocks(lambda steps: [nested.nearest_indices(step, k) for step in steps], sizes, k)
    for indices, size in zip(zip(*blocks, strict=True), sizes, strict=True):
        expected = np.argsort(literal(train, test, size), axis=1, kind="stable")[:, :k]
        assert_array_equal(np.sort(np.concatenate(indices), axis=1), np.sort(expected, axis=1))


def test_samples_are_not_their_own_neighbors():
    train, _ = samples("decimal")
    nested = NestedDistances(train, train, same=True)
    blocks = nested.map_blocks(lambda steps: [nested.nearest_indices(step, 1) for step in steps], [12])
    expected = literal(train, train, 12)
    np.fill_diagonal(expected, np.inf)
    assert_array_equal(np.concatenate([block[0] for block in blocks])[:, 0], expected.argmin(axis=1))


def test_nearest_codes():
    train, test = samples("decimal")
    codes = np.random.default_rng(1).integers(0, 3, 60)
    nested = NestedDistances(train, test)
    (step,) = nested.steps(slice(0, 30), [12], 1)
    assert_array_equal(nested.nearest_codes(step, codes), codes[literal(train, test, 12).argmin(axis=1)])


def test_class_means_are_whole_where_possible():
    codes = np.array([0, 0, 1, 1, 1])
    train, test = np.array([[1.0, 2.0, 1.0, 1.0, 3.0]]), np.array([[4.0]])
    means, scaled = class_means(train, test, codes)
    assert_array_equal(means, [[9.0, 10.0]])
    assert_array_equal(scaled, [[24.0]])
    means, scaled = class_means(train / 7, test, codes)
    assert_allclose(means, [[1.5 / 7, 5 / 21]])
    assert_array_equal(scaled, test)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_feature_rows(form):
    X = np.arange(12).reshape(3, 4)
    rows = feature_rows(form(X), np.array([2, 0]))
    assert rows.dtype == np.float64
    assert rows.flags.c_contiguous
    assert_array_equal(rows, [[2, 6, 10], [0, 4, 8]])
    with pytest.raises(ValueError, match="X must be finite"):
        feature_rows(form(np.array([[1.0, np.nan]])), np.array([1, 0]))
