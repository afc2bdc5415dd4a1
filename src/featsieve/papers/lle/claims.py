"""What Yao et al. 2017 claim, and how it is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from featsieve.reproduction.cases import (
    Check,
    Outcomes,
    Scope,
    Statistic,
    against,
    as_printed,
    gains,
    is_better,
)
from featsieve.reproduction.checks import (
    EVERY,
    MOST,
    NEARLY_ALL,
    ROUNDING,
    Case,
    Cases,
    agreed,
    as_good,
    best_with_fewer,
    better,
    decide,
)
from featsieve.reproduction.outcome import show
from featsieve.reproduction.schema import Claim, Judgment, Verdict

MEASURES = ("ncm", "nn")
IMAGES = ("table-VI", "table-VII", "table-VIII", "table-IX")
PRINTED = ("Variance", "Laplacian score", "Sparsity score", "Algorithm 1")
BEST_FIRST = "Laplacian score, best first"
FEATURES = {"table-VI": 1024, "table-VII": 1024, "table-VIII": 1024, "table-IX": 784}
# The Laplacian score sorted the right way, and both readings of the sparsity score.
RIVALS = ("Variance", BEST_FIRST, "Sparsity score", "Sparsity score, as eq. 8", "Algorithm 1")
READINGS = {"As Table II": "Sparsity score", "As eq. 8": "Sparsity score, as eq. 8"}
SORTED = " The best-first Laplacian score has t=50 alone: what is won is won against that."


def _added(verdict: Verdict, text: str) -> Verdict:
    return verdict._replace(measured=verdict.measured + text)


def _as_sorted(names: tuple[str, ...]) -> tuple[str, ...]:
    """The same rivals, with the Laplacian score sorted as the paper has it."""
    return tuple("Laplacian score" if name == BEST_FIRST else name for name in names)


def _some_digits(outcomes: Outcomes) -> str:
    """On how many of MNIST's images a verdict rests, where they are not all."""
    found = outcomes["table-IX"].findings.values() if "table-IX" in outcomes else ()
    count = max((finding.n_samples for finding in found), default=0)
    return f" MNIST: {count} of its 70000 images." if 0 < count < 70000 else ""


def _by_table(scope: Scope, outcomes: Outcomes, own: str, others: tuple[str, ...]) -> str:
    """Wins, ties and losses for each of the data sets."""
    said = []
    for key in scope.experiments:
        cases = against(replace(scope, experiments=(key,)), outcomes, own, others).found
        won, lost = (sum(sign * case.gap > case.slack for case in cases) for sign in (1, -1))
        said.append(f"{outcomes[key].experiment.title} {won} / {len(cases) - won - lost} / {lost}")
    return f" Better / equal / worse: {'; '.join(said)}."


def _best_below_all(outcomes: Outcomes) -> Verdict:
    """Whether maxima lie at fewer than all features; and whether that is more than chance gives."""
    scope = Scope(IMAGES, MEASURES, statistic="max")
    cases = gains(scope, outcomes, (*PRINTED, "LLE score"))
    if not cases.found:
        return best_with_fewer(cases, MOST)
    below, total = sum(case.gap > ROUNDING for case in cases.found), len(cases.found)
    chance = gains(scope, outcomes, ("Random selection",)).found
    text = (
        f"{below} of {total} maxima lie below all features and above them in accuracy; so do "
        f"{sum(case.gap > ROUNDING for case in chance)} of {len(chance)} of random selection."
    ) + _printed_maxima(outcomes)
    first = Verdict(decide(below, total - below, total, NEARLY_ALL), text)
    found = agreed({"Where maxima lie": first, "That it is worth while": best_with_fewer(cases, MOST)})
    return _added(found, _some_digits(outcomes))


def _printed_maxima(outcomes: Outcomes) -> str:
    found = [
        float(number.value) < FEATURES[key]
        for key in IMAGES
        for place, number in outcomes[key].experiment.published.items()
        if place.statistic == "argmax" and number.mark is None
    ]
    return f" As printed, without the marked cells: {sum(found)} of {len(found)}." if found else ""


def _algorithm_1_against_sparsity(outcomes: Outcomes) -> Verdict:
    """Eight cases, data set and classifier, each the mean over the numbers of training samples."""
    verdicts = {}
    for name, other in READINGS.items():
        cases = against(Scope(IMAGES, MEASURES), outcomes, "Algorithm 1", (other,))
        merged, left_out = [], {}
        for key in IMAGES:
            title = outcomes[key].experiment.title
            for measure in MEASURES:
                some = [
                    case
                    for case in cases.found
                    if case.name.startswith(title) and case.name.endswith(measure.upper())
                ]
                if not some:
                    left_out[f"{title} {measure.upper()}"] = "not measured"
                    continue
                names = [each for each in some[0].beside if all(each in case.beside for case in some)]
                beside = {each: float(np.mean([case.beside[each] for case in some])) for each in names}
                gap = float(np.mean([case.gap for case in some]))
                merged.append(Case(f"{title} {measure.upper()}", gap, *_repeats(some), beside=beside))
        verdicts[name] = as_good(Cases(tuple(merged), left_out, "mean difference", digits=2), EVERY)
    return _added(agreed(verdicts), _some_digits(outcomes))


def _repeats(cases: list[Case]) -> tuple[int, str]:
    return min(case.repeats for case in cases), cases[0].unit


def _best(experiments: tuple[str, ...], wording: float, statistics: tuple[Statistic, ...]) -> Check:
    """Whether the LLE score is the best in mean, and in maximum if that is claimed."""

    def check(outcomes: Outcomes) -> Verdict:
        verdicts = {}
        for statistic in statistics:
            scope = Scope(experiments, MEASURES, statistic=statistic)
            verdict = better(against(scope, outcomes, "LLE score", RIVALS), wording)
            reversed_ = against(scope, outcomes, "LLE score", _as_sorted(RIVALS)).found
            won = sum(case.gap > case.slack for case in reversed_)
            text = f" With the paper's sort of the Laplacian score, better in {won} of {len(reversed_)}."
            text += as_printed(scope, outcomes, "LLE score", PRINTED, statistic)
            if len(experiments) > 1:
                text += _by_table(scope, outcomes, "LLE score", RIVALS)
            verdicts[statistic.capitalize()] = _added(verdict, text)
        found = agreed(verdicts) if len(verdicts) > 1 else next(iter(verdicts.values()))
        return _added(found, SORTED + (_some_digits(outcomes) if "table-IX" in experiments else ""))

    return check


def _on_faces(outcomes: Outcomes) -> Verdict:
    scope = Scope(IMAGES[:2], MEASURES)
    verdict = better(against(scope, outcomes, "LLE score", RIVALS), MOST)
    text = _by_table(scope, outcomes, "LLE score", RIVALS)
    for name, rivals in (
        ("With the paper's sort of the Laplacian score", _as_sorted(RIVALS)),
        ("Against the Laplacian score alone, best first", (BEST_FIRST,)),
    ):
        text += f" {name}:{_by_table(scope, outcomes, 'LLE score', rivals)}"
    return _added(verdict, text + as_printed(scope, outcomes, "LLE score", PRINTED, "mean"))


def _against_algorithm_1(outcomes: Outcomes) -> Verdict:
    scope = Scope(IMAGES, MEASURES)
    verdict = better(against(scope, outcomes, "LLE score", ("Algorithm 1",)), MOST)
    text = _by_table(scope, outcomes, "LLE score", ("Algorithm 1",)) + _some_digits(outcomes)
    return _added(verdict, text + as_printed(scope, outcomes, "LLE score", ("Algorithm 1",), "mean"))


def _readings(check: Callable[[str], Check]) -> Check:
    return lambda outcomes: agreed({name: check(row)(outcomes) for name, row in READINGS.items()})


def _iris_order(outcomes: Outcomes) -> Verdict:
    """Features 3 and 4 classify equally well, 1 worse, 2 worst: either order of the first two is right."""
    outcome = outcomes["table-IV"]
    column = outcome.experiment.runs[0].key
    names = ("LLE score", "Sparsity score", BEST_FIRST, "Laplacian score", "Algorithm 1", "Variance")
    orders = {name: outcome.value(name, column, "ncm", "order") for name in names}
    rates = [outcome.value(f"Feature {r}", column, "ncm", "size 1") for r in range(1, 5)]
    if None in (orders["LLE score"], orders["Sparsity score"]) or None in rates:
        return Verdict("cannot be tested", "A score failed.")
    good = sum(orders[name] in ("3, 4, 1, 2", "4, 3, 1, 2") for name in names[:2])
    judgment: Judgment = "holds" if good == 2 else "holds partly" if good else "does not hold"
    every = outcome.value("All features", column, "ncm", "mean")
    random = outcome.value("Random selection", column, "ncm", "size 1")
    text = "; ".join(f"{name} {order}" for name, order in orders.items() if order is not None)
    return Verdict(
        judgment,
        f"{text}. Right is 3, 4, 1, 2 or 4, 3, 1, 2: alone the features reach "
        f"{', '.join(f'{rate:.2f}' for rate in rates)}. Of random orders one in twelve is right, and "
        f"their first feature reaches {show(random)} in those drawn; all features reach {show(every)}. The "
        "sparsity score is that of eq. 8. By our reading: how the paper computed these scores on 4 features "
        "with 5 neighbors its text does not settle.",
    )


def _iris_robust(outcomes: Outcomes) -> Verdict:
    orders = {}
    for key in ("table-IV", "table-V"):
        for run in outcomes[key].experiment.runs:
            orders[run.key] = outcomes[key].value("LLE score", run.key, "ncm", "order")
    known = [order.replace("4", "3") for order in orders.values() if order is not None]
    if len(known) < len(orders) / 2 or not known:
        return Verdict("cannot be tested", "The score failed, or the data is missing.")
    alike = max(known.count(order) for order in known)
    text = "; ".join(f"{column}: {order}" for column, order in sorted(orders.items(), key=_number))
    return Verdict(
        decide(alike, len(known) - alike, len(known), NEARLY_ALL),
        f"{alike} of {len(known)} orders are the same but for the two equal features 3 and 4 ({text}). Two "
        "random orders agree so in one case of twelve. All features have no order.",
    )


def _number(item: tuple[str, str | None]) -> int:
    return int(item[0].removeprefix("K="))


CLAIMS = (
    Claim(
        "On iris the LLE score and the sparsity score order the features perfectly by how well each of them "
        "separates the classes.",
        "Section IV.A, Table IV",
        ("table-IV",),
        _iris_order,
    ),
    Claim(
        "The order that the LLE score gives is robust to the number of neighbors.",
        "Section IV.A, Table V",
        ("table-IV", "table-V"),
        _iris_robust,
    ),
    Claim(
        "Nearly all best accuracies are reached with fewer than all features, so selection is worth while.",
        "Section IV.F, conclusion 1",
        IMAGES,
        _best_below_all,
    ),
    Claim(
        "In all experiments Algorithm 1 is as good as the sparsity score or better.",
        "Section IV.F, conclusion 2",
        IMAGES,
        _algorithm_1_against_sparsity,
    ),
    Claim(
        "On ORL Algorithm 1 is better than the sparsity score.",
        "Section IV.C",
        ("table-VII",),
        _readings(lambda row: is_better(Scope(("table-VII",), MEASURES), "Algorithm 1", row, NEARLY_ALL)),
    ),
    Claim(
        "The LLE score is the best in most experiments, both on average and at its best.",
        "Section IV.F, conclusion 3",
        IMAGES,
        _best(IMAGES, MOST, ("mean", "max")),
    ),
    Claim(
        "On faces the LLE score is better than the other methods in most cases.",
        "Sections IV.B and IV.C",
        ("table-VI", "table-VII"),
        _on_faces,
    ),
    Claim(
        "The LLE score is better than Algorithm 1: comparing the two graphs is the better measurement.",
        "Sections III.B and IV",
        IMAGES,
        _against_algorithm_1,
    ),
    Claim(
        "On COIL20 the LLE score is the best in nearly all experiments.",
        "Section IV.D",
        ("table-VIII",),
        _best(("table-VIII",), NEARLY_ALL, ("mean", "max")),
    ),
    Claim(
        "On MNIST the LLE score is the best.",
        "Section IV.E",
        ("table-IX",),
        _best(("table-IX",), EVERY, ("mean",)),
    ),
    Claim(
        "Algorithm 1 costs much less time than the sparsity score, which rebuilds from all samples.",
        "Section III.A",
        reason="Here both rebuild from the 5 nearest samples, so that times are not those of the paper's "
        "programs.",
    ),
    Claim(
        "The LLE score costs more time than the other methods, O(n²d + ndK³).",
        "Section III.B",
        reason="Our algorithms are others: neighbors on a line are found by sorting, so our times say "
        "nothing about the paper's. The paper's order drops n²dK from its own sum and is the same for "
        "Algorithm 1.",
    ),
)
