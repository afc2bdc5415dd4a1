"""Zhu, Miao & Zhang 2012."""

import numpy as np

from featsieve.datasets import load
from featsieve.papers import get_paper


def test_dermatology_has_the_samples_of_each_paper(data_dir):
    dataset = load("dermatology")
    runs = {run.key: run for run in get_paper("iterative").experiment("figure-1").runs}
    X, y = runs["Dermatology"].prepare(dataset.raw, dataset.y)
    assert X.shape == (358, 34)
    assert len(y) == 358
    assert not np.isnan(X).any()
    assert get_paper("leave-one-out").experiment("figure-1").runs[0].prepare(X, y)[0] is X
