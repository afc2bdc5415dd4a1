"""The number of features that each method needs."""

import numpy as np
import pytest

from evaluation.comparisons import make_comparison, noisy
from featsieve.evaluation.own_sizes import Curves

SIZES = [1, 2, 4, 8, 16]
RANDOM = noisy([0.5, 0.52, 0.55, 0.6, 0.7], seed=1)


def test_own_size_is_the_smallest_within_one_standard_error_of_the_peak():
    values = noisy([0.6, 0.75, 0.9, 0.901, 0.7], noise=0.01, seed=2)
    comparison = make_comparison({"random": RANDOM, "a": values}, SIZES)
    row = comparison.best_sizes().iloc[0]
    deficits = values[:, [3]] - values
    errors = deficits.std(axis=0, ddof=1) / np.sqrt(10)
    expected = next(i for i in range(5) if deficits[:, i].mean() <= errors[i])
    assert row["peak_n_features"] == SIZES[int(values.mean(axis=0).argmax())]
    assert row["n_features"] == SIZES[expected] == 4
    assert row["score"] == pytest.approx(values[:, 2].mean())
    assert row["random"] == pytest.approx(RANDOM[:, 2].mean())
    assert row["peak"] == pytest.approx(values.mean(axis=0).max())


def test_without_labels_the_size_has_the_largest_gain():
    """The neighbors are preserved best by all features, whatever the method."""
    random, values = noisy([0.1, 0.2, 0.4, 0.7, 1.0]), noisy([0.3, 0.6, 0.7, 0.8, 1.0])
    comparison = make_comparison({"random": random, "a": values}, SIZES, target=None)
    assert comparison.best_sizes().iloc[0]["n_features"] == 2
    assert make_comparison({"random": random, "a": values}, SIZES).best_sizes().iloc[0]["n_features"] == 16


def test_methods_that_miss_splits_have_no_size():
    comparison = make_comparison({"random": RANDOM, "a": RANDOM + 0.1, "b": RANDOM[:6] + 0.1}, SIZES)
    assert comparison.best_sizes()["method"].tolist() == ["a"]
    assert set(Curves.of(comparison).values) == {"a"}


def test_one_split_has_a_size():
    comparison = make_comparison({"random": RANDOM[:1], "a": RANDOM[:1] + 0.1}, SIZES)
    assert comparison.best_sizes()["n_features"].tolist() == [16]


def test_methods_that_beat_random_come_first_by_their_mean_at_their_own_size():
    peaked = noisy([0.5, 0.52, 0.9, 0.6, 0.7], seed=1)
    steady = noisy([0.8, 0.8, 0.8, 0.8, 0.7], seed=1)
    comparison = make_comparison({"random": RANDOM, "worse": RANDOM - 0.1, "s": steady, "p": peaked}, SIZES)
    assert comparison.summary()["method"].tolist()[0] == "s"
    assert comparison.ordered_labels() == ["p", "s", "worse", "random"]
