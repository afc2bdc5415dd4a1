import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featsieve import (
    AutoSelector,
    ChiSquareScore,
    ConstraintScore,
    Diverse,
    FisherScore,
    LaplacianScore,
    PearsonScore,
    SupervisedColumnSubset,
    VarianceScore,
)
from featsieve.evaluation import RepeatedSplits, Resamples, choose_n_features
from featsieve.evaluation.held_out import content_sample


def classes(seed, n=200, d=30, shift=0.7):
    """Return data with three informative features and two classes."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.standard_normal((n, d))
    X[:, :3] += shift * (2 * y[:, None] - 1)
    return X, y


def numbers(seed, n=200, d=30):
    """Return data with three informative features and a numeric target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, :3].sum(axis=1) + 0.5 * rng.standard_normal(n)


def in_order(X, y, n_features):
    return {"in order": np.arange(X.shape[1])}


def fit_quietly(ranker, X, y):
    """Return the fitted ranker and whether it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker.fit(X, y)
    return ranker, bool(caught)


def test_curves_equal_refitted_classifiers():
    X, y = classes(0, n=80, d=6)
    curves = Resamples(X, y, sizes=[2, 5], n_resamples=3).curves(in_order)["in order"]
    splits = RepeatedSplits(3, 0.25).splits(80, y, 0)
    for split, row in zip(splits, curves, strict=True):
        for m, value in zip([2, 5], row, strict=True):
            models = (
                KNeighborsClassifier(1, algorithm="brute"),
                make_pipeline(StandardScaler(), RidgeClassifier(len(split.train) / 10)),
            )
            scores = [
                model.fit(X[split.train, :m], y[split.train]).score(X[split.test, :m], y[split.test])
                for model in models
            ]
            assert_allclose(value, np.mean(scores))


def test_rankings_see_training_samples_only():
    X, y = classes(1, n=60, d=4)
    seen = []

    def rank(X_train, y_train, n_features):
        seen.append({row.tobytes() for row in X_train})
        assert len(X_train) == len(y_train) == 45
        return in_order(X_train, y_train, n_features)

    Resamples(X, y, n_resamples=4).curves(rank)
    assert len(seen) == 4
    assert len({frozenset(rows) for rows in seen}) == 4


def test_permuted_labels_are_chance():
    X, y = classes(2, shift=3)
    resamples = Resamples(X, y, sizes=[3])
    assert resamples.curves(in_order)["in order"].mean() > 0.95
    chance = resamples.curves(in_order, permuted=True)["in order"]
    assert chance.shape == (20, 1)
    assert 0.4 < chance.mean() < 0.6


def test_permuted_columns_keep_their_values():
    X = np.random.default_rng(0).standard_normal((40, 1)) * np.arange(1, 6) + np.arange(5)
    for matrix in (X, sp.csr_array(np.where(X > 1, X, 0))):
        seen = []

        def rank(X_train, y, n_features, seen=seen):
            seen.append(X_train.toarray() if sp.issparse(X_train) else X_train)
            return in_order(X_train, y, n_features)

        Resamples(matrix, n_resamples=1).curves(rank, permuted=True)
        dense = matrix.toarray() if sp.issparse(matrix) else matrix
        for column, original in zip(seen[0].T, dense.T, strict=True):
            assert {*column} <= {*original}
        assert abs(np.corrcoef(seen[0][:, 3:].T)[0, 1]) < 0.9


def test_sampled_rows_do_not_depend_on_their_order():
    X = np.random.default_rng(0).standard_normal((50, 3))
    sample = X[content_sample(X, 20)]
    shuffled = X[::-1][content_sample(X[::-1], 20)]
    assert sample.shape == (20, 3)
    assert_array_equal(shuffled[::-1], sample)


def test_smallest_size_within_one_standard_error():
    curves = np.array([[0.5, 0.78, 0.80], [0.5, 0.82, 0.80], [0.5, 0.79, 0.80]])
    choice = choose_n_features([1, 5, 9], curves, curves - 0.1, test_ratio=1 / 3)
    deficits = 0.80 - curves[:, 1]
    assert_allclose(choice.curve["std_error"][1], deficits.std(ddof=1) / np.sqrt(3))
    assert choice.n_features == 5
    assert choose_n_features([1, 5, 9], curves - np.array([0, 0.05, 0]), curves - 0.1, 1 / 3).n_features == 9


def test_relative_choice_subtracts_chance():
    curves = np.array([[0.3, 0.6, 1.0], [0.31, 0.6, 1.0], [0.3, 0.59, 1.0]])
    chance = np.array([[0.2, 0.2, 1.0]] * 3)
    assert choose_n_features([1, 2, 3], curves, chance, 1.0).n_features == 3
    assert choose_n_features([1, 2, 3], curves, chance, 1.0, relative=True).n_features == 2


def test_chance_is_beaten_only_significantly():
    noise = np.random.default_rng(0).normal(0, 0.1, (10, 3))
    chance = np.full((10, 3), 0.5)
    choice = choose_n_features([1, 2, 4], 0.51 + noise + [0, 0, 0.01], chance, 1 / 3)
    assert not choice.beats_chance
    assert choice.n_features == 1
    assert choose_n_features([1, 2, 4], 0.8 + noise, chance, 1 / 3).beats_chance
    assert not choose_n_features([1, 2, 4], chance, chance, 1 / 3).beats_chance


def test_variation_of_chance_counts():
    """As much as that of the performance where it is larger, and again as the error of its mean."""
    noise = np.random.default_rng(0).normal(0, 1, (2, 20, 1))
    noise = (noise - noise.mean(axis=1, keepdims=True)) / noise.std(axis=1, ddof=1, keepdims=True)
    for spread, spread_of_chance in ((0.1, 0.02), (0.1, 0.2)):
        error = np.sqrt((1 / 20 + 1 / 3) * max(spread, spread_of_chance) ** 2 + spread_of_chance**2 / 20)
        critical = stats.t.ppf(0.985, 19) * error
        for factor in (0.99, 1.01):
            curves, chance = 0.5 + factor * critical + spread * noise[0], 0.5 + spread_of_chance * noise[1]
            assert choose_n_features([1], curves, chance, 1 / 3).beats_chance == (factor > 1)


@pytest.mark.parametrize(("make", "ranker"), [(classes, FisherScore), (numbers, PearsonScore)])
def test_three_informative_features_are_found(make, ranker):
    chosen = [fit_quietly(ranker(n_features_to_select="auto"), *make(seed)) for seed in range(10)]
    assert sum(3 <= model.n_features_ <= 5 for model, _ in chosen) >= 9
    assert not any(warned for _, warned in chosen)


@pytest.mark.parametrize(("make", "ranker"), [(classes, FisherScore), (numbers, PearsonScore)])
def test_noise_is_reported(make, ranker):
    warned = []
    for seed in range(10):
        X, y = make(seed, n=120)
        y = np.random.default_rng(seed).permutation(y)
        warned.append(fit_quietly(ranker(n_features_to_select="auto"), X, y)[1])
    assert sum(warned) >= 9


def test_warning_names_both_performances():
    X, y = classes(3, n=60, shift=0)
    with pytest.warns(UserWarning, match=r"no better than with permuted labels \(accuracy 0\.\d\d, 0\.\d\d"):
        FisherScore(n_features_to_select="auto").fit(X, y)


def test_curve_of_the_choice_is_an_attribute():
    model = FisherScore(n_features_to_select="auto").fit(*classes(4))
    curve = model.n_features_curve_
    assert list(curve) == ["n_features", "score", "chance", "std_error"]
    assert curve["n_features"].tolist()[:5] == [1, 2, 3, 4, 5]
    assert model.n_features_ in curve["n_features"].tolist()
    assert model.transform(classes(4)[0]).shape == (200, model.n_features_)


def test_ranking_is_that_of_all_samples():
    X, y = classes(5)
    automatic = FisherScore(n_features_to_select="auto").fit(X, y)
    assert_array_equal(automatic.order_, FisherScore().fit(X, y).order_)


def test_labels_choose_the_number_for_unsupervised_rankers_too():
    X, y = classes(6)
    X[:, :3] *= 10
    model = VarianceScore(n_features_to_select="auto").fit(X, y)
    assert model.n_features_ == 3


def test_number_of_correlated_features_without_labels():
    # three factors, each measured by eight features
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((150, 3)), 8, axis=1) + 0.2 * rng.standard_normal((150, 24))
    model = Diverse(n_features_to_select="auto").fit(X)
    assert 3 <= model.n_features_ <= 6
    model = LaplacianScore(n_features_to_select="auto").fit(X)  # chooses copies first
    assert 6 < model.n_features_ < 24
    with pytest.warns(UserWarning, match="columns were permuted"):
        LaplacianScore(n_features_to_select="auto").fit(rng.standard_normal((150, 24)))


def test_sparse_counts():
    X, y = classes(7, shift=2)
    counts = sp.csr_array(np.maximum(X + 2, 0).astype(int))
    assert ChiSquareScore(n_features_to_select="auto").fit(counts, y).n_features_ <= 6


def test_samples_without_label_are_not_measured():
    X, y = classes(8, shift=1.5)
    partial = np.where(np.arange(200) % 3 == 0, -1, y)
    model = ConstraintScore(n_features_to_select="auto").fit(X, partial)
    assert 1 <= model.n_features_ <= 8
    # with -1 as a third class, at most two thirds would be classified correctly
    assert model.n_features_curve_["score"].max() > 0.9


def test_several_targets():
    X, y = numbers(9)
    Y = np.column_stack([y, X[:, 5] + 0.1 * y])
    model = SupervisedColumnSubset(n_features_to_select="auto").fit(X, Y)
    assert {0, 1, 2, 5} <= {*model.get_support(indices=True)}


def test_too_few_samples_are_reported():
    with pytest.raises(ValueError, match=r"ranked on \d of the 6 samples.*Add samples, or pass"):
        LaplacianScore(n_features_to_select="auto").fit(np.random.default_rng(0).standard_normal((6, 4)))


def test_errors_that_are_not_due_to_the_number_of_samples_are_those_of_all_samples():
    X, y = numbers(0, n=40)
    with pytest.raises(ValueError, match="Unknown label type: continuous") as expected:
        FisherScore().fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type: continuous") as caught:
        FisherScore(n_features_to_select="auto").fit(X, y)
    assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize("ranker", [FisherScore, AutoSelector])
def test_labels_of_several_types_are_rejected(ranker):
    X, y = classes(0, n=40)
    mixed = np.where(y == 0, "a", y.astype(object))
    with pytest.raises(ValueError, match="labels of one type; got int, str"):
        ranker(n_features_to_select="auto").fit(X, mixed)


def test_a_column_of_labels_is_split_as_a_vector():
    X, y = classes(0, n=60, d=4)
    vector, column = (
        Resamples(X, labels, n_resamples=3).curves(in_order)["in order"] for labels in (y, y[:, None])
    )
    assert_array_equal(column, vector)


def test_permuted_labels_keep_the_shares_of_the_classes():
    y = np.arange(80) % 5 == 0
    seen = []

    def rank(X_train, y_train, n_features):
        seen.append(y_train)
        return in_order(X_train, y_train, n_features)

    resamples = Resamples(np.random.default_rng(0).standard_normal((80, 3)), y)
    measured = resamples.curves(rank)["in order"], resamples.curves(rank, permuted=True)["in order"]
    assert measured[0].shape == measured[1].shape == (20, 3)
    assert {int(labels.sum()) for labels in seen} == {12}
    original, permuted = seen[:20], seen[20:]
    assert all((a != b).any() for a, b in zip(original, permuted, strict=True))


def test_permuted_labels_respect_groups():
    X, _ = classes(0)
    groups = np.arange(200) // 10
    y, seen = groups % 2, []

    def rank(X, y, n_features):
        seen.append((X[:, 0], y))
        return in_order(X, y, n_features)

    Resamples(X + 1e3 * groups[:, None], y, n_resamples=3, sizes=[2], groups=groups).curves(
        rank, permuted=True
    )
    for first, labels in seen:
        group = np.rint(first / 1e3)
        assert all(np.ptp(labels[group == g]) == 0 for g in np.unique(group))
    assert any(np.any(labels != np.rint(first / 1e3) % 2) for first, labels in seen)
