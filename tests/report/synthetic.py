"""Synthetic comparisons for the report, with hostile names."""

from dataclasses import replace

import numpy as np

from featsieve.evaluation.results import Comparison
from featsieve.evaluation.store import Cell

HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<!-- <script> <img src=x onerror='window.hacked = 3'>",
    "quotes \" and ' and `${window.hacked = 4}`",
    "{{ 7 * 7 }} {% raw %} %{x} $\\alpha$ & &amp;lt;",
    "наука 特徴 ميزة \u202e reversed \N{SNOWMAN} \U0001f600",
    "long " + "x" * 10_000,
    "\ud800 half a pair, \x00 nothing, \x1b[31m red",
    "__proto__",
    "<b>bold</b><a href='javascript:window.hacked = 5'>link</a>",
]
SIZES = [1, 2, 4, 8, 16, 24]
MEASURES = [
    {"key": "nn", "name": "1-NN accuracy", "direction": "larger", "main": True, "percent": True},
    {
        "key": "ncm",
        "name": "nearest class mean accuracy",
        "direction": "larger",
        "main": True,
        "percent": True,
    },
    {"key": "redundancy", "name": "redundancy", "direction": "smaller", "main": False, "percent": False},
]


def comparison(gains=None, *, names=None, n_splits=6, sizes=SIZES, seed=0, **changes):
    """A comparison whose methods beat random selection by the gains, in their areas under the curves.

    gains: {label: gain}; names: those of the features; changes: of info["protocol"] or info["dataset"].
    """
    gains = {"good": 0.1, "fair": 0.04, "variance": 0.0, "poor": -0.08} if gains is None else gains
    names = [f"feature {index}" for index in range(24)] if names is None else names
    labels = [*gains, *({"variance", "random", "all"} - set(gains))]
    maker = _Maker(len(names), sizes, n_splits, seed)
    cells = [
        maker.cell(label, gains.get(label, 0.0), split) for label in labels for split in range(-1, n_splits)
    ]
    info = {
        "dataset": {
            "name": "made-up",
            "n_samples": 120,
            "n_features": len(names),
            "n_classes": 3,
            "class_counts": {"a": 50, "b": 40, "c": 30},
            "target": "class",
            "feature_names": names,
            "hash": "sha256:0123456789abcdef",
            "notes": ["12 missing values were filled with the median of their column."],
        },
        "protocol": {
            "name": "splits",
            "description": "Half of each class trains, the other half tests.",
            "n_splits": n_splits,
            "parameters": {"train_size": 0.5},
            "transductive": False,
            "sees_labels": False,
        },
        "sizes": list(sizes),
        "measures": MEASURES,
        "methods": {
            label: {
                "method": None,
                "supervised": "no",
                "uses_labels": label == "good",
                "parameters": {"k": 5},
            }
            for label in labels
        },
        "seed": 0,
        "versions": {"featsieve": "0.1.0", "python": "3.12.1", "scikit-learn": "1.9.0"},
        "command": "featsieve compare made-up.csv --target class",
        "scale": True,
    }
    info["dataset"]["name"] = changes.pop("dataset_name", "made-up")
    for key, value in changes.items():
        part = "protocol" if key in info["protocol"] else "dataset"
        info[part][key] = value
    return Comparison("0123", info, cells)


class _Maker:
    def __init__(self, d, sizes, n_splits, seed):
        self.d, self.sizes = d, sizes
        self.rng = np.random.default_rng(seed)
        self.easy = self.rng.normal(0, 0.02, n_splits)  # a split is equally easy for all methods
        self.truth = np.linspace(1, 0, d)

    def cell(self, label, gain, split):
        result = {"order": None, "scores": None, "measures": {}, "n_train": 60, "n_test": 60}
        if label not in ("random", "all"):
            noise = 1.0 - 4 * max(gain, 0)
            scores = self.truth + self.rng.normal(0, noise, self.d)
            result["order"] = np.argsort(-scores, kind="stable").tolist()
            result["scores"] = scores.tolist()
        if split >= 0:
            result["measures"] = {m["key"]: self.curve(label, gain, split, m["key"]) for m in MEASURES}
        if label == "random" and split >= 0:
            result["draws"] = {
                key: (np.array(values) + self.rng.normal(0, 0.03, (20, len(values)))).tolist()
                for key, values in result["measures"].items()
            }
        seconds, peak = float(self.rng.uniform(0.01, 2)), int(self.rng.integers(1_000_000, 90_000_000))
        return Cell(label, split, "ok", None, seconds, peak, "2026-01-02T03:04:05.000+00:00", result)

    def curve(self, label, gain, split, key):
        sizes = np.array([self.d] * len(self.sizes) if label == "all" else self.sizes)
        share = np.log(sizes) / max(np.log(self.d), 1)
        if key == "redundancy":
            return (0.2 + gain + 0.1 * share).tolist()
        base = 0.4 + 0.45 * share + (0 if key == "nn" else -0.05)
        # with all features every method selects the same
        noise = 0 if label == "all" else self.rng.normal(0, 0.01, len(sizes))
        return (base + 2 * gain * (1 - share) + self.easy[split] + noise).tolist()


def filter_cells(results, keep):
    """Return the results with only some of their cells."""
    return replace(results, cells=[cell for cell in results.cells if keep(cell)])


def final_fit(results, label):
    """Return the cell of a method that was fitted to all samples."""
    return next(cell for cell in results.cells if cell.method == label and cell.split == -1)
