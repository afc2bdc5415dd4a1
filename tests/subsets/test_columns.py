"""Centered columns of unit length, and their products."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.subsets._columns import UnitColumns


def unit(X):
    X = X - X.mean(axis=0)
    lengths = np.linalg.norm(X, axis=0)
    return X / np.where(lengths > 0, lengths, 1)


def make(storage, seed=0, shape=(40, 15)):
    """Return columns that are dense, sparse or constant, and the array."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape) * np.logspace(-3, 3, shape[1])
    X[:, 1::2][rng.random(X[:, 1::2].shape) < 0.8] = 0
    X[:, 3], X[:, 4] = 0, 2
    if storage == "tensor":
        return UnitColumns(pytest.importorskip("torch").asarray(X)), X
    return UnitColumns(sp.csr_array(X) if storage == "sparse" else X), X


storages = pytest.mark.parametrize("storage", ["dense", "sparse", "tensor"])


@storages
def test_columns_have_mean_0_and_length_1(storage):
    columns, X = make(storage)
    assert_allclose(np.asarray(columns.columns(np.array([5, 0, 3, 4]))), unit(X)[:, [5, 0, 3, 4]], atol=1e-14)
    assert_allclose(columns.column(1), unit(X)[:, 1], atol=1e-14)
    assert_allclose(columns.norms, np.linalg.norm(X - X.mean(axis=0), axis=0), atol=1e-13)
    assert_array_equal(columns.norms == 0, np.ptp(X, axis=0) == 0)


@storages
def test_products_equal_those_of_the_array(storage):
    columns, X = make(storage)
    Z, rng = unit(X), np.random.default_rng(1)
    V = rng.standard_normal((40, 3))
    V -= V.mean(axis=0)
    assert_allclose(columns.products(V), V.T @ Z, atol=1e-13)
    assert_allclose(columns.correlations(2), np.abs(Z.T @ Z[:, 2]), atol=1e-13)
    assert columns.correlations(2).max() <= 1
    weights = rng.random(15)
    assert_allclose(columns.combination(weights), Z @ weights, atol=1e-13)


@storages
@pytest.mark.parametrize("shape", [(40, 15), (12, 30)])
def test_gram_and_energies(storage, shape):
    columns, X = make(storage, shape=shape)
    Z, weights = unit(X), np.arange(shape[1]) / 7
    gram = Z.T @ Z if shape[1] <= shape[0] else Z @ Z.T
    assert_allclose(columns.gram(), gram, atol=1e-12)
    assert_allclose(columns.weighted_energies(weights), weights @ (Z.T @ Z) ** 2, atol=1e-12)


@pytest.mark.parametrize("factor", [1e-200, 1e-8, 1e8, 1e200])
def test_units_do_not_matter(factor):
    X = make("dense")[1]
    expected = UnitColumns(X)
    scaled = UnitColumns(X * factor)
    assert_allclose(scaled.norms / factor, expected.norms, rtol=1e-12)
    assert_allclose(scaled.correlations(0), expected.correlations(0), atol=1e-12)


def test_sparse_columns_are_not_densified():
    X = sp.random_array((300, 50), density=0.05, random_state=np.random.default_rng(0), format="csr")
    columns = UnitColumns(X)
    assert columns._dense.shape[1] == 0
    assert columns._sparse.nnz == X.nnz
