"""Synthetic outcomes of papers: every run, with random numbers."""

import numpy as np

from featsieve.reproduction.outcome import Outcome, RunResult
from featsieve.reproduction.schema import Run

COMPUTED = ("cost", "dimension", "exponent", "accuracy", "best", "largest product")
COMPUTED += ("rank correlation", "score of a constant", "better than a constant")


def make_result(run, rows, rng):
    info = {"run": "0" * 24, "finished": "", "seed": 0, "versions": {}, "repeats": (5, "split")}
    if not isinstance(run, Run):
        info["dataset"] = {"name": run.dataset, "hash": None}
        labels = dict.fromkeys(row.label_for("", run.key) for row in rows)
        values = {label: {name: float(rng.uniform(1, 2)) for name in COMPUTED} for label in labels}
        return RunResult(values=values, info=info)
    sizes = list(range(1, 21)) if run.sizes is None else sorted({*run.sizes})
    info["dataset"] = {"name": run.dataset, "hash": "0" * 32, "n_features": sizes[-1]}
    curves = {
        label: {measure: rng.uniform(40, 60, len(sizes)) for measure in run.measures}
        for label in (*run.methods, "random", "all", "variance")
    }
    stds = {label: {measure: np.zeros(len(sizes)) for measure in run.measures} for label in curves}
    orders = {label: rng.permutation(4).tolist() for label in curves}
    return RunResult(sizes, curves, stds, orders, info=info)


def make_outcomes(paper, seed=0):
    rng, results, outcomes = np.random.default_rng(seed), {}, {}
    for experiment in paper.experiments:
        for run in experiment.runs:
            results.setdefault(run, make_result(run, experiment.rows, rng))
            if not isinstance(run, Run):  # figures with the same runs show different rows
                results[run].values.update(make_result(run, experiment.rows, rng).values)
        by_key = {run.key: results[run] for run in experiment.runs}
        outcomes[experiment.key] = Outcome(experiment, by_key, {})
    return outcomes


def without(outcome, column, label=None):
    """Return the outcome without a run, or without a method of the run, which failed."""
    result = outcome.results[column]
    if label is None:
        rest = {key: other for key, other in outcome.results.items() if key != column}
        return Outcome(outcome.experiment, rest, {column: "gone"})
    fields = {
        name: {key: value for key, value in getattr(result, name).items() if key != label}
        for name in ("curves", "orders", "values")
    }
    failed = RunResult(
        result.sizes,
        stds=result.stds,
        info=result.info,
        errors={label: ["no luck"]},
        tied=result.tied,
        **fields,
    )
    return Outcome(outcome.experiment, outcome.results | {column: failed}, outcome.missing)


def incomplete_outcomes(paper):
    """Yield the outcomes with one run, all runs or one method of an experiment missing."""
    claimed = {key for claim in paper.claims for key in claim.experiments}
    complete = {key: outcome for key, outcome in make_outcomes(paper).items() if key in claimed}
    for key, outcome in complete.items():
        for column, result in list(outcome.results.items())[:1]:
            yield complete | {key: without(outcome, column)}
            yield complete | {key: Outcome(outcome.experiment, {}, dict.fromkeys(outcome.results, "gone"))}
            for label in result.curves or result.values:
                yield complete | {key: without(outcome, column, label)}
