"""Peak memory of one part of a process."""

import numpy as np
import pytest

from featsieve.evaluation.memory import peak_memory, reset_peak_memory

MEGABYTE = 2**20


def peak_growth(n_bytes):
    reset_peak_memory()
    before = peak_memory()
    np.ones(n_bytes // 8)
    return peak_memory() - before


def test_a_large_peak_does_not_hide_a_later_smaller_one():
    if not reset_peak_memory() or peak_memory() is None:
        pytest.skip("the peak cannot be reset here")
    for size in (200, 50, 10, 100):
        assert peak_growth(size * MEGABYTE) == pytest.approx(size * MEGABYTE, abs=2 * MEGABYTE)


def test_reset_reports_that_it_is_impossible(tmp_path, monkeypatch):
    monkeypatch.setattr("featsieve.evaluation.memory._RESET", tmp_path / "missing" / "clear_refs")
    monkeypatch.setattr("featsieve.evaluation.memory._STATUS", tmp_path / "status")
    if peak_memory() is None:
        pytest.skip("no peak is measured here")
    assert not reset_peak_memory()
    assert peak_memory() > 0
