"""Curves over all sizes are those of refitting scikit-learn's classifiers at every size."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import loadmat
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featsieve.evaluation import (
    Fold,
    clustering_accuracy,
    kmeans_curve,
    linear_accuracy,
    linear_curve,
    linear_regression_curve,
    nearest_mean_accuracy,
    nearest_mean_curve,
    nearest_neighbor_accuracy,
    nearest_neighbor_curve,
    nearest_regression_curve,
    neighborhood_preservation,
    preservation_curve,
    redundancy_curve,
    redundancy_rate,
)
from featsieve.evaluation._nested import NestedDistances

pytestmark = pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least 1 zero")


def halves(X, y, seed=0):
    mixed = np.random.default_rng(seed).permutation(len(X))
    train, test = mixed[::2], mixed[1::2]
    return Fold(X[train], X[test], y[train], y[test])


def refitted(model, fold, order, sizes):
    found = []
    for size in sizes:
        kept = order[:size]
        model.fit(fold.X_train[:, kept], fold.y_train)
        found.append(model.score(fold.X_test[:, kept], fold.y_test))
    return np.array(found)


def pixels(n=60, d=30, levels=4, seed=0):
    """Whole numbers with so few values that ties are everywhere."""
    random = np.random.default_rng(seed)
    return random.integers(levels, size=(n, d)).astype(float), random.integers(3, size=n)


def whole_iris(return_X_y):
    X, y = load_iris(return_X_y=True)
    return np.rint(10 * X), y


def tie_free_cancer(return_X_y):
    """In decimals, samples at the same distance differ in the last bit, and scikit-learn goes by that."""
    X, y = load_breast_cancer(return_X_y=True)
    return X * (1 + 1e-3 * np.random.default_rng(0).standard_normal(X.shape)), y


DATASETS = {
    "iris": whole_iris,
    "breast cancer": tie_free_cancer,
    "digits": lambda return_X_y: tuple(part[:400] for part in load_digits(return_X_y=True)),
    "ties": lambda return_X_y: pixels(),
    "binary": lambda return_X_y: pixels(levels=2, seed=1),
}


@pytest.mark.parametrize("name", DATASETS)
def test_curves_equal_refitting_at_every_size(name):
    X, y = DATASETS[name](return_X_y=True)
    fold = halves(X, y)
    order = np.random.default_rng(1).permutation(X.shape[1])
    sizes = np.arange(1, X.shape[1] + 1)
    # nothing but brute force takes the smallest index of equally near samples
    neighbor = KNeighborsClassifier(1, algorithm="brute")
    np.testing.assert_array_equal(nearest_neighbor_curve(fold, order), refitted(neighbor, fold, order, sizes))
    np.testing.assert_array_equal(
        nearest_mean_curve(fold, order), refitted(NearestCentroid(), fold, order, sizes)
    )


def blobs(kind):
    """So many samples in tight groups that most of them are passed over; the first features tell nothing."""
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
def test_passing_over_far_samples_changes_nothing(kind, monkeypatch):
    X, y = blobs(kind)
    fold = halves(X, y)
    order, sizes = np.arange(48), np.arange(1, 49)
    pairs = NestedDistances(fold.X_train.T.astype(float), fold.X_test.T.astype(float))
    steps = list(pairs.steps(slice(0, 16), sizes.tolist(), 1))
    assert [step.n_features for step in steps] == sizes.tolist()
    assert sum(not isinstance(step.columns, slice) for step in steps) > 24

    def curves():
        yield nearest_neighbor_curve(fold, order)
        yield nearest_regression_curve(fold, order, n_neighbors=3)
        yield preservation_curve(X[::2], order)

    found = list(curves())
    monkeypatch.setattr("featsieve.evaluation._nested._MIN_SKIPPING_SAMPLES", 10**9)
    for curve, expected in zip(found, curves(), strict=True):
        np.testing.assert_array_equal(curve, expected)
    if kind != "far from 0":  # where scikit-learn's products lose digits
        neighbor = KNeighborsClassifier(1, algorithm="brute")
        np.testing.assert_array_equal(found[0], refitted(neighbor, fold, order, sizes))


@pytest.mark.parametrize("n", [80, 1200])
def test_one_far_sample_blurs_no_others(n):
    """Products lose digits by its size; what they leave in doubt is measured."""
    random = np.random.default_rng(0)
    X = random.standard_normal((n, 24))
    X[0] = 1e7
    y = X[:, :3].sum(axis=1)
    y[0] = 0
    fold = halves(X, y)
    order, sizes = np.arange(24), np.arange(1, 25)
    squared = np.cumsum((X[:, None] - X) ** 2, axis=2) if n < 100 else None
    for chosen in (sizes, sizes[5::6]):
        model = KNeighborsRegressor(5, algorithm="kd_tree")
        expected = refitted(model, fold, order, chosen)
        np.testing.assert_allclose(nearest_regression_curve(fold, order, chosen), expected, rtol=1e-9)
        if squared is None:
            continue
        full = np.argsort(squared[..., -1] + np.diag([np.inf] * n), axis=1)[:, :5]
        found = [np.argsort(squared[..., m - 1] + np.diag([np.inf] * n), axis=1)[:, :5] for m in chosen]
        overlaps = [
            np.mean([len(a := set(p) & set(q)) / (10 - len(a)) for p, q in zip(full, each, strict=True)])
            for each in found
        ]
        np.testing.assert_allclose(preservation_curve(X, order, chosen), overlaps)


@pytest.mark.parametrize("training", [2, 5])
def test_curves_equal_refitting_on_a_published_split(data_dir, training):
    faces = loadmat(data_dir / "Yale_32x32.mat")
    splits = loadmat(data_dir / "splits" / f"Yale_{training}Train.mat")
    X, y = faces["X"], faces["Y"].ravel()
    train, test = (splits[name][0].astype(int) - 1 for name in ("trainIdx", "testIdx"))
    as_bytes = Fold(X[train], X[test], y[train], y[test])
    fold = Fold(X[train].astype(float), X[test].astype(float), y[train], y[test])
    order = np.argsort(-fold.X_train.var(axis=0), kind="stable")
    every = [nearest_neighbor_curve(as_bytes, order), nearest_mean_curve(as_bytes, order)]
    some = np.unique(np.r_[1:40, np.geomspace(40, 1024, 25).astype(int)])
    for curve, model in zip(
        every, (KNeighborsClassifier(1, algorithm="brute"), NearestCentroid()), strict=True
    ):
        np.testing.assert_array_equal(curve[some - 1], refitted(model, fold, order, some))


def test_chosen_sizes_are_points_of_the_whole_curve():
    X, y = load_breast_cancer(return_X_y=True)
    for values in (X, StandardScaler().fit_transform(X)):
        fold = halves(values, y)
        order = np.arange(30)[::-1]
        for curve in (nearest_neighbor_curve, nearest_mean_curve, linear_curve):
            np.testing.assert_array_equal(
                curve(fold, order, [1, 2, 9, 30]), curve(fold, order)[[0, 1, 8, 29]]
            )


def test_of_copies_the_first_counts():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 12))
    train, labels = np.r_[X, X, X], np.repeat([0, 1, 2], 40)
    fold = Fold(train, X + 1e-3 * random.standard_normal(X.shape), labels, np.zeros(40))
    for sizes in (None, [1, 12], [12]):  # one feature at a time, and by a product
        assert (nearest_neighbor_curve(fold, np.arange(12), sizes) == 1).all()


def test_decimal_ties_go_to_the_first_though_they_differ_in_the_last_bit():
    fold = Fold(np.array([[0.1], [0.3]]), np.array([[0.2]]), [0, 1], [0])
    assert (0.2 - 0.1) ** 2 > (0.3 - 0.2) ** 2
    assert nearest_neighbor_curve(fold, [0])[0] == 1
    assert nearest_mean_curve(fold, [0])[0] == 1


@pytest.mark.parametrize("unit", [1e-170, 1e170])
def test_units_out_of_range_change_nothing(unit):
    X, y = load_iris(return_X_y=True)
    order = np.arange(4)
    for curve in (nearest_neighbor_curve, nearest_mean_curve):
        np.testing.assert_array_equal(curve(halves(X * unit, y), order), curve(halves(X, y), order))


def test_a_class_that_was_not_learnt_is_never_right():
    X, y = load_iris(return_X_y=True)
    fold = Fold(X[:100:2], X[1::2], y[:100:2], y[1::2])
    for curve in (nearest_neighbor_curve, nearest_mean_curve, linear_curve):
        assert (curve(fold, np.arange(4)) <= 2 / 3).all()


def test_blocks_and_storage_change_nothing():
    X, y = pixels(200, 40, 5)
    whole, order = halves(X, y), np.random.default_rng(0).permutation(40)
    sparse = Fold(sp.csr_array(whole.X_train), sp.csr_array(whole.X_test), whole.y_train, whole.y_test)
    for curve in (nearest_neighbor_curve, nearest_mean_curve, linear_curve):
        expected = curve(whole, order)
        with config_context(working_memory=0.01):
            np.testing.assert_array_equal(curve(whole, order), expected)
        np.testing.assert_array_equal(curve(sparse, order), expected)
    expected = preservation_curve(X, order), redundancy_curve(X, order)
    with config_context(working_memory=0.01):
        np.testing.assert_allclose(preservation_curve(X, order), expected[0])
        np.testing.assert_allclose(redundancy_curve(X, order), expected[1])


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("alpha", [None, 2.5])
def test_linear_curve_equals_refitting(wide, alpha):
    X, y = load_digits(return_X_y=True)
    fold = halves(X[:80] if wide else X[:400], y[:80] if wide else y[:400])  # 40 samples, 64 features
    order = np.random.default_rng(0).permutation(64)
    ridge = len(fold.y_train) / 10 if alpha is None else alpha
    model = make_pipeline(StandardScaler(), RidgeClassifier(ridge))
    np.testing.assert_array_equal(
        linear_curve(fold, order, alpha=alpha), refitted(model, fold, order, range(1, 65))
    )


def test_linear_curve_of_two_classes():
    X, y = load_breast_cancer(return_X_y=True)
    fold, order = halves(X, y), np.arange(30)
    model = make_pipeline(StandardScaler(), RidgeClassifier(1.0))
    np.testing.assert_array_equal(
        linear_curve(fold, order, alpha=1.0), refitted(model, fold, order, range(1, 31))
    )


def test_regression_curves_equal_refitting():
    X, y = load_diabetes(return_X_y=True)
    fold, order, sizes = halves(X, y), np.arange(10)[::-1], np.arange(1, 11)
    model = make_pipeline(StandardScaler(), Ridge(1.0))
    np.testing.assert_allclose(
        linear_regression_curve(fold, order, alpha=1.0), refitted(model, fold, order, sizes)
    )
    model = KNeighborsRegressor(5, algorithm="brute")
    # With one or two features neighbors tie, and scikit-learn does not define the order of ties.
    np.testing.assert_allclose(
        nearest_regression_curve(fold, order)[2:], refitted(model, fold, order, sizes)[2:]
    )


def test_curves_of_structure_equal_the_metrics():
    X, _ = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:150]
    order = np.random.default_rng(0).permutation(30)
    redundancy, preservation = redundancy_curve(X, order), preservation_curve(X, order)
    for size in (1, 2, 7, 30):
        kept = X[:, order[:size]]
        assert redundancy[size - 1] == pytest.approx(redundancy_rate(kept))
        assert preservation[size - 1] == pytest.approx(neighborhood_preservation(X, kept))
    assert preservation[-1] == 1


def test_accuracies_are_the_last_points():
    X, y = load_iris(return_X_y=True)
    fold = halves(X, y)
    for curve, metric in (
        (nearest_neighbor_curve, nearest_neighbor_accuracy),
        (nearest_mean_curve, nearest_mean_accuracy),
        (linear_curve, linear_accuracy),
    ):
        assert metric(fold) == curve(fold, [0, 1, 2, 3])[-1]


def test_kmeans_curve():
    from sklearn.cluster import KMeans

    X, y = load_iris(return_X_y=True)
    kmeans = KMeans(3, n_init=2, random_state=5)
    found = kmeans_curve(X, y, [2, 3, 0, 1], [1, 4], kmeans)
    for place, size in enumerate((1, 4)):
        clusters = KMeans(3, n_init=2, random_state=5).fit_predict(X[:, [2, 3, 0, 1][:size]])
        assert found["acc"][place] == clustering_accuracy(y, clusters)
    assert set(found) == {"acc", "nmi", "ari"}
    assert kmeans_curve(X, y, [2, 3, 0, 1], [4])["acc"][0] == pytest.approx(0.893, abs=0.02)


@pytest.mark.parametrize(
    ("order", "sizes", "says"),
    [
        ([], None, "order"),
        ([0.5, 1.0], None, "order"),
        ([0, 1, 2], [], "sizes"),
        ([0, 1, 2], [2, 1], "ascend"),
        ([0, 1, 2], [0, 1], "between 1 and the 3"),
        ([0, 1, 2], [4], "between 1 and the 3"),
    ],
)
def test_wrong_orders_and_sizes(order, sizes, says):
    X, y = pixels(20, 3)
    with pytest.raises(ValueError, match=says):
        nearest_neighbor_curve(halves(X, y), order, sizes)
