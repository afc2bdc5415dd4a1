import numpy as np
import pytest
from literal import greedy
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from featsieve import FisherScore, SupervisedColumnSubset
from featsieve.subsets import supervised_column_subset as module
from featsieve.subsets import supervised_column_subset_ranking
from featsieve.subsets._columns import UnitColumns
from featsieve.targets import encode_targets

from .greedy_data import KINDS, check_equal, make


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("integers", "zero-inflated")])
def test_ranking_equals_the_literal_version_for_classes(kind):
    for seed in range(10):
        X, y, n = make(kind, seed)
        expected = greedy.supervised_column_subset(X, y, n, classes=True)
        check_equal(supervised_column_subset_ranking(X, y, n), expected, kind)


@pytest.mark.slow
@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_ranking_equals_the_literal_version_for_numbers(kind, n_targets):
    for seed in range(10):
        X, y, n = make(kind, seed)
        Y = y[:, None] + np.random.default_rng(seed).standard_normal((len(X), n_targets))
        Y = Y[:, 0] if n_targets == 1 else Y * [1e-6, 1.0, 1e6]
        expected = greedy.supervised_column_subset(X, Y, n, classes=False)
        check_equal(supervised_column_subset_ranking(X, Y, n), expected, kind)


def test_share_explained_by_classes_follows_from_fisher():
    X, y, _ = make("plain", 0)
    fisher = FisherScore().fit(X, y).scores_
    share = module.explained_share(UnitColumns(X), encode_targets(y, X))
    assert_allclose(share, fisher / (1 + fisher))


@pytest.mark.parametrize("limit", [2, 40])
@pytest.mark.parametrize("shape", [(50, 20), (20, 50)])
def test_number_of_components_is_that_of_pca(shape, limit, monkeypatch):
    X = np.random.default_rng(0).standard_normal(shape) @ np.diag(np.logspace(0, -2, shape[1])) * 5
    X = X + X[:, :1]
    ratio = PCA().fit(StandardScaler().fit_transform(X)).explained_variance_ratio_
    expected = int((np.cumsum(ratio) >= 0.9).argmax()) + 1
    columns = UnitColumns(X)
    assert min(module.count_components(columns, 0.9, limit), limit + 1) == min(expected, limit + 1)
    monkeypatch.setattr(module, "MAX_GRAM", 5)  # as for data whose Gram matrix is too large
    assert min(module.count_components(columns, 0.9, min(limit, 15)), 16) == min(expected, min(limit, 15) + 1)


def test_targets_of_integers_can_be_numbers():
    X, y, _ = make("plain", 4)
    numeric = SupervisedColumnSubset(target="numeric").fit(X, y)
    assert_array_equal(numeric.order_, SupervisedColumnSubset().fit(X, y + 0.5).order_)
    assert not np.array_equal(numeric.scores_, SupervisedColumnSubset().fit(X, y).scores_)


def test_classes_of_several_targets():
    X, y, _ = make("plain", 6)
    Y = np.column_stack([y, y[::-1]])
    model = SupervisedColumnSubset(n_features_to_select=3).fit(X, Y)
    indicators = (Y[:, :, None] == np.arange(3)).reshape(len(Y), 6).astype(float)
    expected = greedy.supervised_column_subset(X, indicators, 3, classes=False)
    assert_array_equal(model.order_, expected[1])


def test_copies_follow_all_distinct_features():
    X, y, _ = make("plain", 1)
    model = SupervisedColumnSubset(n_features_to_select=1.0).fit(np.hstack([X, 1 - X]), y)
    assert_array_equal(np.sort(model.order_[: X.shape[1]] % X.shape[1]), np.arange(X.shape[1]))
