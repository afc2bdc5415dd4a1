"""Connected components, and leading eigenvectors with all that share the last eigenvalue."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from featsieve import ClassGraph
from featsieve.graphs import Graph, spectrum
from featsieve.graphs.spectrum import connected_components, leading_eigenpairs, shift_invert


def normalize(weights):
    """Return D^-1/2 W D^-1/2."""
    scale = sp.diags_array(1 / np.sqrt(weights.sum(axis=0)))
    return sp.csr_array(scale @ weights @ scale)


def make_ring(n):
    """Return the weights of a ring of n samples, each connected to the nearest two."""
    ones = np.ones(n)
    return sp.csr_array(sp.diags_array([ones[1:], ones[1:], [1], [1]], offsets=[1, -1, n - 1, 1 - n]))


@pytest.mark.parametrize("form", [sp.csr_array, lambda W: W.toarray()])
def test_components_of_two_rings(form):
    graph = Graph(form(sp.block_diag([make_ring(4), make_ring(3)])))
    labels, n_components = connected_components(graph)
    assert n_components == 2
    assert_array_equal(labels, [0, 0, 0, 0, 1, 1, 1])


def test_classes_are_the_components_of_their_graph():
    labels, n_components = connected_components(ClassGraph().build(np.eye(5), [2, 7, 2, 7, 2]))
    assert n_components == 2
    assert_array_equal(labels, [0, 1, 0, 1, 0])


@pytest.mark.parametrize(("weight", "n_components"), [(1e-14, 2), (1e-10, 1)])
@pytest.mark.parametrize("form", [sp.csr_array, lambda W: W.toarray()])
def test_negligible_weights_do_not_connect(weight, n_components, form):
    weights = sp.lil_array(sp.block_diag([make_ring(4), make_ring(3)]))
    weights[0, 6] = weights[6, 0] = weight
    assert connected_components(Graph(form(sp.csr_array(weights))))[1] == n_components


@pytest.mark.parametrize("sparse_solver", [False, True])
def test_eigenpairs_are_those_of_numpy(sparse_solver, monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_DENSE_SAMPLES", 30 if sparse_solver else 1000)
    A = np.random.default_rng(0).standard_normal((60, 60))
    A = A + A.T
    expected_values, expected_vectors = np.linalg.eigh(A)
    values, vectors = leading_eigenpairs(lambda v: A @ v, 60, 5)
    assert_allclose(values, expected_values[::-1][:5], rtol=1e-10)
    assert_allclose(np.abs(np.sum(vectors * expected_vectors[:, ::-1][:, :5], axis=0)), 1, rtol=1e-8)


@pytest.mark.parametrize("sparse_solver", [False, True])
@pytest.mark.parametrize(("count", "n_pairs"), [(1, 1), (2, 3), (3, 3), (4, 5)])
def test_all_eigenvalues_equal_to_the_last_are_included(count, n_pairs, sparse_solver, monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_DENSE_SAMPLES", 30 if sparse_solver else 1000)
    S = normalize(make_ring(100))  # all eigenvalues except 1 and -1 are double
    values, vectors = leading_eigenpairs(lambda v: S @ v, 100, count)
    assert values.size == vectors.shape[1] == n_pairs
    assert_allclose(S @ vectors, vectors * values, atol=1e-8)


def test_zero_operator_has_all_eigenvalues():
    values, _ = leading_eigenpairs(lambda v: 0 * v, 7, 2)
    assert_array_equal(values, np.zeros(7))


def test_inverse_has_the_same_eigenvectors_in_the_same_order(monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_DENSE_SAMPLES", 30)
    S = normalize(make_ring(100))
    known = sp.csr_array(np.full((100, 1), 0.1))  # the eigenvector of eigenvalue 1
    inverse = shift_invert(S, known)

    def multiply(v):
        return S @ v - known @ (known.T @ v)

    values, vectors = leading_eigenpairs(multiply, 100, 3, inverse)
    assert_allclose(values, leading_eigenpairs(multiply, 100, 3)[0], rtol=1e-9)
    assert_allclose(known.T @ vectors, 0, atol=1e-8)


@pytest.mark.parametrize("n", [50, 5000])
def test_no_inverse_of_small_and_of_large_matrices(n):
    assert shift_invert(make_ring(n), sp.csr_array((n, 1))) is None


def test_no_convergence_is_reported(monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_DENSE_SAMPLES", 30)
    monkeypatch.setattr(spectrum, "MAX_FALLBACK_SAMPLES", 50)
    S = normalize(make_ring(100))
    with pytest.raises(ValueError, match=r"did not converge.*Raise `n_neighbors`"):
        leading_eigenpairs(lambda v: S @ v, 100, 40)  # too many for the sparse solver
