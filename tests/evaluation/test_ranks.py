"""Ranks of methods over datasets."""

import numpy as np
import pytest

from featsieve.evaluation import Cell, Comparison, rank_over_datasets


def test_rank_over_datasets():
    def comparison(values):
        info = {
            "sizes": [1, 2],
            "measures": [{"key": "nn", "name": "1-NN", "direction": "larger", "main": True, "percent": True}],
            "methods": {label: {} for label in values},
            "protocol": {"transductive": False, "n_splits": 2},
        }
        cells = [
            Cell(label, split, "ok", result={"measures": {"nn": [value, value]}, "n_train": 5, "n_test": 5})
            for label, value in values.items()
            for split in range(2)
        ]
        return Comparison("r", info, cells)

    comparisons = [
        comparison({"random": 0.5, "b": 0.7, "a": 0.9, "lost": 1.0}),
        comparison({"random": 0.6, "a": 0.8, "b": 0.7}),
    ]
    labels, ranks = rank_over_datasets(comparisons)
    assert labels == ["a", "b", "random"]
    np.testing.assert_allclose(ranks.mean_ranks, [1, 2, 3])
    with pytest.raises(ValueError, match="at least 2 comparisons"):
        rank_over_datasets(comparisons[:1])
