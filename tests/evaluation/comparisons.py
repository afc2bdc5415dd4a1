"""Comparisons made of given curves and orders."""

import numpy as np

from featsieve.evaluation import Cell, Comparison


def make_comparison(curves, sizes, *, orders=None, **changes):
    """Return a comparison with the curves (n_splits, n_sizes) of each label, random selection included.

    orders: {label: order on every split and on all samples}; changes: of the info, or of its dataset and
    protocol.
    """
    orders = orders or {}
    d = sizes[-1]
    n_splits = max(len(rows) for rows in curves.values())
    cells = []
    for label, rows in curves.items():
        order = list(orders.get(label, range(d)))
        for split, row in enumerate(rows):
            result = {"measures": {"nn": list(row)}, "n_train": 50, "n_test": 50, "order": order}
            cells.append(Cell(label, split, "ok", seconds=0.1, result=result | _no_order(label)))
        if label not in ("random", "all"):
            scores = np.arange(d, 0, -1)[np.argsort(order)].tolist()
            cells.append(Cell(label, -1, "ok", result={"order": order, "scores": scores, "measures": {}}))
    info = {
        "dataset": {
            "name": "made",
            "n_samples": 100,
            "n_features": d,
            "n_classes": 2,
            "class_counts": {"a": 50, "b": 50},
            "target": "kind",
            "feature_names": [f"f{index}" for index in range(d)],
        },
        "protocol": {"name": "splits", "description": "", "n_splits": n_splits, "transductive": False},
        "sizes": list(sizes),
        "measures": [
            {"key": "nn", "name": "1-NN accuracy", "direction": "larger", "main": True, "percent": True}
        ],
        "methods": {
            label: {"method": None, "estimator": label, "uses_labels": False, "parameters": {}}
            for label in curves
        },
        "scale": True,
        "seed": 0,
    }
    for key, value in changes.items():
        part = next((info[part] for part in ("dataset", "protocol") if key in info[part]), info)
        part[key] = value
    return Comparison("run", info, cells)


def _no_order(label):
    return {"order": None} if label in ("random", "all") else {}


def noisy(curve, n_splits=10, seed=0, noise=0.005):
    """Return the curve of each split: the mean curve and noise, the same for every method with the seed."""
    return np.asarray(curve) + np.random.default_rng(seed).normal(0, noise, (n_splits, len(curve)))
