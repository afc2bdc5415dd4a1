"""The TAKES transformer and the TAKES ranker."""

import json

import numpy as np
import pytest
from exact import kernel_space as exact
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from featsieve import (
    KernelForwardSelection,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
    TAKESRanker,
    TAKESTransformer,
    kernel_reconstruction_cost,
)
from featsieve.cli.app import app

from .cases import make_samples
from .exact_data import (
    COST_RTOL,
    KERNELS,
    KFFS_OPTIONS,
    assert_close,
    kernels,
    over_data,
    samples,
    skip_if_rounding_decides,
)


@over_data
@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_matches_exact_version(data, kernel):
    split, (K, C, diagonal) = samples(data), kernels(data, kernel)
    basis = exact.kobl(K, tie_index="sample")
    selection = exact.kffs(exact.features(K, basis.coefficients), split.y, **KFFS_OPTIONS)
    skip_if_rounding_decides(basis.decisions, selection.decisions)
    takes = TAKESTransformer(**KERNELS[kernel]).fit(split.X, split.y)
    A = basis.coefficients[:, selection.kept]
    assert_close(takes.selection_.weights_, selection.gamma)
    assert takes.support_samples_.tolist() == [basis.pivots[i] for i in selection.kept]
    assert_close(takes.transform(split.new), exact.features(C, A))
    assert_close(takes.basis_.transform(split.new), exact.features(C, basis.coefficients))
    cost = exact.reconstruction_cost(K, A, C, diagonal)
    assert_allclose(kernel_reconstruction_cost(takes, split.new), float(cost), rtol=COST_RTOL)


def test_ranking_far_from_zero_is_unchanged_when_samples_are_permuted():
    X, y = make_samples(60)
    X = X + 1e8
    scores = TAKESRanker().fit(X, y).scores_
    for seed in range(3):
        permutation = np.random.default_rng(seed).permutation(len(X))
        assert_allclose(TAKESRanker().fit(X[permutation], y[permutation]).scores_, scores, rtol=1e-6)


def test_copies_of_a_feature_have_equal_scores():
    for seed in range(20):
        X, y = make_samples(50, seed=seed)
        X = np.column_stack([X, X[:, 1], X, X[:, 1]])
        scores = TAKESRanker().fit(X, y).scores_
        assert len({scores[j] for j in (1, 5, 7, 11)}) == 1


def test_grid_search_over_a_pipeline():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), TAKESTransformer(), KNeighborsClassifier(1))
    grid = {
        "takestransformer__gamma": [0.01, "scale", "median"],
        "takestransformer__threshold": ["linear", np.sqrt],
    }
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.85
    dimension = {"takestransformer__gamma": ["dimension"], "takestransformer__n_components": [5, 40]}
    search = GridSearchCV(model, dimension, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.85


@pytest.mark.parametrize("seed", range(3))
def test_ranking_finds_relevant_features(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((400, 7))
    for y, relevant in ((X[:, 3] * X[:, 6] > 0, {3, 6}), (X[:, [1, 4, 5]].sum(axis=1) > 0, {1, 4, 5})):
        assert set(TAKESRanker().fit(X, y).order_[: len(relevant)]) == relevant


def test_support_samples_are_the_pivots_of_selected_features(wine):
    X, y = wine
    model = TAKESTransformer(gamma="dimension", n_components=30, n_features_to_select=7).fit(X, y)
    assert model.transform(X).shape == (len(X), 7) == (len(X), len(model.support_samples_))
    selected = model.selection_.get_support(indices=True)
    assert_array_equal(model.support_samples_, model.basis_.pivots_[selected])
    # the coordinate of a pivot on its own base vector is its residual
    coordinates = model.transform(X)[model.support_samples_, np.arange(7)]
    assert_allclose(coordinates, model.basis_.residuals_[selected], rtol=1e-9)
    features = make_pipeline(
        KernelOrthogonalBasis(gamma="dimension", n_components=30), KernelForwardSelection(7)
    ).fit_transform(X, y)
    assert_allclose(model.transform(X), features, atol=1e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_nearest_neighbor_on_takes_features_classifies_well(load):
    X, y = load(return_X_y=True)
    model = make_pipeline(
        StandardScaler(), TAKESTransformer(gamma="median"), KernelNearestNeighbor(kernel="linear")
    )
    assert cross_val_score(model, X, load().target_names[y], cv=4).mean() > 0.9


def test_grid_search_over_takes_and_relief(wine):
    X, y = wine
    pipeline = make_pipeline(TAKESTransformer(n_components=40), KernelNearestNeighbor(kernel="linear"))
    grid = {"takestransformer__gamma": ["scale", 0.01], "takestransformer__n_features_to_select": [1, 20]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_params_["takestransformer__n_features_to_select"] == 20
    relief = KernelRelief(KernelPCA(kernel="rbf"), n_features_to_select=3)
    inner = GridSearchCV(
        make_pipeline(relief, KernelNearestNeighbor()), {"kernelrelief__basis__gamma": [1e-4, 10.0]}, cv=3
    )
    scores = inner.fit(X, y).cv_results_["mean_test_score"]
    assert scores[0] > scores[1]


def test_rank_command_uses_the_ranker():
    result = CliRunner().invoke(app, ["rank", "wine", "--method", "takes", "--scale", "--json"])
    order = [row["index"] for row in json.loads(result.stdout)["features"]]
    X, y = load_wine(return_X_y=True)
    assert order == TAKESRanker().fit(StandardScaler().fit_transform(X), y).order_[:10].tolist()
    result = CliRunner().invoke(app, ["rank", "wine", "--method", "kobl"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "kobl" in result.stderr
