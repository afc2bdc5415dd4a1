"""How claims are judged: one rule for all papers, fixed by a reader who did not see the results.

A case is a data set (and a number of training samples or clusters) and a measure. Its number is the mean
over the sizes that the claim speaks of, without all features, where all methods are equal. In a case one
method is better than another if it is so by more than a tie, which is wider the fewer splits there are. A
claim holds if that comes out in the share of cases that its wording asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from featsieve.reproduction.schema import Judgment, Verdict

# The share of cases that a wording asks for: "all" (and no loss), "nearly all" or a bare "better", "most",
# "often"; and the least that still holds partly.
EVERY, NEARLY_ALL, MOST, OFTEN, PARTLY = 1.0, 0.8, 0.6, 0.5, 1 / 3
# In points: a difference that is none, the error of a difference from one split, "as good as", "much better".
TIE, NOISE, ALIKE, MUCH = 0.5, 2.0, 2.0, 3.0
# Splits from which a verdict says no more that it comes from few.
ENOUGH = 5
# Numbers that differ by less are the same, computed in another order.
ROUNDING = 1e-9

RULE = (
    "The rule was fixed by a reader of the papers who knew which printed numbers had come out before, but "
    "did not see the results of these runs. A case is a data set (and a number of training samples or "
    "clusters) and a measure; its number is the mean over the sizes that the claim speaks of, without all "
    "features, where all methods are equal.",
    f"In a case one method is better than another if it is so by more than {TIE:g} points, and by more than "
    f"{NOISE:g} points divided by the root of the number of splits (rounds of folds, repeats of a "
    "clustering; for one fixed split, thousands of test samples). What is less counts as equal.",
    f"Cases that must come out: for all, {NEARLY_ALL:.0%} and none the other way; for nearly all, or where "
    f"no number is named, {NEARLY_ALL:.0%}; for most, {MOST:.0%}; for often, {OFTEN:.0%}. A claim holds "
    "partly if a third of the cases come out and more than go the other way, or if only some of its parts "
    "or readings hold.",
    f"Much better: also by {MUCH:g} points on average. As good as, almost the same: within {ALIKE:g} points. "
    f"Hardly depends: a range over the parameter of at most {ALIKE:g} points plus twice what counts as "
    f"equal; a good choice: at most {ALIKE:g} points plus what counts as equal below the best. Best with "
    "fewer features: above all features, and by more than the best of random selections of any size.",
    f"Verdicts from fewer than {ENOUGH} splits say so; where equal cases could turn such a verdict round, it "
    "cannot be tested. Cases that failed or have no data are left out and named; with fewer than half of "
    "the cases a claim cannot be tested.",
    "Some things were changed when results were known: cases in which a method gives all features the same "
    "score are left out; the claim of the LLE score on faces is judged against all other methods, not the "
    "Laplacian score alone; the growth of times is fitted to the least of 5 timings, not to one; what the "
    "LKR paper says of ridges and widths is judged as one claim about six data sets, not as two; a constant "
    "pixel counts as put first by the LLE score unless half of the others come before it; and claims were "
    "added that had been passed over (two of LKR, three of TAKES, one of LLE).",
)


def tie(repeats: int) -> float:
    """Up to this many points a difference from so many splits is none.

    Examples
    --------
    >>> from featsieve.reproduction.checks import tie
    >>> [round(tie(repeats), 2) for repeats in (1, 2, 10, 50)]
    [2.0, 1.41, 0.63, 0.5]
    """
    return max(TIE, NOISE / sqrt(repeats))


def decide(won: int, lost: int, total: int, wording: float, enough: bool = True) -> Judgment:
    """The verdict by counts; ``enough`` is False where the claim is of much and the mean gap is not."""
    share = won / total
    reached = (lost == 0 and share >= NEARLY_ALL) if wording == EVERY else share >= wording
    if reached and enough:
        return "holds"
    return "holds partly" if reached or (won > lost and share >= PARTLY) else "does not hold"


@dataclass(frozen=True)
class Case:
    """One comparison.

    Attributes
    ----------
    name : str
    gap : float
        By how much the claim's method is better; for the other wordings the number they ask about.
    repeats : int
        Splits, rounds of folds, or repeats of a clustering.
    unit : str
        Which of these; "" where they are none.
    tie : float or None
        Up to this the gap counts as none; None is what follows from the repeats.
    beside : dict
        By how much the claim's method is better than random selection and than all features.
    """

    name: str
    gap: float
    repeats: int = 50
    unit: str = "split"
    tie: float | None = None
    beside: Mapping[str, float] = field(default_factory=dict)

    @property
    def slack(self) -> float:
        """Up to this the gap counts as none."""
        return tie(self.repeats) if self.tie is None else self.tie


@dataclass(frozen=True)
class Cases:
    """The cases of a claim, and those left out with the reason; what the numbers are, for people."""

    found: tuple[Case, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    what: str = ""
    points: str = " points"
    digits: int = 1


def better(cases: Cases, wording: float, much: bool = False) -> Verdict:
    """Whether the claim's method is better in the share of cases that the wording asks for."""
    if _too_few(cases):
        return _untested(cases)
    found = cases.found
    gaps = [case.gap for case in found]
    won, lost = sum(case.gap > case.slack for case in found), sum(case.gap < -case.slack for case in found)
    unsure = sum(abs(case.gap) <= case.slack and case.repeats < ENOUGH for case in found)
    enough = not much or float(np.mean(gaps)) >= MUCH
    low = decide(won, lost, len(found), wording, enough)
    high = decide(won + unsure, lost, len(found), wording, enough)
    text = f"{_counts(won, lost, len(found))} of {len(found)} cases, {_spread(cases)}"
    text += f"; counting any difference, better in {sum(gap > ROUNDING for gap in gaps)}."
    if low == "does not hold" and high == "holds":
        why = f" Too many equal cases for {_repeats(found)}; the full form decides."
        return Verdict("cannot be tested", _told(cases, text + why), _beside(cases))
    if much and not enough and decide(won, lost, len(found), wording) == "holds":
        text += f" On average that is less than {MUCH:g}{cases.points}."
    if won == lost == 0:
        text += " No difference."
    return Verdict(low, _told(cases, text), _beside(cases))


def as_good(cases: Cases, wording: float) -> Verdict:
    """Whether the claim's method is not worse by more than ALIKE."""
    text = f"no worse than by {ALIKE:g} points in {{}} of {{}} cases"
    return _passed(cases, lambda case: case.gap >= -ALIKE, wording, text)


def almost_same(cases: Cases, wording: float) -> Verdict:
    """Whether two methods differ, on average over the sizes, by no more than ALIKE; gaps are not signed."""
    text = f"on average over the sizes within {ALIKE:g} points in {{}} of {{}} cases"
    return _passed(cases, lambda case: case.gap <= ALIKE, wording, text)


def hardly_depends(cases: Cases, wording: float, ends: int = 2) -> Verdict:
    """Whether a range over the values of a parameter is small: ALIKE and a tie for each uncertain end."""
    limits = sorted({round(ALIKE + ends * case.slack, 1) for case in cases.found})
    text = f"within {' or '.join(f'{each:g}' for each in limits)} points in {{}} of {{}} cases"
    return _passed(cases, lambda case: case.gap <= ALIKE + ends * case.slack, wording, text)


def best_with_fewer(cases: Cases, wording: float) -> Verdict:
    """Whether the best of fewer features exceeds all of them, and by more than the best of random selections.

    A maximum over many sizes on the test samples lies above all features by chance alone: random selection's
    own maximum, beside each case, tells by how much.
    """
    text = "above all features, and by more than the best of random selection, in {} of {} cases"

    def passes(case: Case) -> bool:
        return case.gap > max(case.slack, case.beside.get("maximum of random selection", -np.inf))

    return _passed(cases, passes, wording, text)


def agreed(verdicts: Mapping[str, Verdict]) -> Verdict:
    """The verdict of all parts or readings of a claim: their own where they agree, else it holds partly.

    One that cannot be tested bears nothing out: with it a claim can hold partly at most.
    """
    beside = {verdict.beside for verdict in verdicts.values()}
    shared = beside.pop() if len(beside) == 1 else None
    told = " ".join(
        f"{name} ({verdict.judgment}): {verdict.text if shared is None else verdict.measured}"
        for name, verdict in verdicts.items()
    )
    found: set[Judgment] = {verdict.judgment for verdict in verdicts.values()}
    known = found - {"cannot be tested"}
    judgment: Judgment = "holds partly"
    if len(found) == 1 or known == {"does not hold"}:
        judgment = (known or found).pop()
    return Verdict(judgment, told, shared or "")


def counted(gaps: Iterable[float], slacks: Iterable[float]) -> tuple[int, int, int]:
    """Wins, ties and losses."""
    pairs = list(zip(gaps, slacks, strict=True))
    won, lost = sum(gap > slack for gap, slack in pairs), sum(gap < -slack for gap, slack in pairs)
    return won, len(pairs) - won - lost, lost


def _passed(cases: Cases, passes: Callable[[Case], bool], wording: float, text: str) -> Verdict:
    if _too_few(cases):
        return _untested(cases)
    won, total = sum(map(passes, cases.found)), len(cases.found)
    numbers = "; ".join(f"{case.name} {case.gap:.{cases.digits}f}" for case in cases.found)
    failed = [case.name for case in cases.found if not passes(case)]
    text = text.format(won, total) + (f" ({numbers})." if total <= 12 else f", {_spread(cases)}.")
    if failed and total > 12:
        text += f" Not in {', '.join(failed[:6])}{' and others' if len(failed) > 6 else ''}."
    return Verdict(decide(won, total - won, total, wording), _told(cases, text), _beside(cases))


def _too_few(cases: Cases) -> bool:
    asked = len(cases.found) + len(cases.left_out)
    return not cases.found or len(cases.found) < asked / 2


def _untested(cases: Cases) -> Verdict:
    return Verdict("cannot be tested", f"Too few cases were measured. Left out: {_left_out(cases) or 'all'}.")


def _left_out(cases: Cases) -> str:
    """The cases that are left out, by the reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in cases.left_out.items():
        reasons.setdefault(why, []).append(name)
    return ". ".join(f"{'; '.join(names)} ({why})" for why, names in reasons.items())


def _told(cases: Cases, text: str) -> str:
    """The text with how many splits it comes from and which cases are left out."""
    few = [case for case in cases.found if case.repeats < ENOUGH]
    text = f"{cases.what}: {text}" if cases.what else text
    if few:
        where = "" if len(few) == len(cases.found) else f" in {len(few)} of {len(cases.found)} cases"
        text = f"From {_repeats(few)} only{where}: {text}"
    elif all(case.unit for case in cases.found):
        text = f"From {_repeats(cases.found)}: {text}"
    text = text[0].upper() + text[1:]
    if cases.left_out:
        text += f" Left out: {_left_out(cases)}."
    return text


def _beside(cases: Cases) -> str:
    return "".join(_against(cases, name) for name in ("random selection", "all features"))


def _against(cases: Cases, name: str) -> str:
    known = [case for case in cases.found if name in case.beside]
    if not known:
        return ""
    gaps = [case.beside[name] for case in known]
    won, _, lost = counted(gaps, [case.slack for case in known])
    mean = f"mean {np.mean(gaps):+.{cases.digits}f}"
    text = f" Against {name}: {_counts(won, lost, len(known))} ({mean})."
    if name == "random selection" and won <= lost:
        text += " Not better than random selection."
    return text


def _counts(won: int, lost: int, total: int) -> str:
    return f"better in {won}, equal in {total - won - lost}, worse in {lost}"


def _spread(cases: Cases) -> str:
    gaps, digits = [case.gap for case in cases.found], cases.digits
    text = f"mean {np.mean(gaps):+.{digits}f}{cases.points}"
    return text if len(gaps) == 1 else f"{text} ({min(gaps):+.{digits}f} to {max(gaps):+.{digits}f})"


def _repeats(cases: Iterable[Case]) -> str:
    """How many splits, rounds or clusterings there are."""
    units: dict[str, set[int]] = {}
    for case in cases:
        units.setdefault(case.unit, set()).add(case.repeats)
    told = ((" or ".join(map(str, sorted(counts))), unit, max(counts)) for unit, counts in units.items())
    return " or ".join(f"{counts} {unit}{'s' if most > 1 else ''}" for counts, unit, most in told)
