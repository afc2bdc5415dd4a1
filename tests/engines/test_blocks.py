"""Blocks fit in memory, threads keep the order and the context, and BLAS limits are restored."""

import sys
from threading import Event, Thread

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn

from featsieve.engines.blocks import (
    alternating_blas,
    blas_libraries,
    map_columns,
    n_threads,
    parallel_map,
    single_threaded_blas,
    slices,
)


@pytest.mark.parametrize("megabytes", [0.001, 0.5, 16, 1024])
@pytest.mark.parametrize("bytes_each", [1, 1000, 10**6, 10**10])
def test_slices_cover_the_range_and_fit_in_memory(megabytes, bytes_each):
    with sklearn.config_context(working_memory=megabytes):
        blocks = slices(1000, bytes_each, np.empty(0))
    assert np.concatenate([np.arange(1000)[block] for block in blocks]).tolist() == list(range(1000))
    for block in blocks:
        width = block.stop - block.start
        assert width == 1 or width * bytes_each * n_threads() <= megabytes * 2**20


def test_number_of_threads_follows_openmp(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert n_threads() == 3
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert n_threads() >= 1


@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array])
def test_columns_are_in_order_and_may_be_overwritten(layout, monkeypatch):
    X = np.arange(300.0).reshape(10, 30)
    matrix = layout(X)
    monkeypatch.setenv("OMP_NUM_THREADS", "4")

    def total(B):
        assert B.shape[0] == 10
        B += 1
        return B.sum(axis=0)

    with sklearn.config_context(working_memory=0.001):
        sums = map_columns(total, matrix, name="test")
    np.testing.assert_array_equal(sums, X.sum(axis=0) + 10)
    np.testing.assert_array_equal(matrix.toarray() if sp.issparse(matrix) else matrix, X)


def test_errors_in_threads_reach_the_caller(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")

    def fail(block):
        raise FloatingPointError(f"in block {block.start}")

    with pytest.raises(FloatingPointError, match="in block 0"):
        list(parallel_map(fail, [slice(0, 1), slice(1, 2)], np.empty(0), "test"))


def test_threads_use_the_configuration_of_the_caller(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with sklearn.config_context(working_memory=7), np.errstate(divide="raise"):
        settings = list(
            parallel_map(
                lambda block: (sklearn.get_config()["working_memory"], np.geterr()["divide"]),
                [slice(0, 1), slice(1, 2)],
                np.empty(0),
                "test",
            )
        )
    assert settings == [(7, "raise")] * 2


@pytest.mark.parametrize("first_to_close", [0, 1])
def test_blas_threads_are_restored_after_overlapping_limits(first_to_close):
    def limits():
        return [
            library["num_threads"]
            for library in blas_libraries().info()
            # libraries that use OpenMP, such as that of faiss, have a limit for each thread
            if library["user_api"] == "blas" and library["threading_layer"] != "openmp"
        ]

    before = limits()
    if max(before) == 1:
        pytest.skip("BLAS has one thread here")
    opened, close, closed = ([Event(), Event()] for _ in range(3))
    end = Event()

    def limit(who):
        with single_threaded_blas():
            opened[who].set()
            close[who].wait(60)
        closed[who].set()
        end.wait(60)  # an ended thread could no longer own the limit

    threads = [Thread(target=limit, args=(who,), daemon=True) for who in range(2)]
    for who in range(2):
        threads[who].start()
        opened[who].wait(60)
        assert set(limits()) == {1}
    for who in (first_to_close, 1 - first_to_close):
        close[who].set()
        closed[who].wait(60)
    assert limits() == before
    end.set()
    for thread in threads:
        thread.join()


def test_libraries_are_searched_again_after_an_import(monkeypatch):
    before = blas_libraries()
    assert blas_libraries() is before
    monkeypatch.setitem(sys.modules, "module that may load a library", sys)
    assert blas_libraries() is not before


def test_alternating_blas_has_one_thread_for_small_problems():
    def blas_threads():
        return [library.num_threads for library in blas_libraries().select(user_api="blas").lib_controllers]

    before = blas_threads()
    if max(before) == 1:
        pytest.skip("BLAS has one thread here")
    with alternating_blas(10**6):
        assert set(blas_threads()) == {1}
    with alternating_blas(10**12):
        assert blas_threads() == before
