"""Methods that choose features one by one against their exact versions, on data of extreme magnitudes.

The exact versions compute in fractions and with 100 digits, from docs/readings.md.
"""

import numpy as np
import pytest
from exact import scores as exact
from exact.scores import greedy
from exact.scores.exact import mp, to_mp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from featsieve import (
    MRMR,
    ColumnSubset,
    Diverse,
    FacilityLocation,
    FisherScore,
    L1Path,
    LaplacianScore,
    ModelImportance,
    SupervisedColumnSubset,
)
from featsieve.subsets import l1_path_ranking
from featsieve.subsets.auto import labeled_rankings, unlabeled_rankings

from .magnitudes import N_FEATURES, N_SAMPLES, TRANSFORMATIONS, hostile

# Rounding decides choices whose exact relative difference is smaller.
DECIDED = 3e-9
# Number of features to choose; the last one is not chosen.
N_CHOICES = N_FEATURES - 1
TARGETS = {
    "classes": np.arange(N_SAMPLES) % 3,
    "a class of one": np.repeat([0, 1, 2], [N_SAMPLES - 5, 4, 1]),
    "-1 and 1": np.where(np.arange(N_SAMPLES) % 3 == 0, -1, 1),
    "numbers": np.arange(N_SAMPLES) % 3 + np.random.default_rng(3).random(N_SAMPLES),
    "nearly a feature": None,
}

over_data = pytest.mark.parametrize("name", TRANSFORMATIONS)
over_targets = pytest.mark.parametrize("target", TARGETS)


def data(name, target="classes"):
    """Return X, the target, and whether it contains classes."""
    X, _ = hostile(name)
    if target == "nearly a feature":
        y = X[:, 2] / np.abs(X[:, 2]).max() + 1e-5 * np.random.default_rng(3).random(N_SAMPLES)
    else:
        y = TARGETS[target]
    return X, y, y.dtype.kind != "f"


def check(ranking, expected, rtol=1e-8):
    """Compare a pair of scores and order, or a fitted ranker, with the exact ranking."""
    if hasattr(ranking, "scores_"):
        ranking = ranking.scores_, ranking.order_
    if expected.gap < DECIDED:
        pytest.skip(f"an exact choice is decided by a relative difference of {expected.gap:.1g}")
    assert list(ranking[1]) == expected.order
    finite = expected.scores[np.isfinite(expected.scores)]
    assert_allclose(ranking[0], expected.scores, rtol=rtol, atol=1e-12 * np.abs(finite).max(initial=0))


def constant(X):
    return np.ptp(X, axis=0) == 0


@over_data
@pytest.mark.parametrize("penalty", ["correlation", "squared"])
def test_diverse(name, penalty):
    X, y, _ = data(name)
    expected = greedy.diverse(
        X, greedy.quality(exact.fisher(X, y), "larger", constant(X)), N_CHOICES, penalty
    )
    check(Diverse(FisherScore(), penalty=penalty, n_features_to_select=N_CHOICES).fit(X, y), expected)
    scores = exact.laplacian(X, exact.knn_graph(X, 5))
    expected = greedy.diverse(X, greedy.quality(scores, "smaller", constant(X)), N_CHOICES, penalty)
    check(Diverse(LaplacianScore(), penalty=penalty, n_features_to_select=N_CHOICES).fit(X), expected)


@over_data
def test_column_subset(name):
    X, _, _ = data(name)
    check(ColumnSubset(n_features_to_select=N_CHOICES).fit(X), greedy.column_subset(X, N_CHOICES))


@over_data
@pytest.mark.parametrize("k", [1, 5, N_SAMPLES - 1])
def test_facility_location(name, k):
    X, _, _ = data(name)
    check(
        FacilityLocation(k, n_features_to_select=N_CHOICES).fit(X), greedy.facility_location(X, N_CHOICES, k)
    )


@over_data
@over_targets
def test_supervised_column_subset(name, target):
    X, y, classes = data(name, target)
    relief = exact.relieff(X, y) if classes else None
    expected = greedy.supervised_column_subset(X, y, N_CHOICES, classes, relief)
    check(SupervisedColumnSubset(n_features_to_select=N_CHOICES).fit(X, y), expected)


@over_data
@over_targets
@pytest.mark.parametrize("scheme", ["quotient", "difference"])
@pytest.mark.parametrize("relevance", ["f", "mutual_information"])
def test_mrmr(name, target, relevance, scheme):
    X, y, classes = data(name, target)
    expected = greedy.mrmr(X, y, N_CHOICES, classes, relevance, scheme)
    check(MRMR(relevance=relevance, scheme=scheme, n_features_to_select=N_CHOICES).fit(X, y), expected)


# with one sample far away, all features are copies up to rounding
@pytest.mark.parametrize("name", sorted(TRANSFORMATIONS.keys() - {"one sample far away"}))
@over_targets
def test_l1_path(name, target):
    X, y, classes = data(name, target)
    scores = L1Path(n_features_to_select=N_FEATURES).fit(X, y).scores_
    assert_allclose(scores, greedy.l1_path(X, y, classes), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("factor", [1e5, 1e6, 1e8, 1e12])
@pytest.mark.parametrize("n_samples", [4, N_SAMPLES], ids=["wide", "tall"])
def test_choices_after_a_very_long_column(n_samples, factor):
    for seed in range(8):
        X = np.random.default_rng(seed).standard_normal((n_samples, N_FEATURES))
        X[:, seed % N_FEATURES] *= factor
        check(ColumnSubset(n_features_to_select=2).fit(X), greedy.column_subset(X, 2))
        if n_samples > 5:
            check(FacilityLocation(n_features_to_select=4).fit(X), greedy.facility_location(X, 4))


@pytest.mark.parametrize(
    "name", ["plain", "times 1e8", "zero-inflated", "heavy-tailed", "one column times 1e5"]
)
def test_float32(name):
    X, y, _ = data(name)
    X = X.astype(np.float32)
    check(ColumnSubset(n_features_to_select=3).fit(X), greedy.column_subset(X, 3))
    check(MRMR(n_features_to_select=3).fit(X, y), greedy.mrmr(X, y, 3, True))
    # the scores of single features and the graph have the precision of X
    rtol = 1e3 * np.finfo(np.float32).eps
    q = greedy.quality(exact.fisher(X, y), "larger", constant(X))
    check(Diverse(FisherScore(), n_features_to_select=3).fit(X, y), greedy.diverse(X, q, 3), rtol)
    expected = greedy.supervised_column_subset(X, y, 3, True, exact.relieff(X, y))
    check(SupervisedColumnSubset(n_features_to_select=3).fit(X, y), expected, rtol)
    check(FacilityLocation(n_features_to_select=3).fit(X), greedy.facility_location(X, 3), rtol)


@over_data
@over_targets
def test_rankings_among_which_the_automatic_selection_chooses(name, target):
    X, y, classes = data(name, target)
    relief = exact.relieff(X, y) if classes else None
    expected = {
        "supervised column subset": greedy.supervised_column_subset(X, y, 3, classes, relief),
        "diverse relevance": greedy.diverse(X, greedy.target_quality(X, y, classes, relief), 3),
        "mRMR": greedy.mrmr(X, y, 3, classes),
    }
    rankings = labeled_rankings(X, y, 3)
    assert rankings.keys() == expected.keys() | {"L1 path"}
    assert_allclose(rankings["L1 path"][0], l1_path_ranking(X, y, 3)[0])
    for kind, ranking in expected.items():
        check(rankings[kind], ranking)


@over_data
def test_rankings_among_which_the_automatic_selection_chooses_without_labels(name):
    X, _, _ = data(name)
    share, size = greedy.reconstructed_shares(X), greedy.deviations(X)
    laplacian = exact.laplacian(X, exact.knn_graph(X, 5))
    q = [
        mp.sqrt(max(0, 1 - L) * to_mp(r) * s / max(size)) if r else mp.mpf(0)
        for L, r, s in zip(laplacian, share, size, strict=True)
    ]
    rankings = unlabeled_rankings(X, 3)
    expected = {
        "diverse": greedy.diverse(X, q, 3, "squared"),
        "weighted column subset": greedy.column_subset(X, 3, share),
        "facility location": greedy.facility_location(X, 3),
    }
    assert rankings.keys() == expected.keys()
    for kind, ranking in expected.items():
        if ranking.gap >= DECIDED:
            check(rankings[kind], ranking)


@over_data
@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("forest", RandomForestClassifier(random_state=0)),
        ("boosting", GradientBoostingClassifier(max_features="sqrt", random_state=0)),
    ],
)
def test_importances_of_exactly_standardized_features(name, kind, model):
    X, y, _ = data(name)
    expected = clone(model).fit(greedy.standardized(X), y).feature_importances_
    assert_allclose(ModelImportance(kind, random_state=0).fit(X, y).scores_, expected, rtol=1e-6, atol=1e-9)
