"""The path of the group lasso meets its optimality conditions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from featsieve.solvers.group_lasso import _compress, group_lasso_path


def make_problem(n=40, d=12, n_responses=3, seed=0):
    rng = np.random.default_rng(seed)
    F = rng.standard_normal((n, d))
    return F, F[:, :4] @ rng.standard_normal((4, n_responses)) + 0.3 * rng.standard_normal((n, n_responses))


def largest_penalty(F, Y):
    return np.linalg.norm(F.T @ Y, axis=1).max()


@pytest.mark.parametrize("shape", [(40, 12), (15, 40)])
@pytest.mark.parametrize("n_rows", [1, 3, 6])
def test_optimality_conditions(shape, n_rows):
    F, Y = make_problem(*shape)
    penalty, B = group_lasso_path(F, Y, largest_penalty(F, Y), n_rows)
    gradients = F.T @ (Y - F @ B)
    norms = np.linalg.norm(B, axis=1)
    active = norms > 0
    assert active.sum() >= n_rows
    assert_allclose(gradients[active], penalty * B[active] / norms[active, None], atol=1e-3 * penalty)
    assert (np.linalg.norm(gradients[~active], axis=1) <= penalty * (1 + 1e-5)).all()


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_slightly_larger_penalties_have_fewer_rows(n_rows):
    F, Y = make_problem(seed=1)
    first = largest_penalty(F, Y)
    penalty, B = group_lasso_path(F, Y, first, n_rows)
    assert B.any(axis=1).sum() == n_rows
    assert penalty < first
    if n_rows > 1:
        assert group_lasso_path(F, Y, first, n_rows - 1)[0] > penalty


def test_the_path_ends_if_there_are_not_enough_rows():
    F, Y = make_problem()
    F[:, 3:] = 0
    penalty, B = group_lasso_path(F, Y, largest_penalty(F, Y), 10)
    assert B.any(axis=1).sum() == 3
    assert penalty <= 1e-3 * largest_penalty(F, Y)


@pytest.mark.parametrize("shape", [(40, 12), (5, 12)])
def test_compressed_problem_has_the_same_products(shape):
    F, Y = make_problem(*shape)
    small, responses = _compress(F, Y)
    assert len(small) <= min(shape)
    assert_allclose(small.T @ small, F.T @ F, atol=1e-10)
    assert_allclose(small.T @ responses, F.T @ Y, atol=1e-10)
