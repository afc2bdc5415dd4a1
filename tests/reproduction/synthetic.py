"""Outcomes of papers made up: every run, with numbers drawn at random."""

import numpy as np

from featsieve.reproduction.outcome import Finding, Outcome
from featsieve.reproduction.schema import Run

COMPUTED = ("cost", "dimension", "exponent", "accuracy", "best", "largest product")
COMPUTED += ("rank correlation", "score of a constant", "better than a constant")


def finding(run, rows, random):
    info = {"run": "0" * 24, "finished": "", "seed": 0, "versions": {}, "repeats": (5, "split")}
    if not isinstance(run, Run):
        info["dataset"] = {"name": run.dataset, "hash": None}
        labels = {row.label_for("", run.key) for row in rows}
        values = {label: {name: float(random.uniform(1, 2)) for name in COMPUTED} for label in labels}
        return Finding(values=values, info=info)
    sizes = list(range(1, 21)) if run.sizes is None else sorted({*run.sizes})
    info["dataset"] = {"name": run.dataset, "hash": "0" * 32, "n_features": sizes[-1]}
    curves = {
        label: {measure: random.uniform(40, 60, len(sizes)) for measure in run.measures}
        for label in (*run.methods, "random", "all", "variance")
    }
    spreads = {label: {m: np.zeros(len(sizes)) for m in found} for label, found in curves.items()}
    orders = {label: random.permutation(4).tolist() for label in curves}
    return Finding(sizes, curves, spreads, orders, info=info)


def outcomes(paper):
    random, known, found = np.random.default_rng(0), {}, {}
    for experiment in paper.experiments:
        for run in experiment.runs:
            known.setdefault(run, finding(run, experiment.rows, random))
            if not isinstance(run, Run):  # figures that share runs show other rows of them
                known[run].values.update(finding(run, experiment.rows, random).values)
        there = {run.key: known[run] for run in experiment.runs}
        found[experiment.key] = Outcome(experiment, there, {})
    return found
