"""Distances that grow feature by feature: ties, skipped samples, rounding, units, blocks."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from evaluation.folds import integers_with_ties, refitted_scores, split_halves
from featsieve.evaluation import (
    Fold,
    linear_curve,
    nearest_mean_curve,
    nearest_neighbor_curve,
    nearest_regression_curve,
    preservation_curve,
    redundancy_curve,
)
from featsieve.evaluation._nested import NestedDistances


def blobs(kind):
    """Many samples in tight groups, so that most are skipped; the first features do not separate them."""
    random = np.random.default_rng(3)
    centers = random.integers(0, 40, size=(150, 48)).astype(float)
    X = np.repeat(centers, 10, axis=0) + random.integers(-2, 3, size=(1500, 48))
    X[:, :3] = X[:, :3] > 20
    if kind == "decimal":
        X = X / 7 + 1e-4 * random.standard_normal(X.shape)
    if kind == "far from 0":
        X = X + 1e6 * random.random(48)
    return X, random.integers(5, size=1500)


@pytest.mark.parametrize("kind", ["whole", "decimal", "far from 0"])
def test_skipping_far_samples_changes_nothing(kind, monkeypatch):
    X, y = blobs(kind)
    fold = split_halves(X, y)
    order, sizes = np.arange(48), np.arange(1, 49)
    pairs = NestedDistances(fold.X_train.T.astype(float), fold.X_test.T.astype(float))
    steps = list(pairs.steps(slice(0, 16), sizes.tolist(), 1))
    assert [step.n_features for step in steps] == sizes.tolist()
    assert sum(not isinstance(step.columns, slice) for step in steps) > 24

    def all_curves():
        yield nearest_neighbor_curve(fold, order)
        yield nearest_regression_curve(fold, order, n_neighbors=3)
        yield preservation_curve(X[::2], order)

    curves = list(all_curves())
    monkeypatch.setattr("featsieve.evaluation._nested._MIN_SKIPPING_SAMPLES", 10**9)
    for curve, expected in zip(curves, all_curves(), strict=True):
        np.testing.assert_array_equal(curve, expected)
    if kind != "far from 0":  # the products of scikit-learn lose digits there
        neighbor = KNeighborsClassifier(1, algorithm="brute")
        np.testing.assert_array_equal(curves[0], refitted_scores(neighbor, fold, order, sizes))


@pytest.mark.parametrize("n", [80, 1200])
def test_outlier_does_not_change_distances_of_other_samples(n):
    """Products lose digits to the outlier; uncertain distances are recomputed."""
    random = np.random.default_rng(0)
    X = random.standard_normal((n, 24))
    X[0] = 1e7
    y = X[:, :3].sum(axis=1)
    y[0] = 0
    fold = split_halves(X, y)
    order, sizes = np.arange(24), np.arange(1, 25)
    squared = np.cumsum((X[:, None] - X) ** 2, axis=2) if n < 100 else None
    for chosen in (sizes, sizes[5::6]):
        model = KNeighborsRegressor(5, algorithm="kd_tree")
        expected = refitted_scores(model, fold, order, chosen)
        np.testing.assert_allclose(nearest_regression_curve(fold, order, chosen), expected, rtol=1e-9)
        if squared is None:
            continue
        full = np.argsort(squared[..., -1] + np.diag([np.inf] * n), axis=1)[:, :5]
        neighbors = [np.argsort(squared[..., m - 1] + np.diag([np.inf] * n), axis=1)[:, :5] for m in chosen]
        overlaps = [
            np.mean([len(a := set(p) & set(q)) / (10 - len(a)) for p, q in zip(full, row, strict=True)])
            for row in neighbors
        ]
        np.testing.assert_allclose(preservation_curve(X, order, chosen), overlaps)


def test_nearest_of_identical_samples_is_the_first():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 12))
    train, labels = np.r_[X, X, X], np.repeat([0, 1, 2], 40)
    fold = Fold(train, X + 1e-3 * random.standard_normal(X.shape), labels, np.zeros(40))
    for sizes in (None, [1, 12], [12]):  # one feature at a time, and by a product
        assert (nearest_neighbor_curve(fold, np.arange(12), sizes) == 1).all()


def test_ties_up_to_rounding_go_to_the_first_sample():
    fold = Fold(np.array([[0.1], [0.3]]), np.array([[0.2]]), [0, 1], [0])
    assert (0.2 - 0.1) ** 2 > (0.3 - 0.2) ** 2
    assert nearest_neighbor_curve(fold, [0])[0] == 1
    assert nearest_mean_curve(fold, [0])[0] == 1


@pytest.mark.parametrize("unit", [1e-170, 1e170])
def test_extreme_units_change_nothing(unit):
    X, y = load_iris(return_X_y=True)
    order = np.arange(4)
    for curve in (nearest_neighbor_curve, nearest_mean_curve):
        np.testing.assert_array_equal(
            curve(split_halves(X * unit, y), order), curve(split_halves(X, y), order)
        )


def test_blocks_and_sparse_storage_change_nothing():
    X, y = integers_with_ties(200, 40, 5)
    fold, order = split_halves(X, y), np.random.default_rng(0).permutation(40)
    sparse = Fold(sp.csr_array(fold.X_train), sp.csr_array(fold.X_test), fold.y_train, fold.y_test)
    for curve in (nearest_neighbor_curve, nearest_mean_curve, linear_curve):
        expected = curve(fold, order)
        with config_context(working_memory=0.01):
            np.testing.assert_array_equal(curve(fold, order), expected)
        np.testing.assert_array_equal(curve(sparse, order), expected)
    expected = preservation_curve(X, order), redundancy_curve(X, order)
    with config_context(working_memory=0.01):
        np.testing.assert_allclose(preservation_curve(X, order), expected[0])
        np.testing.assert_allclose(redundancy_curve(X, order), expected[1])


def test_missing_values_raise():
    with pytest.raises(ValueError, match="NaN or infinity"):
        nearest_neighbor_curve(Fold(np.array([[1, np.nan], [2, 3.0]]), np.ones((1, 2)), [0, 1], [0]), [0, 1])
