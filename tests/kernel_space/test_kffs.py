"""Kernel forward feature selection."""

import numpy as np
import pandas as pd
import pytest
from exact import kernel_space as exact

from featsieve import KernelForwardSelection, KernelOrthogonalBasis, KernelRelief, TAKESTransformer
from featsieve.kernel_space import forward_selection

from .cases import make_samples, raises_error
from .exact_data import DATA, KERNELS, KFFS_OPTIONS, assert_close, samples, skip_if_rounding_decides


def check_selection(selection, F, y, expected):
    gamma = expected.gamma
    assert forward_selection(F, y)[1].tolist() == expected.order
    assert_close(selection.weights_, gamma)
    by_weight = exact.Decisions().sort("weights", [gamma[i] for i in expected.order])
    assert selection.order_.tolist() == [expected.order[i] for i in by_weight]
    assert np.flatnonzero(selection.get_support()).tolist() == (expected.kept or [selection.order_[0]])


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("basis", [None, "rbf"])
def test_matches_exact_version(data, basis):
    split = samples(data)
    F = split.X if basis is None else KernelOrthogonalBasis(**KERNELS[basis]).fit_transform(split.X)
    expected = exact.kffs(F, split.y, **KFFS_OPTIONS)
    skip_if_rounding_decides(expected.decisions)
    check_selection(KernelForwardSelection().fit(F, split.y), F, split.y, expected)
    best = KernelForwardSelection(n_features_to_select=3).fit(F, split.y)
    assert np.flatnonzero(best.get_support()).tolist() == sorted(best.order_[:3])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_ties_match_exact_version(n_classes, seed):
    """With small integers, outputs of weak classifiers, votes and errors have exact ties."""
    rng = np.random.default_rng(seed)
    F, y = rng.integers(-1, 2, (12, 6)).astype(float), np.arange(12) % n_classes
    F[:, 4] = F[:, 1]
    F[:, 5] = 7.0
    expected = exact.kffs(F, y, **KFFS_OPTIONS)
    skip_if_rounding_decides(expected.decisions)
    assert expected.decisions.ties
    check_selection(KernelForwardSelection().fit(F, y), F, y, expected)


def test_weights_of_zero_up_to_rounding_select_nothing():
    """Features that always vote for the larger class do not change the error."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [37, 13])
    relevant = y + 0.3 * rng.standard_normal(50)
    irrelevant = rng.standard_normal((50, 8)) * 1e-3 + 5
    irrelevant -= np.outer(
        y - y.mean(), (y - y.mean()) @ irrelevant / np.sum((y - y.mean()) ** 2)
    )  # uncorrelated with y
    selection = KernelForwardSelection().fit(np.column_stack([irrelevant, relevant]), y)
    near_zero = np.abs(selection.weights_) < 1e-9
    assert near_zero.any()
    assert not selection.get_support()[near_zero].any()
    assert np.all(selection.weights_[near_zero] == 0)


@pytest.mark.parametrize(
    "make",
    [
        lambda k: KernelForwardSelection(n_features_to_select=k),
        lambda k: TAKESTransformer(n_features_to_select=k),
        lambda k: KernelRelief(KernelOrthogonalBasis(), n_features_to_select=k),
    ],
    ids=["kffs", "takes", "relief"],
)
@pytest.mark.parametrize("value", [0, -1, 10_000, 1.5, "most"])
def test_invalid_n_features_to_select_is_rejected(make, value):
    X, y = make_samples()
    with raises_error("n_features_to_select"):
        make(value).fit(X, y)


def test_pandas_output_and_feature_names():
    X, y = make_samples()
    frame = pd.DataFrame(X, columns=list("abcde"))
    selection = KernelForwardSelection(n_features_to_select=2).set_output(transform="pandas").fit(frame, y)
    table = selection.transform(frame)
    assert table.shape == (len(X), 2)
    assert set(table.columns) <= set("abcde")
