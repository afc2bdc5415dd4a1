"""Judge claims: one rule for all papers, fixed before the results were known.

A case is a dataset (with a number of training samples or clusters) and a measure. Its value is the mean over
the subset sizes that the claim covers, excluding the full set, where all methods are equal. In a case one
method is better than another if the difference exceeds a margin, which grows as the number of repeats falls.
A claim holds if the fraction of cases that its wording requires supports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any

import numpy as np

from featsieve.reproduction.outcome import Outcome, Repeats
from featsieve.reproduction.schema import Claim, Judgment, Paper, Verdict

# Fraction of cases that a wording requires: "all" (and no case against), "nearly all" or a plain "better",
# "most", "often"; and the smallest fraction for which a claim still holds partly.
EVERY, NEARLY_ALL, MOST, OFTEN, PARTLY = 1.0, 0.8, 0.6, 0.5, 1 / 3
# In percentage points.
MIN_TIE_MARGIN = 0.5
SINGLE_SPLIT_ERROR = 2.0
SIMILAR_MARGIN = 2.0
MUCH_BETTER_MARGIN = 3.0
# With fewer repeats a verdict states that they are few.
MIN_REPEATS = 5
# Smaller differences may come from the order of floating-point operations.
DIFFERENCE_ATOL = 1e-9
# With more cases, verdicts give a summary instead of the value of each case.
MAX_LISTED_CASES = 12

RULE = (
    "The rule was fixed by a reader of the papers who knew which published numbers had been reproduced "
    "before, but had not seen the results of these runs. A case is a dataset (with a number of training "
    "samples or clusters) and a measure. Its value is the mean over the subset sizes that the claim covers, "
    "excluding the full set, where all methods are equal.",
    f"In a case one method is better than another if the difference is more than {MIN_TIE_MARGIN:g} points "
    f"and more than {SINGLE_SPLIT_ERROR:g} points divided by the square root of the number of repeats "
    "(splits, rounds of folds, or clusterings; for a single fixed split, thousands of test samples). Smaller "
    "differences count as equal.",
    f"Required fraction of cases: all, {NEARLY_ALL:.0%} with no case against; nearly all, or no quantity "
    f"named, {NEARLY_ALL:.0%}; most, {MOST:.0%}; often, {OFTEN:.0%}. A claim holds partly if at least a "
    "third of the cases support it and more cases support it than contradict it, or if only some of its "
    "parts or readings hold.",
    f"Much better: also a mean difference of at least {MUCH_BETTER_MARGIN:g} points. As good as, almost the "
    f"same: within {SIMILAR_MARGIN:g} points. Hardly depends: the range over the parameter is at most "
    f"{SIMILAR_MARGIN:g} points plus twice the margin for equality. A good choice: at most "
    f"{SIMILAR_MARGIN:g} points plus that margin below the best. Best with fewer features: higher than with "
    "all features, by more than the best random selection of any size.",
    f"Verdicts from fewer than {MIN_REPEATS} repeats are marked. If equal cases could reverse such a "
    "verdict, the claim cannot be tested. Cases that failed or have no data are omitted and named. If fewer "
    "than half of the cases remain, the claim cannot be tested.",
    "Changes after results were known: cases in which a method gives all features the same score are "
    "omitted; the claim about the LLE score on faces is judged against all other methods, not only the "
    "Laplacian score; the growth of run times is fitted to the minimum of 5 timings instead of one; the "
    "statements of the LKR paper about ridges and widths are judged as one claim about six datasets, not as "
    "two; a constant pixel counts as ranked first by the LLE score unless at least half of the other pixels "
    "precede it; and claims that had been overlooked were added (two of LKR, three of TAKES, one of LLE).",
)


def tie_margin(n_repeats: int) -> float:
    """Return the largest difference, in points, that counts as equal.

    Examples
    --------
    >>> from featsieve.reproduction.checks import tie_margin
    >>> [round(tie_margin(n_repeats), 2) for n_repeats in (1, 2, 10, 50)]
    [2.0, 1.41, 0.63, 0.5]
    """
    return max(MIN_TIE_MARGIN, SINGLE_SPLIT_ERROR / sqrt(n_repeats))


@dataclass(frozen=True, kw_only=True)
class Case:
    """One comparison.

    Attributes
    ----------
    name : str
        Dataset and measure.
    difference : float
        By how much the method of the claim is better, or the quantity that the claim is about.
    repeats : Repeats
        Number of repeats and their unit.
    margin : float or None, default=None
        Largest difference that counts as equal. None derives it from the repeats.
    baselines : dict, default={}
        By how much the method of the claim is better than random selection and than all features.
    """

    name: str
    difference: float
    repeats: Repeats
    margin: float | None = None
    baselines: Mapping[str, float] = field(default_factory=dict)

    @property
    def tie_margin(self) -> float:
        """Largest difference that counts as equal."""
        return tie_margin(self.repeats.number) if self.margin is None else self.margin


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The cases of a claim.

    Attributes
    ----------
    measured : tuple of Case
        Cases with a result.
    omitted : dict, default={}
        Name of the case to the reason why it has no result.
    description : str, default=""
        Meaning of the differences.
    unit : str, default=" points"
        Unit of the differences.
    digits : int, default=1
        Number of decimals to show.
    """

    measured: tuple[Case, ...]
    omitted: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    unit: str = " points"
    digits: int = 1

    @property
    def too_few(self) -> bool:
        """Whether fewer than half of the cases have a result."""
        return not self.measured or len(self.measured) < len(self.omitted)


def judge(paper: Paper, outcomes: Mapping[str, Outcome]) -> list[tuple[Claim, Verdict]]:
    """Judge the claims whose experiments are among the outcomes.

    Claims without a check are included if all experiments of the paper were run.
    """
    verdicts = []
    for claim in paper.claims:
        if claim.check is None:
            if all(experiment.key in outcomes for experiment in paper.experiments):
                verdicts.append((claim, Verdict("cannot be tested", claim.reason)))
        elif all(key in outcomes for key in claim.experiments):
            empty = [key for key in claim.experiments if not outcomes[key].results]
            if empty:
                reason = f"{', '.join(empty)} could not be run: data is missing or cannot be read."
                verdicts.append((claim, Verdict("cannot be tested", reason)))
            else:
                verdicts.append((claim, claim.check(outcomes)))
    return verdicts


def decide(won: int, lost: int, total: int, required: float, is_large: bool = True) -> Judgment:
    """Return the judgment if ``won`` cases support a claim and ``lost`` cases contradict it.

    ``required`` is a fraction, such as ``MOST``. ``is_large`` is False if the claim is about a large
    difference and the mean difference is small.
    """
    fraction = won / total
    reached = (lost == 0 and fraction >= NEARLY_ALL) if required == EVERY else fraction >= required
    if reached and is_large:
        return "holds"
    return "holds partly" if reached or (won > lost and fraction >= PARTLY) else "does not hold"


def judge_better(cases: Cases, required: float, much: bool = False) -> Verdict:
    """Judge whether a method is better, or much better, in the required fraction of cases."""
    if cases.too_few:
        return _untested(cases)
    measured = cases.measured
    differences = [case.difference for case in measured]
    won, tied, lost = count_cases(measured)
    undecided = sum(
        abs(case.difference) <= case.tie_margin and case.repeats.number < MIN_REPEATS for case in measured
    )
    is_large = not much or float(np.mean(differences)) >= MUCH_BETTER_MARGIN
    judgment = decide(won, lost, len(measured), required, is_large)
    best_judgment = decide(won + undecided, lost, len(measured), required, is_large)
    better_at_all = sum(difference > DIFFERENCE_ATOL for difference in differences)
    text = (
        f"{_format_counts(won, tied, lost)} of {len(measured)} cases, {_format_range(cases)}; "
        f"without a margin, better in {better_at_all}."
    )
    if judgment == "does not hold" and best_judgment == "holds":
        text += f" Too many equal cases for {_format_repeats(measured)}; run the full form."
        judgment = "cannot be tested"
    else:
        if not is_large and decide(won, lost, len(measured), required) == "holds":
            text += f" The mean difference is less than {MUCH_BETTER_MARGIN:g}{cases.unit}."
        if won == lost == 0:
            text += " No difference."
    return _verdict(judgment, cases, text)


def judge_as_good(cases: Cases, required: float) -> Verdict:
    """Judge whether a method is at most ``SIMILAR_MARGIN`` worse."""
    text = f"at most {SIMILAR_MARGIN:g} points worse in {{}} of {{}} cases"
    return _judge_each(cases, lambda case: case.difference >= -SIMILAR_MARGIN, required, text)


def judge_small(cases: Cases, required: float, n_uncertain: int = 0) -> Verdict:
    """Judge whether absolute differences, or ranges over a parameter, are small.

    The limit is ``SIMILAR_MARGIN`` plus the margin for equality for each uncertain end of a range.
    """

    def limit(case: Case) -> float:
        return SIMILAR_MARGIN + n_uncertain * case.tie_margin

    limits = sorted({round(limit(case), 1) for case in cases.measured})
    text = f"at most {' or '.join(f'{limit:g}' for limit in limits)} points in {{}} of {{}} cases"
    return _judge_each(cases, lambda case: case.difference <= limit(case), required, text)


def judge_best_with_fewer(cases: Cases, required: float) -> Verdict:
    """Judge whether the best smaller subset beats all features by more than random selection does.

    A maximum over many sizes, computed on the test samples, exceeds the value of all features by chance. The
    maximum of random selection shows by how much.
    """
    text = "higher than with all features, by more than with random selection, in {} of {} cases"

    def passes(case: Case) -> bool:
        random_gain = case.baselines.get("maximum of random selection", -np.inf)
        return case.difference > max(case.tie_margin, random_gain)

    return _judge_each(cases, passes, required, text)


def combine(verdicts: Mapping[str, Verdict]) -> Verdict:
    """Combine the verdicts of the parts or readings of a claim.

    If they differ, the claim holds partly. A part that cannot be tested never supports a claim.
    """
    baselines = {verdict.baselines for verdict in verdicts.values()}
    shared = baselines.pop() if len(baselines) == 1 else None
    text = " ".join(
        f"{name} ({verdict.judgment}): {verdict.text if shared is None else verdict.measured}"
        for name, verdict in verdicts.items()
    )
    judgments: set[Judgment] = {verdict.judgment for verdict in verdicts.values()}
    tested = judgments - {"cannot be tested"}
    judgment: Judgment = "holds partly"
    if len(judgments) == 1 or tested == {"does not hold"}:
        judgment = (tested or judgments).pop()
    return Verdict(judgment, text, shared or "")


def count_cases(cases: Sequence[Case]) -> tuple[int, int, int]:
    """Count the cases that a method wins, ties and loses."""
    won = sum(case.difference > case.tie_margin for case in cases)
    lost = sum(case.difference < -case.tie_margin for case in cases)
    return won, len(cases) - won - lost, lost


def _judge_each(cases: Cases, passes: Callable[[Case], bool], required: float, template: str) -> Verdict:
    """Judge by the number of cases that pass a test."""
    if cases.too_few:
        return _untested(cases)
    failed = [case.name for case in cases.measured if not passes(case)]
    total = len(cases.measured)
    passed = total - len(failed)
    text = template.format(passed, total)
    if total <= MAX_LISTED_CASES:
        values = (f"{case.name} {case.difference:.{cases.digits}f}" for case in cases.measured)
        text += f" ({'; '.join(values)})."
    else:
        text += f", {_format_range(cases)}."
        if failed:
            text += f" Exceptions: {'; '.join(failed[:6])}{'; and others' if len(failed) > 6 else ''}."
    return _verdict(decide(passed, len(failed), total, required), cases, text)


def _untested(cases: Cases) -> Verdict:
    omitted = _format_omitted(cases) or "all"
    return Verdict("cannot be tested", f"Fewer than half of the cases were measured. Omitted: {omitted}.")


def _verdict(judgment: Judgment, cases: Cases, text: str) -> Verdict:
    """Return the verdict with the number of repeats, the omitted cases and the baselines in its text."""
    few = [case for case in cases.measured if case.repeats.number < MIN_REPEATS]
    origin = f"From {_format_repeats(cases.measured)}"
    if few:
        some = "" if len(few) == len(cases.measured) else f" in {len(few)} of {len(cases.measured)} cases"
        origin = f"From only {_format_repeats(few)}{some}"
    text = ": ".join(filter(None, (origin, cases.description, text)))
    if cases.omitted:
        text += f" Omitted: {_format_omitted(cases)}."
    baselines = "".join(_format_baseline(cases, name) for name in ("random selection", "all features"))
    return Verdict(judgment, text, baselines)


def _format_omitted(cases: Cases) -> str:
    """Format the omitted cases, grouped by reason."""
    groups = group_keys(cases.omitted)
    return ". ".join(f"{'; '.join(names)} ({reason})" for reason, names in groups.items())


def group_keys(mapping: Mapping[str, Any]) -> dict[Any, list[str]]:
    """Return {value: keys with that value}.

    Examples
    --------
    >>> from featsieve.reproduction.checks import group_keys
    >>> group_keys({"a": 1, "b": 2, "c": 1})
    {1: ['a', 'c'], 2: ['b']}
    """
    groups: dict[Any, list[str]] = {}
    for key, value in mapping.items():
        groups.setdefault(value, []).append(key)
    return groups


def _format_baseline(cases: Cases, name: str) -> str:
    compared = [
        replace(case, difference=case.baselines[name]) for case in cases.measured if name in case.baselines
    ]
    if not compared:
        return ""
    won, tied, lost = count_cases(compared)
    mean = f"mean {np.mean([case.difference for case in compared]):+.{cases.digits}f}"
    text = f" Compared with {name}: {_format_counts(won, tied, lost)} ({mean})."
    if name == "random selection" and won <= lost:
        text += " Not better than random selection."
    return text


def _format_counts(won: int, tied: int, lost: int) -> str:
    return f"better in {won}, equal in {tied}, worse in {lost}"


def _format_range(cases: Cases) -> str:
    differences, digits = [case.difference for case in cases.measured], cases.digits
    text = f"mean {np.mean(differences):+.{digits}f}{cases.unit}"
    if len(differences) == 1:
        return text
    return f"{text} ({min(differences):+.{digits}f} to {max(differences):+.{digits}f})"


def _format_repeats(cases: Iterable[Case]) -> str:
    """Format the numbers of repeats, such as "10 or 25 splits"."""
    counts: dict[str, set[int]] = {}
    for case in cases:
        counts.setdefault(case.repeats.unit, set()).add(case.repeats.number)
    return " or ".join(
        f"{' or '.join(map(str, sorted(numbers)))} {unit}{'s' if max(numbers) > 1 else ''}"
        for unit, numbers in counts.items()
    )
