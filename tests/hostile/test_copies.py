"""Copies of features: methods that choose one by one take a copy only after all distinct features."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp

from featsieve import (
    MRMR,
    AutoSelector,
    ColumnSubset,
    Diverse,
    FacilityLocation,
    L1Path,
    SupervisedColumnSubset,
)
from featsieve.registry import methods

from .cases import check_ranking, is_a, over, plain

N_DISTINCT = 7
SCORES = [m for m in methods() if m.family in ("statistic", "graph", "reconstruction", "neighbor")]
SELECTORS = {
    **{f"diverse:{m.name}": Diverse(m.make()) for m in SCORES},
    "diverse, squared": Diverse(penalty="squared"),
    "column subset": ColumnSubset(),
    "facility location": FacilityLocation(),
    "supervised column subset": SupervisedColumnSubset(),
    "mrmr": MRMR(),
    "mrmr, mutual information": MRMR(relevance="mutual_information", scheme="difference"),
    "l1 path": L1Path(),
    "auto": AutoSelector(),
}
# those that also predict numbers, or need no labels
NUMERIC = [
    "supervised column subset",
    "mrmr",
    "mrmr, mutual information",
    "l1 path",
    "auto",
    "diverse:pearson",
]
UNLABELED = [name for name, selector in SELECTORS.items() if not selector._requires_y()]


def with_copies():
    """Return seven distinct columns with two copies of each and a constant, shuffled, and their origins."""
    X, y = plain(d=N_DISTINCT)
    columns = np.column_stack([-0.5 * X[:, ::-1] + 9, X, 4 * X, np.full(len(X), 3.0)])
    origins = np.concatenate([np.arange(N_DISTINCT)[::-1], *[np.arange(N_DISTINCT)] * 2, [-1]])
    order = np.random.default_rng(1).permutation(origins.size)
    return columns[:, order], y, origins[order]


def check_distinct_features_are_first(name, X, y, origins):
    selector = SELECTORS[name].set_params(n_features_to_select=N_DISTINCT).fit(X, y)
    check_ranking(selector, origins.size)
    assert sorted(origins[selector.order_[:N_DISTINCT]]) == list(range(N_DISTINCT))
    assert origins[selector.order_[-1]] == -1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", SELECTORS)
def test_copies_are_chosen_after_all_distinct_features(name, dtype):
    X, y, origins = with_copies()
    check_distinct_features_are_first(name, X.astype(dtype), y, origins)


@pytest.mark.parametrize("name", NUMERIC)
def test_copies_are_chosen_last_for_a_numeric_target(name):
    X, y, origins = with_copies()
    check_distinct_features_are_first(name, X, y + 0.1 * X[:, 0], origins)


@pytest.mark.parametrize("name", UNLABELED)
def test_copies_are_chosen_last_without_labels(name):
    X, _, origins = with_copies()
    check_distinct_features_are_first(name, X, None, origins)


@pytest.mark.parametrize("name", [name for name, s in SELECTORS.items() if "sparse" in s._inputs])
def test_copies_are_chosen_last_in_sparse_data(name):
    X, y, origins = with_copies()
    X = X - X.min(axis=0)
    X[X < 1] = 0  # not the same for copies: make them again
    for j, origin in enumerate(origins):
        X[:, j] = X[:, np.flatnonzero(origins == origin)[0]] * (j + 1)
    check_distinct_features_are_first(name, sp.csr_array(X), y, origins)


@over(lambda case: not is_a("ModelImportance")(case))  # random trees use any of the copies
def test_features_that_are_all_equal_keep_their_order(case):
    X, y = plain()
    X[:] = X[:, :1]
    selector = case.fit(X, y)
    check_ranking(selector, X.shape[1])
    assert selector.order_.tolist() == list(range(X.shape[1]))


def test_all_methods_that_choose_one_by_one_are_listed():
    modules = {method.estimator: inspect.getmodule(method.estimator) for method in methods()}
    greedy = {
        estimator for estimator, module in modules.items() if "rank_greedily(" in inspect.getsource(module)
    }
    assert {Diverse, ColumnSubset, MRMR} <= greedy <= {type(selector) for selector in SELECTORS.values()}
