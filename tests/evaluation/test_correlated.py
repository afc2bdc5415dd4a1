"""Features that are strongly correlated with a chosen one."""

import numpy as np
import pytest
import scipy.sparse as sp

from featsieve.evaluation.correlated import correlated_features


@pytest.fixture
def X():
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 8))
    X[:, 3] = X[:, 1] + 0.1 * X[:, 3]
    X[:, 5] = -X[:, 1] + 0.3 * X[:, 5]
    X[:, 6] = 4.2
    X[:, 7] = X[:, 1] + 0.7 * X[:, 7]
    return X


def test_partners_are_sorted_by_their_correlation(X):
    r = np.abs(np.corrcoef(X[:, [1, 3, 5, 7]], rowvar=False))[0]
    assert 1 > r[1] > r[2] > 0.9 > r[3]
    assert correlated_features(X, [1, 2, 6]) == {"1": [3, 5]}


def test_constant_features_have_no_partners(X):
    X[:, 2] = 1e9
    assert correlated_features(X, [2, 6]) == {}


def test_sparse_missing_and_blocks(X, monkeypatch):
    X[np.abs(X) < 0.5] = 0
    expected = correlated_features(X, [1, 2])
    assert expected["1"]
    assert correlated_features(sp.csr_array(X), [1, 2]) == expected
    monkeypatch.setattr(
        "featsieve.evaluation.correlated.slices", lambda n, *_: [slice(i, i + 1) for i in range(n)]
    )
    assert correlated_features(X, [1, 2]) == expected
    X[0, 3] = np.nan
    assert correlated_features(X, [1]) == {"1": expected["1"]}


def test_many_samples_and_partners(X):
    X = np.tile(X, (20, 1))
    assert correlated_features(X, [1]) == {"1": [3, 5]}
    copies = np.repeat(X[:, :1], 50, axis=1)
    assert len(correlated_features(copies, [0])["0"]) == 20
    assert correlated_features(X, []) == {}
