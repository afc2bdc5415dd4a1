"""The literal methods that choose features one by one: values by hand, identities, other packages."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import f_oneway
from sklearn.feature_selection import f_regression
from sklearn.linear_model import Lasso, lars_path
from sklearn.metrics import mutual_info_score

from . import greedy as g
from . import scores as s
from .graphs import knn
from .lasso_path import entry_penalties, lasso_path
from .lle import kkt_weights

close = {"rtol": 1e-9, "atol": 1e-12}

METHODS = {
    "diverse": lambda X, y, n: g.diverse(X, s.pearson(X, y), n, "squared"),
    "column_subset": lambda X, y, n: g.column_subset(X, n),
    "facility_location": lambda X, y, n: g.facility_location(X, n),
    "supervised_column_subset": lambda X, y, n: g.supervised_column_subset(X, y, n, True),
    "mrmr f": lambda X, y, n: g.mrmr(X, y, n, True, "f", "quotient"),
    "mrmr mutual information": lambda X, y, n: g.mrmr(X, y, n, True, "mutual_information", "difference"),
    "l1_path": lambda X, y, n: g.l1_path(X, y, n, True),
}


@pytest.fixture
def data():
    """Return correlated features with different scales, and three classes."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [7, 9, 14])
    X = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 8)) + 0.3 * rng.normal(size=(30, 8))
    return (X + np.outer(y, rng.normal(size=8))) * rng.uniform(0.5, 3, 8) + 2, y


def with_copies_and_constants(X):
    """Columns 0..7 are X; 8 and 9 are copies of 0 and 3; 10 and 11 are constant."""
    return np.column_stack([X, 5 - 2 * X[:, 0], 3 * X[:, 3] + 1, np.full(len(X), 0.1), np.zeros(len(X))])


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("n", [1, 3, 8, 12])
def test_order_of_the_groups(data, name, n):
    X, y = with_copies_and_constants(data[0]), data[1]
    scores, order = METHODS[name](X, y, n)
    assert sorted(order) == list(range(12))
    assert order[-2:].tolist() == [10, 11]
    assert np.all(scores[10:] == 0)
    chosen = order[: min(n, 8)].tolist()
    assert not set(chosen) & {8, 9}  # the smallest index of equal features is chosen
    copies = [r for r, original in ((8, 0), (9, 3)) if original in chosen]
    assert set(order[-2 - len(copies) : -2]) == set(copies)


@pytest.mark.parametrize("name", METHODS)
def test_chosen_features_do_not_depend_on_what_follows(data, name):
    X, y = data
    long_scores, long = METHODS[name](X, y, 6)
    short_scores, short = METHODS[name](X, y, 3)
    assert short[:3].tolist() == long[:3].tolist()
    assert_allclose(short_scores[short[:3]], long_scores[long[:3]], **close)


def test_first_of_the_best_ignores_rounding():
    assert g.first_of_the_best(np.array([1.0, 2.0 - 1e-12, 2.0]), [0, 1, 2]) == 1
    assert g.first_of_the_best(np.array([1.0, 2.0 - 1e-8, 2.0]), [0, 1, 2]) == 2
    assert g.first_of_the_best(np.array([1.0, np.inf, np.inf]), [0, 2, 1]) == 1
    assert g.descending(np.array([0.0, 1.0, 1e-17, 1.0]), [0, 1, 2, 3]) == [1, 3, 0, 2]


def test_quality_by_hand():
    none = np.zeros(4, dtype=bool)
    assert_allclose(g.quality([1.0, 3, 2, 5], "larger", none), [0, 0.5 * 3 / 4, 0.25 * 2 / 4, 1])
    assert_allclose(g.quality([1.0, 3, 2, 5], "smaller", none), [1, 0.5 * 2 / 4, 0.75 * 3 / 4, 0])
    assert_allclose(g.quality([1.0, 3, 3, 5], "larger", none), [0, 0.5 * 2.5 / 4, 0.5 * 2.5 / 4, 1])
    assert_allclose(g.quality([2.0, 2, 2, 0], "larger", none | [False, False, False, True]), [1, 1, 1, 0])
    assert_allclose(g.quality([np.inf, 1, 2, 3], "larger", none), [1, 0, 0.5 * 2 / 4, 3 / 4])
    assert_allclose(g.quality([np.inf, 1, 2, 3], "smaller", none), [0, 1, 0.5 * 3 / 4, 0])
    assert_allclose(
        g.quality([np.inf, 1, 2, 3], "smaller", none | [True, False, False, False]), [0, 1, 0.5 * 2 / 3, 0]
    )


def test_diverse_by_hand():
    # features 0 and 1 have correlation 0.6; feature 2 is uncorrelated with both
    a, b, c = np.array([1.0, 1, -1, -1]), np.array([1.0, -1, 1, -1]), np.array([1.0, -1, -1, 1])
    X = np.column_stack([a, 0.6 * a + 0.8 * b, c])
    scores, order = g.diverse(X, [1.0, 0.9, 0.3], 2, "correlation")
    assert order.tolist() == [0, 1, 2]
    assert_allclose(scores, [1, 0.36, 0.3])
    scores, order = g.diverse(X, [1.0, 0.7, 0.3], 2, "correlation")
    assert order.tolist() == [0, 2, 1]
    assert_allclose(scores, [1, 0.28, 0.3])
    assert_allclose(g.diverse(X, [1.0, 0.7, 0.3], 2, "squared")[0], [1, 0.7 * 0.64, 0.3])


def squared_error(A, chosen):
    """Return min |A - A[:, chosen] B|^2 (Frobenius) by the normal equations."""
    if not len(chosen):
        return np.sum(A**2)
    C = A[:, chosen]
    return np.sum((A - C @ np.linalg.solve(C.T @ C, C.T @ A)) ** 2)


def test_column_subset_decreases_the_residual_most(data):
    X, _ = data
    A = X - X.mean(axis=0)
    scores, order = g.column_subset(X, 8)
    for k in range(8):
        before = squared_error(A, order[:k])
        decreases = {r: before - squared_error(A, [*order[:k], r]) for r in order[k:]}
        assert_allclose(scores[order[k]], max(decreases.values()), rtol=1e-7)
        assert_allclose(decreases[order[k]], max(decreases.values()), rtol=1e-7)
    assert_allclose(scores.sum(), np.sum(A**2), rtol=1e-9)
    scores, order = g.column_subset(X, 3)
    rest = [squared_error(A, order[:3]) - squared_error(A, [*order[:3], r]) for r in order[3:]]
    assert_allclose(scores[order[3:]], rest, rtol=1e-7)
    assert np.all(np.diff(rest) < 0)


def test_column_subset_resets_the_projections():
    a, b = np.array([1.0, 1, -1, -1]), np.array([1.0, -1, 1, -1])
    X = np.column_stack([3 * a, b, a + b, a - 2 * b])  # rank 2; f'f = 36, 4, 8, 20
    first = g.column_subset_values(g.centered(X), [])
    # |A'f|^2 / f'f with a'a = b'b = 4: a has products 12, 0, 4, 4 with the columns, b has 0, 4, 4, -8
    assert_allclose(first[:2], [(144 + 16 + 16) / 4, (16 + 16 + 64) / 4])
    scores, order = g.column_subset(X, 3)
    chosen_before = [int(np.argmax(first))]
    values = g.column_subset_values(g.centered(X), chosen_before)
    chosen_before.append(int(np.argmax(np.round(values, 9))))
    remaining = [r for r in range(4) if r not in chosen_before]
    third = max(remaining, key=lambda r: first[r])
    assert order[:3].tolist() == [*chosen_before, third]
    assert_allclose(scores[third], first[third])
    assert g.column_subset(X, 2)[0][remaining].tolist() == [0, 0]
    assert g.column_subset(X, 2)[1].tolist() == [*chosen_before, *remaining]


def test_facility_weights_by_another_formula(data):
    X, _ = data
    w = np.zeros(8)
    neighbors = knn(X, 5)[0]
    fitted = np.zeros_like(X)
    for i in range(len(X)):
        Z = X[i] - X[neighbors[i]]
        fitted[i] = kkt_weights(Z, 1e-3 * np.trace(Z @ Z.T)) @ X[neighbors[i]]
    w = np.maximum(0, X.var(axis=0) - np.mean((X - fitted) ** 2, axis=0))
    assert_allclose(g.facility_weights(X), w, rtol=1e-7, atol=1e-9)


def test_facility_location_by_enumeration(data):
    X, _ = data
    scores, order = g.facility_location(X, 3)
    alone = [g.facility_objective(X, [r]) for r in range(8)]
    assert order[0] == np.argmax(alone)
    assert_allclose(scores[order[0]], max(alone), **close)
    pairs = [g.facility_objective(X, [order[0], r]) for r in range(8)]
    assert order[1] == np.argmax(pairs)
    assert_allclose(scores.sum(), g.facility_objective(X, order[:3]), **close)
    assert np.all(scores[order[3:]] == 0)
    assert np.all(np.diff([alone[r] for r in order[3:]]) < 0)
    best = max(g.facility_objective(X, pair) for pair in combinations(range(8), 2))
    assert scores[order[:2]].sum() >= (1 - 1 / np.e) * best


@pytest.mark.parametrize("classes", [True, False])
def test_supervised_column_subset_of_the_first_two_choices(data, classes):
    X, y = data
    Y = y if classes else np.column_stack([X[:, 0] + y, y**2.0])
    T = (y[:, None] == np.arange(3)).astype(float) if classes else Y
    T = T - T.mean(axis=0)
    H = T @ np.linalg.pinv(T)  # U U'
    Z = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(len(X))
    eta = np.diag(Z.T @ H @ Z)
    rho = s.relieff(X, y, 10)
    q = np.maximum(1e-6, np.sqrt(eta * np.maximum(rho, 0)) if classes else eta)
    scores, order = g.supervised_column_subset(X, Y, 2, classes)
    assert order[0] == np.argmax(q * eta / 1.1)
    assert_allclose(scores[order[0]], max(q * eta / 1.1), **close)
    R = Z - np.outer(Z[:, order[0]], Z[:, order[0]] @ Z)
    values = q * np.diag(R.T @ H @ R) / (np.sum(R**2, axis=0) + 0.1)
    values[order[0]] = -1
    assert order[1] == np.argmax(values)
    assert_allclose(scores[order[1]], max(values), **close)


def test_eta_of_classes_is_the_share_between_classes(data):
    X, y = data
    ratio = s.fisher(X, y)
    U = g.target_basis(y, True)
    eta = [np.sum((U.T @ z) ** 2) for z in g.unit_columns(g.centered(X)).T]
    assert_allclose(eta, ratio / (1 + ratio), **close)


def test_supervised_column_subset_starts_again_after_m_choices(data):
    X, y = data
    m = g.choices_per_round(X)
    assert m == 5
    scores, order = g.supervised_column_subset(X, y, m + 1, True)
    first = g.supervised_column_subset(X, y, 1, True)
    values = {r: g.supervised_column_subset(X, y, 0, True)[0][r] for r in range(8)}
    assert_allclose(values[first[1][0]], first[0][first[1][0]], **close)
    best = max((r for r in range(8) if r not in order[:m]), key=values.get)
    assert order[m] == best
    assert_allclose(scores[best], values[best], **close)


def test_number_of_choices_per_round():
    rng = np.random.default_rng(0)
    Q = rng.normal(size=(40, 20))
    Q = np.linalg.qr(Q - Q.mean(axis=0))[0]
    assert g.choices_per_round(Q * np.arange(1, 21)) == 18  # 20 equal eigenvalues
    assert g.choices_per_round(Q[:, :3]) == 5


def test_f_statistic_of_classes(data):
    X, y = data
    expected = [f_oneway(*[f[y == c] for c in range(3)]).statistic for f in X.T]
    assert_allclose([g.f_statistic(f, y, True) for f in X.T], expected, **close)
    assert g.f_statistic(np.array([0.1, 0.1, 0.1, 0.7, 0.7]), np.array([0, 0, 0, 1, 1]), True) == np.inf
    assert g.f_statistic(np.full(5, 0.1), np.array([0, 0, 0, 1, 1]), True) == 0


def test_f_statistic_of_numbers(data):
    X, y = data
    target = X[:, 1] + y
    assert_allclose([g.f_statistic(f, target, False) for f in X.T], f_regression(X, target)[0], **close)
    assert g.f_statistic(2 - 3 * target, target, False) == np.inf


def test_mutual_information(data):
    bins = [s.quantile_bins(f, 4) for f in data[0].T]
    expected = mutual_info_score(bins[0], bins[1]) / np.log(2)
    assert_allclose(g.mutual_information(bins[0], bins[1]), expected, **close)
    assert_allclose(g.mutual_information(bins[0], bins[0]), s.entropy(bins[0]), **close)
    assert g.mutual_information(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) == 0


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("scheme", ["quotient", "difference"])
def test_mrmr_of_correlations(data, classes, scheme):
    X, y = data
    y = y if classes else X[:, 2] + y
    F = np.array([g.f_statistic(f, y, classes) for f in X.T])
    r = np.maximum(0.001, np.abs(np.corrcoef(X.T)))
    scores, order = g.mrmr(X, y, 4, classes, "f", scheme)
    assert order[0] == np.argmax(F)
    assert_allclose(scores[order[0]], max(F), **close)
    for k in range(1, 4):
        redundancy = r[:, order[:k]].mean(axis=1)
        values = F / redundancy if scheme == "quotient" else F - redundancy
        values[order[:k]] = -np.inf
        assert order[k] == np.argmax(values)
        assert_allclose(scores[order[k]], max(values), **close)


@pytest.mark.parametrize("classes", [True, False])
def test_mrmr_of_mutual_information(data, classes):
    X, y = data
    y = y if classes else X[:, 2] + y
    scores, order = g.mrmr(X, y, 2, classes, "mutual_information", "quotient", n_bins=3)
    labels = y if classes else s.quantile_bins(y, 3)
    bins = np.array([s.quantile_bins(f, 3) for f in X.T])
    gain = np.array([mutual_info_score(b, labels) for b in bins]) / np.log(2)
    assert order[0] == np.argmax(gain)
    shared = np.array([[mutual_info_score(b, bins[r]) for r in order[:2]] for b in bins]) / np.log(2)
    values = gain / np.maximum(0.001, shared[:, 0])
    assert order[1] == max(order[1:], key=lambda r: values[r])
    assert_allclose(scores[order[1]], values[order[1]], **close)
    values = gain / np.maximum(0.001, shared).mean(axis=1)
    assert_allclose(scores[order[2:]], values[order[2:]], **close)
    assert np.all(np.diff(values[order[2:]]) < 0)


def test_mrmr_by_hand():
    y = np.array([0, 0, 1, 1])
    X = np.column_stack([[0.0, 0, 1, 1], [0.0, 1, 1, 1], [0.0, 1, 0, 1], [1.0, 1, 0, 0]])
    scores, order = g.mrmr(X, y, 2, True, "mutual_information", "difference")
    gain = 1 - 0.75 * s.entropy(np.array([0, 1, 1]))
    # all pairs of columns have the mutual information `gain`, except I(0, 2) = 0 and I(0, 3) = 1
    assert_allclose(scores, [1, 0, -(0.001 + gain) / 2, 1 - (1 + gain) / 2], atol=1e-12)
    assert order.tolist() == [0, 1, 2, 3]  # the last feature is a copy of the first


def lasso(A, t, penalty):
    """Return the minimizer of |t - Ab|^2 / 2 + penalty |b|_1, by coordinate descent."""
    model = Lasso(alpha=penalty / len(A), fit_intercept=False, tol=1e-14, max_iter=1_000_000)
    return model.fit(A, t).coef_


def test_l1_path_enters_as_coordinate_descent(data):
    X, _ = data
    target = X[:, 1] - X[:, 4] + 5 * np.sin(np.arange(30))
    A = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(30)
    t = (target - target.mean()) / target.std() / np.sqrt(30)
    scores, order = g.l1_path(X, target, 8, False)
    largest = np.max(np.abs(A.T @ t))
    assert_allclose(scores[order[0]], 1, **close)
    assert order[0] == np.argmax(np.abs(A.T @ t))
    assert np.all(np.diff(scores[order]) <= 0)
    grid = np.unique(np.concatenate([scores * (1 + 1e-4), scores * (1 - 1e-4), np.linspace(0.02, 1, 25)]))
    entered = np.zeros(8, dtype=bool)
    for share in grid[::-1]:
        entered |= np.abs(lasso(A, t, share * largest)) > 1e-9
        assert entered.tolist() == (scores > share).tolist()


@pytest.mark.parametrize("d", [4, 9, 20])
def test_entries_of_the_lasso_path_as_in_scikit_learn(d):
    rng = np.random.default_rng(d)
    A = g.unit_columns(
        g.centered(rng.normal(size=(15, 2)) @ rng.normal(size=(2, d)) + rng.normal(size=(15, d)))
    )
    t = g.unit_columns(g.centered(rng.normal(size=(15, 1))))[:, 0]
    penalties, _, path = lars_path(A, t, method="lasso")
    entry = entry_penalties(A, t)
    for r in range(d):
        knots = np.flatnonzero(path[r])
        assert_allclose(entry[r], penalties[knots[0] - 1] / penalties[0] if len(knots) else 0, atol=1e-8)
    assert np.sum(entry > 0) >= min(d, 14)


@pytest.mark.parametrize("seed", range(20))
def test_lasso_path_with_coinciding_events_is_optimal(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (14, 7))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    A = g.unit_columns(g.centered(X))
    t = g.target_columns(rng.integers(0, 2, 14), True)[:, 0]
    knots = lasso_path(A, t)
    for (high, b_high), (low, b_low) in pairwise(knots):
        assert low < high
        for share in (0.0, 0.3, 1.0):
            penalty, b = high + share * (low - high), b_high + share * (b_low - b_high)
            c = A.T @ (t - A @ b)
            assert np.all(np.abs(c) <= penalty + 1e-9)
            assert_allclose(c[b != 0], penalty * np.sign(b[b != 0]), atol=1e-9)


def test_l1_path_of_orthogonal_columns():
    a, b, c = np.array([1.0, 1, -1, -1]), np.array([1.0, -1, 1, -1]), np.array([1.0, -1, -1, 1])
    X = np.column_stack([b, 7 * a, c])
    Y = np.column_stack([2 * a - b, a + 4 * b]) + 3
    scores, order = g.l1_path(X, Y, 2, False)  # soft thresholds: the entry penalty is |correlation|
    assert_allclose(scores, [1, 1, 0], atol=1e-12)
    assert order.tolist() == [0, 1, 2]
    scores, order = g.l1_path(X, Y[:, 1], 2, False)
    assert_allclose(scores, [1, 0.25, 0], atol=1e-12)
    assert order.tolist() == [0, 1, 2]


def test_l1_path_takes_the_maximum_over_class_indicators(data):
    X, y = data
    paths = [g.l1_path(X, (y == c).astype(float), 8, False)[0] for c in range(3)]
    assert_allclose(g.l1_path(X, y, 8, True)[0], np.max(paths, axis=0), **close)
    two = (y > 0).astype(int)
    assert_allclose(g.l1_path(X, two, 8, True)[0], g.l1_path(X, 1.0 - two, 8, False)[0], **close)


def test_l1_path_with_fewer_samples_than_features():
    rng = np.random.default_rng(1)
    X, target = rng.normal(size=(6, 12)), rng.normal(size=6)
    scores, order = g.l1_path(X, target, 12, False)
    entered = int(np.sum(scores > 0))
    assert 5 <= entered < 12
    assert set(order[:entered]) == set(np.flatnonzero(scores))
    strength = s.pearson(X, target)
    assert np.all(np.diff(strength[order[entered:]]) < 0)
