"""Sentences on a comparison: no terms of machine learning without an explanation, and the same everywhere."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.comparisons import make_comparison, noisy
from featsieve.cli.results import describe_recommendation, explain_table
from featsieve.evaluation.explanation import (
    AS_GOOD,
    ScoreFormat,
    define_score,
    define_size,
    explain_averaging,
    explain_estimate,
    explain_measures,
    explain_size,
    interchangeable_names,
    warn_of_random,
)
from featsieve.evaluation.measures import MEASURES
from featsieve.report import summarize

SIZES = [1, 2, 4, 8, 16]
RANDOM = noisy([0.5, 0.52, 0.55, 0.6, 0.7], seed=1)
# Terms that readers who know no machine learning do not understand.
JARGON = ("transductive", "stratified", "imput", "protocol")


@pytest.fixture
def comparison():
    curves = {"random": RANDOM, "a": noisy([0.6, 0.75, 0.9, 0.902, 0.7], noise=0.01, seed=4)}
    return make_comparison(curves, SIZES, correlated={"0": [2, 9]})


def row_of(comparison, label="a"):
    return comparison.best_sizes().set_index("method").to_dict("index")[label]


@pytest.mark.parametrize("key", MEASURES)
def test_every_measure_is_explained(key):
    explanation = MEASURES[key].explanation
    assert explanation[:1].islower()
    assert not explanation.endswith(".")
    assert "nearest neighbor" in explanation or "NN" not in MEASURES[key].name


def test_a_measure_of_the_user_has_no_explanation(comparison):
    assert explain_measures(comparison) == {"1-NN accuracy": MEASURES["nn"].explanation}
    comparison.info["measures"][0] |= {"name": "accuracy of mine"}  # with the key of another measure
    assert explain_measures(comparison) == {"accuracy of mine": ""}
    assert explain_table(comparison).count("accuracy of mine") == 1
    comparison.info["measures"][0] |= {"direction": "smaller"}
    assert explain_measures(comparison) == {"accuracy of mine": "smaller is better"}
    assert "  accuracy of mine: smaller is better\n" in explain_table(comparison)


def test_format_of_the_score(comparison):
    show = ScoreFormat(comparison)
    assert (show.value(0.1234), show.with_unit(0.1234), show.value(None), show.value(np.nan)) == (
        "12.3", "12.3%", "", "",
    )  # fmt: skip
    comparison.info["measures"][0] |= {"percent": False}
    show = ScoreFormat(comparison)
    assert (show.with_unit(0.1234), show.value(-0.0)) == ("0.12", "0.00")
    assert show.value(-0.001) == "0.00"


def test_definition_of_the_score(comparison):
    assert define_score(comparison) == "1-NN accuracy"
    comparison.info["measures"].append(comparison.info["measures"][0] | {"key": "ncm", "name": "other"})
    assert define_score(comparison) == "the mean of the following measures"
    assert list(explain_measures(comparison)) == ["1-NN accuracy", "other"]


def test_averaging():
    assert explain_averaging([3]) == "with 3 features"
    text = "averaged over 4 numbers of features from 1 to 2,000 (each doubling counts the same)"
    assert explain_averaging([1, 20, 200, 2000]) == text


def test_size_is_explained_by_the_peak(comparison):
    expected = (
        "The score of a is best with 8 features (score 90.4%); 4 is the smallest number that is as good, up "
        "to chance (within one standard error)."
    )
    assert explain_size(comparison, "a", row_of(comparison)) == expected
    at_peak = row_of(comparison) | {"n_features": 8}
    assert explain_size(comparison, "a", at_peak) == "The score of a is best with 8 features."
    comparison.info["dataset"]["target"] = None
    assert "gain over as many random features" in define_size(comparison)
    assert "gain over as many random features" in explain_size(comparison, "a", at_peak)


def test_the_estimate_is_explained_if_it_differs(comparison):
    advice, average = comparison.recommend(), row_of(comparison)["score"]
    assert explain_estimate(comparison, replace(advice, held_out=average + 1e-5)) == ""
    text = explain_estimate(comparison, replace(advice, held_out=average - 0.01))
    assert text.startswith(f"The average over all splits is {100 * average:.1f}%, but there the tested")


def test_a_recommendation_that_random_selection_reaches_says_so(comparison):
    assert warn_of_random(comparison, comparison.recommend()) == ""
    # better with few features, and like random ones with those that it needs
    sizes, random = [*SIZES, 32], noisy([0.5, 0.52, 0.55, 0.6, 0.7, 0.7], seed=1)
    values = noisy([0.65, 0.65, 0.65, 0.65, 0.7, 0.7], seed=3)
    late = make_comparison({"random": random, "a": values}, sizes)
    advice = late.recommend()
    assert advice.n_features == 16
    warning = "With 16 features, a is not clearly better than as many random ones."
    assert warn_of_random(late, advice) == warning
    assert warning in describe_recommendation(late)
    assert summarize(late)["answer"]["recommendation"]["warning"] == warning
    everything = make_comparison({"random": random[:, :5], "a": values[:, :5]}, SIZES)
    assert warn_of_random(everything, everything.recommend()) == ""  # there is nothing to choose


def test_interchangeable_features_that_are_both_recommended_are_marked(comparison):
    names = interchangeable_names(comparison.recommend())
    assert names == {"f0": ["f2 (also recommended)", "f9"]}
    assert "f0 with f2 (also recommended), f9." in describe_recommendation(comparison)


def test_terminal_and_report_have_the_same_sentences(comparison):
    terminal, answer = explain_table(comparison), summarize(comparison)["answer"]
    for sentence in (answer["measure"], answer["averaging"], answer["held_out"]):
        assert sentence in terminal
    assert all(f"{name}: {text}" in terminal for name, text in answer["explanations"].items())
    assert define_size(comparison) in terminal
    assert AS_GOOD in define_size(comparison)
    assert AS_GOOD in answer["recommendation"]["size"]
    assert not any(word in terminal.lower() for word in JARGON)
