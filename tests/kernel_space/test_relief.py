"""Relief in kernel space."""

import numpy as np
import pandas as pd
import pytest
from exact import kernel_space as exact
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from featsieve import KernelGramSchmidt, KernelOrthogonalBasis, KernelRelief
from featsieve.kernel_space import relief_weights

from .cases import make_samples, raises_error
from .exact_data import (
    KERNELS,
    assert_close,
    assert_close_up_to_sign,
    kernels,
    samples,
    skip_if_rounding_decides,
)

RELIEF_OPTIONS = {"scaled": False, "misses": "each"}


over_data_with_hits = pytest.mark.parametrize("data", ["wine", "wine, two classes", "digits", "synthetic"])


BASES_TO_COMPARE = {
    "kgs": (KernelGramSchmidt, lambda K: exact.kgs(K, 6), lambda C, K, A: exact.features(C, A)),
    "kobl": (
        KernelOrthogonalBasis,
        lambda K: exact.kobl(K, n_components=6, tie_index="sample"),
        lambda C, K, A: exact.features(C, A),
    ),
    "kpca": (KernelPCA, lambda K: exact.kpca(K, 6), exact.kpca_features),
}


@over_data_with_hits
@pytest.mark.parametrize("basis", BASES_TO_COMPARE)
def test_matches_exact_version(data, basis):
    split, (K, C, _) = samples(data), kernels(data, "rbf")
    estimator, learn, features = BASES_TO_COMPARE[basis]
    directions = learn(K)
    A = directions.coefficients
    expected = exact.relief(features(K, K, A), split.y, **RELIEF_OPTIONS)
    skip_if_rounding_decides(directions.decisions, expected.neighbor_decisions, expected.order_decisions)
    assert not expected.neighbor_decisions.ties
    model = KernelRelief(estimator(n_components=6, **KERNELS["rbf"])).fit(split.X, split.y)
    assert_close(model.weights_, expected.weights)
    assert model.order_.tolist() == expected.order
    selected = [i for i, weight in enumerate(expected.weights) if weight > 0]
    assert_close_up_to_sign(model.transform(split.new), features(C, K, A)[:, selected], 1e-7)


def test_class_of_one_sample_has_no_hit():
    """Computed by hand: the first two are hits of each other; misses are at distances 3, 2 and 2."""
    assert relief_weights(np.array([[0.0], [1.0], [3.0]]), [0, 0, 1]).tolist() == [(9 - 1 + 4 - 1 + 4) / 3]


@pytest.mark.parametrize("length", [0.1, 0.3, 0.7, 1.1])
def test_weight_is_zero_if_hit_and_misses_cancel(length):
    """Only one sample has a second coordinate, and the weights of its misses sum to that of its hit."""
    F = np.column_stack([np.append(np.arange(11.0) ** 1.1, 99), np.append(np.zeros(11), length)])
    y = np.repeat([0, 1, 2, 3], [3, 2, 1, 6])[np.random.default_rng(0).permutation(12)]
    assert abs(relief_weights(F, y)[0]) > 1
    assert relief_weights(F, y)[1] == 0


def test_pandas_output_and_feature_names():
    X, y = make_samples()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = KernelRelief(KernelPCA(6, kernel="rbf"), n_features_to_select=3).set_output(transform="pandas")
    table = model.fit(frame, y).transform(frame)
    assert table.shape == (len(X), 3)
    assert model.feature_names_in_.tolist() == list("abcde")
    with raises_error("feature names"):
        model.transform(frame[["b", "a", "c", "d", "e"]])


def test_grid_search_over_the_basis():
    X, y = make_samples(60)
    model = make_pipeline(
        KernelRelief(KernelPCA(6, kernel="rbf"), n_features_to_select=3), KNeighborsClassifier(1)
    )
    grid = {"kernelrelief__basis__gamma": [0.1, 0.5], "kernelrelief__basis": [KernelGramSchmidt(gamma=0.5)]}
    for key, values in grid.items():
        GridSearchCV(model, {key: values}, cv=2, error_score="raise").fit(X, y)
    basis = KernelPCA(6, kernel="rbf")
    KernelRelief(basis).fit(X, y)
    assert not hasattr(basis, "eigenvalues_")  # the parameter is not fitted


def test_basis_must_be_a_transformer():
    X, y = make_samples()
    for invalid in ("pca", 3, KNeighborsClassifier()):
        with raises_error("basis"):
            KernelRelief(invalid).fit(X, y)
