"""Checks of samples: strings, data frames, shapes and values that are not finite."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from featsieve import KernelNearestNeighbor, KernelOrthogonalBasis, TAKESTransformer

from .cases import (
    BASES,
    KERNEL_ESTIMATORS,
    TRANSFORMERS,
    WORDS,
    count_common_bigrams,
    make_samples,
    predict_or_transform,
    raises_error,
)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
@pytest.mark.parametrize("shape", [(5, 4), (4, 5)])
def test_precomputed_kernel_must_be_square(estimator, shape):
    with raises_error("precomputed", "square"):
        estimator(kernel="precomputed").fit(np.ones(shape), np.arange(shape[0]) % 2)


@pytest.mark.parametrize("estimator", TRANSFORMERS)
def test_precomputed_kernel_must_be_symmetric(estimator):
    K = np.eye(6) * 3 + np.triu(np.ones((6, 6)))
    with raises_error("precomputed", "symmetric"):
        estimator(kernel="precomputed").fit(K, np.arange(6) % 2)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_wrong_number_of_columns_is_rejected(estimator):
    X, y = make_samples()
    model = estimator().fit(X, y)
    with raises_error("4 features", "5 features"):
        predict_or_transform(model, X[:, :4])
    with pytest.raises(NotFittedError):
        predict_or_transform(estimator(), X)


def test_data_frames_of_strings_keep_their_columns():
    frame = pd.DataFrame({"word": ["ab", "abc", "xy", "yz"], "kind": ["q", "q", "r", "r"]})

    def similarity(a, b):
        return len(set(a[0]) & set(b[0])) + 2.0 * (a[1] == b[1])

    model = TAKESTransformer(similarity).fit(frame, [0, 0, 1, 1])
    assert model.feature_names_in_.tolist() == ["word", "kind"]
    with raises_error("feature names"):
        model.transform(frame[["kind", "word"]])
    with raises_error("feature names"):
        model.transform(frame[["word"]])
    with raises_error("1 features", "2 features"):
        TAKESTransformer(similarity).fit(frame.to_numpy(), [0, 0, 1, 1]).transform(frame[["word"]].to_numpy())


def test_refit_on_strings_after_numbers():
    X, _ = make_samples()

    def similarity(a, b):
        return float(a @ b) if isinstance(a, np.ndarray) else float(len(set(a) & set(b)))

    model = KernelOrthogonalBasis(similarity).fit(X)
    with raises_error("features"):
        model.transform(["ab", "cd"])
    model.fit(["ab", "bc", "xy"])
    assert not hasattr(model, "n_features_in_")
    assert model.transform(["ab", "cd"]).shape == (2, 3)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
def test_nan_and_infinity_are_rejected(estimator):
    X, y = make_samples()
    for value in (np.nan, np.inf):
        invalid = X.copy()
        invalid[3, 2] = value
        with raises_error("NaN|infinity"):
            estimator().fit(invalid, y)
        with raises_error("NaN|infinity"):
            predict_or_transform(estimator().fit(X, y), invalid)


@pytest.mark.parametrize("estimator", KERNEL_ESTIMATORS)
@pytest.mark.parametrize(
    "kind", [list, np.array, lambda w: np.array(w, dtype=object)], ids=["list", "U", "object"]
)
def test_strings_with_a_callable_kernel(estimator, kind):
    y = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    K = np.array([[count_common_bigrams(a, b) for b in WORDS] for a in WORDS])
    model = estimator(kernel=count_common_bigrams).fit(kind(WORDS), y)
    precomputed = estimator(kernel="precomputed").fit(K, y)
    new = ["kern", "base", "features!"]
    C = np.array([[count_common_bigrams(a, b) for b in WORDS] for a in new])
    assert_allclose(predict_or_transform(model, kind(WORDS)), predict_or_transform(precomputed, K), atol=1e-8)
    if estimator is not KernelNearestNeighbor:
        assert_allclose(
            predict_or_transform(model, kind(new)), predict_or_transform(precomputed, C), atol=1e-8
        )
    if estimator in BASES:
        assert list(model.basis_) == [WORDS[i] for i in model.pivots_]


def test_strings_in_a_pipeline():
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    model = make_pipeline(TAKESTransformer(count_common_bigrams), KNeighborsClassifier(1)).fit(WORDS, y)
    assert model.score(WORDS, y) > 0.5
    with raises_error("feature|numeric|number|derivative|columns"):
        model[0].original_feature_influence()
