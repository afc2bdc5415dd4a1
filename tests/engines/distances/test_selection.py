"""The k smallest distances, and the rule for ties."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from featsieve.engines.distances.selection import TIE_RTOL, k_smallest, partition_smallest, smallest_index


def rounded(n_columns, levels, seed=0):
    """Return distances with many ties, which differ from each other by rounding."""
    rng = np.random.default_rng(seed)
    return rng.integers(1, levels + 1, (30, n_columns)) * (1 + 1e-15 * rng.random((30, n_columns)))


def sorted_columns(distances, ranks, k):
    return np.lexsort((np.broadcast_to(ranks, distances.shape), np.rint(distances)), axis=1)[:, :k]


@pytest.mark.parametrize("levels", [1, 3, 50, 10**6])
@pytest.mark.parametrize("k", [1, 4, 11, 12, 20])
def test_ties_go_to_the_smallest_index(levels, k):
    distances = rounded(12, levels)
    before = distances.copy()
    expected = np.sort(sorted_columns(distances, np.arange(12), min(k, 12)), axis=1)
    assert_array_equal(np.sort(k_smallest(distances, k), axis=1), expected)
    assert_array_equal(distances, before)


@pytest.mark.parametrize("levels", [1, 3, 50])
@pytest.mark.parametrize("k", [1, 4, 12])
def test_ties_follow_shared_ranks(levels, k):
    distances = rounded(12, levels)
    ranks = np.random.default_rng(1).permutation(12)
    columns = k_smallest(distances, k, tie_ranks=ranks, bits=40)
    assert_array_equal(columns, sorted_columns(distances, ranks, k))


@pytest.mark.parametrize("levels", [1, 3, 50])
@pytest.mark.parametrize("k", [1, 4, 12])
def test_ties_follow_the_ranks_of_each_row(levels, k):
    distances = rounded(12, levels)
    ranks = np.random.default_rng(1).permuted(np.tile(np.arange(12), (30, 1)), axis=1)
    columns = k_smallest(distances, k, tie_ranks=lambda rows: ranks[rows], bits=40)
    assert_array_equal(columns, sorted_columns(distances, ranks, k))


def test_ranks_are_computed_for_rows_with_ties_only():
    distances = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [1.0, 3.0, 3.0]])
    requested = []

    def ranks(rows):
        requested.append(rows.tolist())
        return np.array([[2, 1, 0]] * rows.size)

    assert_array_equal(k_smallest(distances, 1, tie_ranks=ranks, bits=40), [[0], [2], [0]])
    assert requested == []
    assert_array_equal(k_smallest(distances, 2, tie_ranks=ranks, bits=40), [[0, 1], [2, 1], [0, 2]])
    assert requested == [[1, 2]]


def test_infinite_distances_are_selected_last():
    distances = np.array([[np.inf, 1.0, np.inf, 0.5]])
    assert set(k_smallest(distances, 2)[0]) == {1, 3}
    assert_array_equal(k_smallest(distances, 2, bits=40), [[3, 1]])
    assert_array_equal(distances, [[np.inf, 1.0, np.inf, 0.5]])


def test_smallest_index_allows_for_rounding_only():
    equal, different = 1 + TIE_RTOL / 2, 1 + 4 * TIE_RTOL
    assert_array_equal(smallest_index(np.array([[equal, 1.0], [different, 1.0], [0.0, 0.0]])), [0, 1, 0])


@pytest.mark.parametrize("n", [9, 300, 5000])
@pytest.mark.parametrize("levels", [2, 50, 10**6])
def test_partition_finds_the_smallest_of_rows(n, levels):
    values = np.random.default_rng(n).integers(0, levels, (20, n)).astype(np.float32)
    columns, last = partition_smallest(values, 8)
    smallest = np.take_along_axis(values, columns, axis=1)
    assert_array_equal(np.sort(smallest, axis=1), np.sort(values, axis=1)[:, :8])
    assert_array_equal(last, smallest.max(axis=1))
    assert all(len(set(row)) == 8 for row in columns.tolist())


@pytest.mark.parametrize("n", [40, 1024, 1500])
def test_partition_of_tensors_equals_that_of_arrays(n):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    values = np.random.default_rng(0).standard_normal((5, n))
    values[0, :600] = -9 - np.arange(n)[:600] % 7  # the smallest values are in few groups, with ties
    columns, last = partition_smallest(torch.asarray(values), 8)
    smallest = np.take_along_axis(values, columns.numpy(), axis=1)
    assert_array_equal(np.sort(smallest, axis=1), np.sort(values, axis=1)[:, :8])
    assert_array_equal(last.numpy(), smallest.max(axis=1))
    assert all(len(set(row)) == 8 for row in columns.tolist())
