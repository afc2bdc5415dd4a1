"""The recommendation: method, number, features, and what does not change it."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine

from evaluation.comparisons import make_comparison, noisy
from featsieve.evaluation import Execution, Plan, RepeatedSplits, compare

SIZES = [1, 2, 4, 8, 16]
RANDOM = noisy([0.5, 0.52, 0.55, 0.6, 0.7], seed=1)
PEAKED = noisy([0.5, 0.55, 0.9, 0.65, 0.7], seed=2)
STEADY = noisy([0.78, 0.8, 0.8, 0.8, 0.7], seed=3)
ORDER = np.random.default_rng(0).permutation(16)


def test_the_best_at_its_own_size_is_recommended():
    curves = {"random": RANDOM, "all": RANDOM[:, [-1] * 5], "steady": STEADY, "peaked": PEAKED}
    advice = make_comparison(curves, SIZES, orders={"peaked": ORDER}).recommend()
    assert (advice.method, advice.n_features) == ("peaked", 4)
    assert [feature.name for feature in advice.features] == [f"f{index}" for index in ORDER[:4]]
    assert [feature.score for feature in advice.features] == [16, 15, 14, 13]
    assert advice.held_out == pytest.approx(0.9, abs=0.01)
    assert advice.interval[0] < advice.held_out < advice.interval[1]
    assert any(
        "Averaged over all numbers of features, steady is the best method" in note for note in advice.notes
    )
    assert advice.command is None


def test_a_method_that_failed_on_all_samples_is_not_recommended():
    comparison = make_comparison({"random": RANDOM, "steady": STEADY, "peaked": PEAKED}, SIZES)
    (fit,) = [cell for cell in comparison.cells if cell.method == "peaked" and cell.split < 0]
    comparison.cells.remove(fit)
    advice = comparison.recommend()
    assert advice.method == "steady"
    assert advice.features


def test_the_reason_names_only_methods_that_finished():
    curves = {"random": RANDOM, "steady": STEADY, "peaked": PEAKED[:9]}
    advice = make_comparison(curves, SIZES, orders={"peaked": ORDER}).recommend()
    assert advice.method == "steady"
    assert advice.reason == (
        "Of the methods that beat random selection and finished on every split, steady has the best score."
    )


def test_frequency_counts_the_splits():
    comparison = make_comparison({"random": RANDOM, "a": PEAKED}, SIZES)
    for cell in comparison.cells:
        if cell.method == "a" and cell.split in (0, 1, 2):
            cell.result["order"] = list(range(15, -1, -1))
    frequencies = {feature.name: feature.frequency for feature in comparison.recommend().features}
    assert frequencies == {f"f{index}": 0.7 for index in range(4)}


def test_alternatives_are_within_one_standard_error_the_simplest_first():
    def nearly(gap, seed):
        values = noisy([0.5, 0.55, 0.9, 0.65, 0.7], seed=seed)
        values[:, 2] += PEAKED[:, 2].mean() - gap - values[:, 2].mean()
        return values

    curves = {"random": RANDOM, "best": PEAKED, "near": nearly(0.003, 5), "far": nearly(0.05, 6)}
    comparison = make_comparison(curves | {"simple": nearly(0.004, 7)}, SIZES)
    comparison.info["methods"]["simple"]["method"] = "fisher"
    for number, label in enumerate(("best", "near", "far", "simple")):
        for cell in comparison.cells:
            if cell.method == label:
                cell.result["order"] = np.roll(range(16), number).tolist()
    advice = comparison.recommend()
    assert advice.method == "best"
    assert [row["method"] for row in advice.alternatives] == ["simple", "near"]
    assert all(row["n_features"] == 4 for row in advice.alternatives)
    for row in advice.alternatives:
        difference = PEAKED[:, 2] - curves.get(row["method"], nearly(0.004, 7))[:, 2]
        assert difference.mean() <= math.sqrt((1 / 10 + 1) * difference.var(ddof=1))


def test_of_equally_good_methods_the_one_that_needs_the_fewest_features_is_recommended():
    early, late = (
        noisy([0.5, 0.895, 0.9, 0.9, 0.7], seed=4),
        noisy([0.5, 0.55, 0.6, 0.91, 0.7], seed=5, noise=0.02),
    )
    curves = {"random": RANDOM, "late": late, "early": early}
    orders = {"late": ORDER, "early": ORDER[::-1]}
    comparison = make_comparison(curves, SIZES, orders=orders)
    deficit = late[:, 3] - early[:, 2]
    error = math.sqrt((1 / 10 + 1) * deficit.var(ddof=1))
    assert 0 < deficit.mean() <= error
    advice = comparison.recommend()
    assert (advice.method, advice.n_features) == ("early", 4)
    assert [row["method"] for row in advice.alternatives] == ["late"]
    assert advice.reason.startswith("late has the best score, with 8 features, but early needs only 4")
    # clearly better, the other method is recommended in spite of its number of features
    curves["late"] = late + np.array([0, 0, 0, 1.5 * error, 0])
    assert make_comparison(curves, SIZES, orders=orders).recommend().method == "late"


def test_the_order_of_alternatives_does_not_depend_on_measured_times():
    curves = {"random": RANDOM} | dict.fromkeys("abc", PEAKED)
    comparison = make_comparison(curves, SIZES, orders={"a": ORDER, "b": ORDER[::-1]})
    slow = [dataclasses.replace(cell, seconds=100 * (cell.method == "b")) for cell in comparison.cells]
    assert [row["method"] for row in comparison.recommend().alternatives] == ["b", "c"]
    assert dataclasses.replace(comparison, cells=slow).recommend().alternatives == (
        comparison.recommend().alternatives
    )


def test_a_plain_method_stands_for_its_diverse_version_also_in_the_table():
    curves = {"random": RANDOM, "diverse:mrmr": PEAKED, "mrmr": PEAKED}
    comparison = make_comparison(curves, SIZES)
    for label in ("diverse:mrmr", "mrmr"):
        comparison.info["methods"][label]["method"] = label.split(":")[0]
    assert (comparison.recommend().method, comparison.recommend().same) == ("mrmr", ("diverse:mrmr",))
    assert comparison.ordered_labels()[:2] == ["mrmr", "diverse:mrmr"]


def test_methods_that_failed_are_not_counted():
    comparison = make_comparison({"random": RANDOM, "a": RANDOM, "b": RANDOM}, SIZES)
    failed = [
        dataclasses.replace(cell, status="failed", result=None) if cell.method == "b" else cell
        for cell in comparison.cells
    ]
    assert "None of the 2 methods" in comparison.recommend().reason
    assert "The method is not" in dataclasses.replace(comparison, cells=failed).recommend().reason


def test_the_interval_of_a_bounded_measure_ends_at_its_maximum():
    curves = {"random": RANDOM, "a": noisy([0.9] * 5, noise=0.2)}
    comparison = make_comparison(curves, SIZES)
    (measure,) = comparison.info["measures"]
    measure["percent"] = False
    low, high = comparison.recommend().interval
    assert high > 1
    measure["bounds"] = [None, 1.0]
    assert dataclasses.replace(comparison).recommend().interval == (low, 1.0)


def test_equal_orders_are_one_method():
    curves = {"random": RANDOM, "twin": PEAKED, "method": PEAKED, "other": STEADY}
    comparison = make_comparison(curves, SIZES, orders={"other": ORDER})
    advice = comparison.recommend()
    assert {advice.method, *advice.same} == {"twin", "method"}
    assert advice.method not in advice.same
    assert comparison.same_orders("twin") == ("method",)
    assert comparison.same_orders("other") == ()
    assert not {"twin", "method"} & {row["method"] for row in advice.alternatives}


def test_the_held_out_estimate_has_no_winners_optimism():
    """Many methods that are equally good: the best of them looks better than it is, the estimate does not."""
    truth, optimism, estimates = 0.8, [], []
    for seed in range(80):
        random = np.random.default_rng(seed)
        curves = {f"m{i}": noisy([truth] * 5, seed=[seed, i], noise=0.05) for i in range(10)}
        orders = {label: random.permutation(16) for label in curves}
        comparison = make_comparison({"random": np.full((10, 5), 0.5), **curves}, SIZES, orders=orders)
        advice = comparison.recommend()
        row = comparison.best_sizes().set_index("method").loc[advice.method]
        optimism.append(row["peak"] - truth)
        estimates.append(advice.held_out - truth)
    assert np.mean(optimism) > 0.015
    assert abs(np.mean(estimates)) < 0.006


def test_methods_between_which_the_other_splits_do_not_decide_share_the_held_out_estimate():
    """The recommended method must not be preferred, because the tested split may be why it is recommended."""
    good = np.full((10, 5), 0.9)
    failing = good.copy()
    failing[0] = 0.8  # equal to the other method without this split
    curves = {"random": RANDOM, "a": failing, "b": good}
    advice = make_comparison(curves, SIZES, orders={"b": ORDER}).recommend()
    assert advice.method == "b"
    assert advice.held_out == pytest.approx((9 * 0.9 + 0.85) / 10)


def test_without_labels_the_held_out_estimate_is_for_the_recommended_number_of_features():
    """Larger sizes preserve more neighbors; splits that choose one must not raise the estimate."""
    random, few, many = (
        np.tile(curve, (10, 1))
        for curve in ([0.1, 0.2, 0.4, 0.6, 1.0], [0.1, 0.5, 0.5, 0.6, 1.0], [0.1, 0.2, 0.4, 0.92, 1.0])
    )
    many[0, 3] += 0.09  # without this split, "many" is clearly better than "few"
    orders = {"few": ORDER, "many": ORDER[::-1]}
    curves = {"random": random, "few": few, "many": many}
    advice = make_comparison(curves, SIZES, orders=orders, target=None).recommend()
    assert (advice.method, advice.n_features) == ("few", 2)
    assert advice.held_out == pytest.approx(np.mean([0.2 + 0.41] + [0.5] * 9))


@pytest.mark.parametrize("seed", range(20))
def test_removing_methods_that_do_not_beat_random_changes_nothing(seed):
    random = np.random.default_rng(seed)
    curves = {"random": RANDOM}
    for index in range(12):
        gain = random.uniform(-0.1, 0.2) * np.array([1, 1, 1, 0.5, 0])
        curves[f"m{index}"] = noisy(RANDOM.mean(axis=0) + gain, seed=[seed, index], noise=0.04)
    orders = {label: random.permutation(16) for label in curves}
    comparison = make_comparison(curves, SIZES, orders=orders)
    outcomes = comparison.summary().set_index("method")["outcome"]
    losers = [label for label in curves if label != "random" and outcomes[label] != "better"]
    assert losers
    expected = comparison.recommend()
    for removed in [[label] for label in losers] + [losers]:
        rest = {label: curve for label, curve in curves.items() if label not in removed}
        if len(rest) < 2:
            continue
        advice = make_comparison(rest, SIZES, orders=orders).recommend()
        assert (advice.method, advice.features, advice.held_out) == (
            expected.method,
            expected.features,
            expected.held_out,
        )
        assert advice.alternatives == expected.alternatives


def test_a_higher_peak_that_does_not_beat_random_is_mentioned():
    wild = RANDOM + np.random.default_rng(5).normal(0, 0.3, (10, 1)) * [1, 1, 0, 1, 0]
    wild[:, 2] = 0.95
    advice = make_comparison({"random": RANDOM, "wild": wild, "steady": STEADY}, SIZES).recommend()
    assert advice.method == "steady"
    assert advice.notes[-1].startswith("wild has the highest score, with 4 features, but ")


@pytest.mark.parametrize(
    ("curves", "changes", "reason"),
    [
        ({"random": RANDOM, "a": RANDOM}, {}, "The method is not clearly better than random selection"),
        ({"random": RANDOM, "a": RANDOM, "b": RANDOM - 0.1}, {}, "None of the 2 methods is clearly better"),
        ({"random": RANDOM[:4], "a": PEAKED[:4]}, {}, "4 splits: too few for a verdict. Use at least 5"),
        ({"random": RANDOM, "a": PEAKED[:0]}, {}, "No method finished."),
        ({"random": RANDOM[:0], "a": PEAKED}, {}, "Random selection did not finish"),
        ({"random": RANDOM, "a": PEAKED}, {"transductive": True}, "on the same samples"),
    ],
)
def test_reasons_against_a_recommendation(curves, changes, reason):
    advice = make_comparison(curves, SIZES, **changes).recommend()
    assert advice.method is None
    assert reason in advice.reason
    assert not advice.features
    with pytest.raises(ValueError, match="there are no recommended features"):
        make_comparison(curves, SIZES, **changes).select(np.zeros((3, 16)))


def test_smaller_may_be_better():
    curves = {"random": 1 - RANDOM, "a": 1 - PEAKED}
    measures = [{"key": "nn", "name": "error", "direction": "smaller", "main": True, "percent": True}]
    advice = make_comparison(curves, SIZES, measures=measures).recommend()
    assert (advice.method, advice.n_features) == ("a", 4)
    assert advice.held_out == pytest.approx(0.1, abs=0.01)


def test_columns_that_were_encoded_are_counted_once():
    comparison = make_comparison({"random": RANDOM, "a": PEAKED}, SIZES)
    comparison.info["dataset"] |= {"columns": ["text", "b"], "origins": [0] * 3 + [1] * 13}
    advice = comparison.recommend()
    assert [feature.name for feature in advice.features] == ["text", "b"]
    assert advice.n_features == 2


def test_real_data_select_and_interchangeable():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.assign(copy=X["flavanoids"] * 2 + 1)
    plan = Plan(RepeatedSplits(20), draws=10)
    comparison = compare(
        X, y, ["fisher", "pearson"], plan, Execution(selection=["wine.csv", "-o", "out.csv"])
    )
    advice = comparison.recommend()
    assert advice.command.startswith(f"featsieve select wine.csv --method {advice.method} --top ")
    assert advice.command.endswith(" --scale -o out.csv")
    names = {feature.name for feature in advice.features}
    chosen = {"flavanoids": ["copy"], "copy": ["flavanoids"]}
    assert {key: value for key, value in advice.interchangeable.items() if key in chosen} == {
        name: other for name, other in chosen.items() if name in names
    }
    assert advice.interchangeable
    assert set(comparison.select(X).columns) == names
    assert isinstance(comparison.select(X), pd.DataFrame)
    indices = [index for index, name in enumerate(X.columns) if name in names]
    np.testing.assert_array_equal(comparison.select(X.to_numpy()), X.to_numpy()[:, indices])
    assert comparison.select(sp.csr_array(X.to_numpy())).shape == (178, len(names))
    with pytest.raises(ValueError, match="must have 14 columns; got 3"):
        comparison.select(X.to_numpy()[:, :3])
    assert len(repr(comparison)) < 120
