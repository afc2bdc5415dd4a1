"""The rule by which claims are judged."""

import pytest

from featsieve.reproduction.checks import (
    EVERY,
    MOST,
    NEARLY_ALL,
    OFTEN,
    SIMILAR_MARGIN,
    Case,
    Cases,
    combine,
    decide,
    judge_as_good,
    judge_best_with_fewer,
    judge_better,
    judge_small,
    tie_margin,
)
from featsieve.reproduction.outcome import Repeats
from featsieve.reproduction.schema import Verdict


def make_cases(*differences, repeats=50, omitted=(), **baselines):
    baselines = {name.replace("_", " "): difference for name, difference in baselines.items()}
    return Cases(
        measured=tuple(
            Case(
                name=f"case {index}",
                difference=difference,
                repeats=Repeats(repeats, "split"),
                baselines=baselines,
            )
            for index, difference in enumerate(differences)
        ),
        omitted=dict.fromkeys(omitted, "failed"),
    )


@pytest.mark.parametrize(
    ("won", "lost", "total", "required", "judgment"),
    [
        (8, 0, 8, EVERY, "holds"),
        (7, 0, 8, EVERY, "holds"),  # a tie does not refute "all"
        (7, 1, 8, EVERY, "holds partly"),  # a loss does
        (6, 0, 8, EVERY, "holds partly"),
        (7, 1, 8, NEARLY_ALL, "holds"),
        (5, 1, 6, NEARLY_ALL, "holds"),
        (6, 2, 8, NEARLY_ALL, "holds partly"),
        (4, 2, 6, MOST, "holds"),
        (3, 3, 6, MOST, "does not hold"),  # as many against it
        (3, 3, 6, OFTEN, "holds"),
        (2, 1, 6, MOST, "holds partly"),
        (1, 0, 6, MOST, "does not hold"),  # less than a third
    ],
)
def test_judgment_follows_from_counts_and_required_fraction(won, lost, total, required, judgment):
    assert decide(won, lost, total, required) == judgment


def test_tie_margin_is_wider_with_few_splits():
    assert [round(tie_margin(repeats), 2) for repeats in (1, 2, 3, 16, 50)] == [2.0, 1.41, 1.15, 0.5, 0.5]
    assert judge_better(make_cases(1.0, 1.0, 1.0), MOST).judgment == "holds"
    assert judge_better(make_cases(0.4, 0.4, 0.4), MOST).judgment == "does not hold"


def test_few_splits_are_reported_and_undecided_if_ties_could_reverse_the_verdict():
    undecided = judge_better(make_cases(1.0, 1.0, -1.0, repeats=2), MOST)
    assert undecided.judgment == "cannot be tested"
    decided = judge_better(make_cases(9.0, 9.0, -9.0, repeats=2), MOST)
    assert decided.judgment == "holds"
    assert decided.measured.startswith("From only 2 splits: ")
    assert judge_better(make_cases(9.0, 9.0, -9.0, repeats=5), MOST).measured.startswith("From 5 splits: ")
    mixed = Cases(
        measured=(
            Case(name="a", difference=3.0, repeats=Repeats(1, "split")),
            Case(name="b", difference=3.0, repeats=Repeats(50, "split")),
        )
    )
    assert judge_better(mixed, MOST).measured.startswith("From only 1 split in 1 of 2 cases: ")


def test_much_better_requires_a_large_mean_difference():
    assert judge_better(make_cases(1.0, 1.0), MOST, much=True).judgment == "holds partly"
    assert judge_better(make_cases(4.0, 4.0), MOST, much=True).judgment == "holds"


def test_failed_cases_are_omitted_and_named():
    verdict = judge_better(make_cases(1.0, 1.0, omitted=("Zoo",)), EVERY)
    assert verdict.judgment == "holds"
    assert "Omitted: Zoo (failed)" in verdict.measured
    few = judge_better(make_cases(1.0, omitted=("Zoo", "Wine")), EVERY)
    assert few.judgment == "cannot be tested"
    assert "Zoo; Wine (failed)" in few.measured
    assert judge_better(make_cases(), MOST).judgment == "cannot be tested"


def test_verdicts_include_random_selection_and_all_features():
    text = judge_better(make_cases(1.0, 1.0, random_selection=-3.0, all_features=2.0), MOST).text
    assert "Compared with random selection: better in 0, equal in 0, worse in 2 (mean -3.0)." in text
    assert "Not better than random selection." in text
    assert "Compared with all features: better in 2" in text
    assert "Not better" not in judge_better(make_cases(1.0, random_selection=3.0), MOST).text


def test_limits_of_the_other_wordings():
    assert judge_as_good(make_cases(-SIMILAR_MARGIN, 5.0), EVERY).judgment == "holds"
    assert judge_as_good(make_cases(-SIMILAR_MARGIN - 0.1, 5.0), EVERY).judgment == "does not hold"
    assert judge_small(make_cases(SIMILAR_MARGIN, SIMILAR_MARGIN + 0.1), OFTEN).judgment == "holds"
    assert judge_small(make_cases(3.0), EVERY, n_uncertain=2).judgment == "holds"
    assert judge_small(make_cases(3.1), EVERY, n_uncertain=2).judgment == "does not hold"
    assert judge_small(make_cases(6.0, repeats=1), EVERY, n_uncertain=2).judgment == "holds"
    chance = {"maximum_of_random_selection": 1.0}
    assert judge_best_with_fewer(make_cases(1.2, **chance), OFTEN).judgment == "holds"
    assert judge_best_with_fewer(make_cases(0.9, **chance), OFTEN).judgment == "does not hold"
    assert judge_best_with_fewer(make_cases(0.4), OFTEN).judgment == "does not hold"


def test_parts_and_readings_must_agree():
    holds, fails, untested = (
        Verdict(judgment, judgment) for judgment in ("holds", "does not hold", "cannot be tested")
    )
    assert combine({"a": holds, "b": holds}).judgment == "holds"
    assert combine({"a": holds, "b": fails}).judgment == "holds partly"
    assert combine({"a": fails, "b": untested}).judgment == "does not hold"
    assert combine({"a": untested}).judgment == "cannot be tested"
    assert combine({"a": holds, "b": untested}).judgment == "holds partly"
    compared = holds._replace(baselines=" Baselines.")
    assert combine({"a": compared, "b": compared}).text == "a (holds): holds b (holds): holds Baselines."
    assert combine({"a": compared, "b": holds}).text == "a (holds): holds Baselines. b (holds): holds"
