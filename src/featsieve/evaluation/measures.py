"""What is measured on the test part, at every subset size."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from featsieve.evaluation import curves, linear
from featsieve.evaluation.curves import Fold

# Neighborhoods among more held-out samples than this are measured on an even sample of them.
MOST_NEIGHBORS = 1000


@dataclass(frozen=True)
class Measure:
    """A number for each subset size.

    Attributes
    ----------
    key, name : str
    better : {"larger", "smaller"}
    target : {"classes", "numeric", "clusters"} or None
        What it needs beside the features: labels, numbers, or labels and a protocol that clusters.
    main : bool
        Whether it says what the features are worth.
    percent : bool
        Whether differences are told in points of a hundred.
    """

    key: str
    name: str
    better: Literal["larger", "smaller"]
    target: Literal["classes", "numeric", "clusters"] | None
    main: bool
    percent: bool

    def info(self) -> dict[str, Any]:
        """What the store keeps of it."""
        return {key: value for key, value in asdict(self).items() if key != "target"}


MEASURES = {
    measure.key: measure
    for measure in (
        Measure("nn", "1-NN accuracy", "larger", "classes", True, True),
        Measure("ncm", "nearest class mean accuracy", "larger", "classes", True, True),
        Measure("linear", "linear classifier accuracy", "larger", "classes", True, True),
        Measure("r2", "linear regression R²", "larger", "numeric", True, False),
        Measure("knn_r2", "5-NN regression R²", "larger", "numeric", True, False),
        Measure("acc", "clustering accuracy", "larger", "clusters", True, True),
        Measure("nmi", "normalized mutual information", "larger", "clusters", True, True),
        Measure("ari", "adjusted Rand index", "larger", "clusters", True, True),
        Measure("preservation", "neighborhood preservation", "larger", None, False, True),
        Measure("redundancy", "redundancy rate", "smaller", None, False, True),
    )
}


def choose_measures(keys: Any, target: str | None, clustering: bool, fewest: int = 2) -> list[Measure]:
    """The measures of these keys; without keys those that suit. The first is main where none is.

    ``fewest`` is the size of the smallest test part: all but accuracies compare samples of it.
    """
    wanted = "clusters" if clustering else target
    suited = {
        key: measure
        for key, measure in MEASURES.items()
        if measure.target in (None, wanted) and (fewest > 1 or measure.target == "classes")
    }
    if not suited:
        raise ValueError("a test part of one sample says nothing here: use fewer folds, or more samples.")
    chosen = list(suited) if keys is None else list(keys)
    for key in chosen:
        if key not in suited:
            raise ValueError(
                f"no measure {key!r} for this target and protocol: choose of {', '.join(suited)}."
            )
    found = [suited[key] for key in chosen]
    if not found:
        raise ValueError("measures must name at least one measure.")
    if not any(measure.main for measure in found):
        found[0] = Measure(**asdict(found[0]) | {"main": True})
    return found


class Meter:
    """Measures orders of the features on one fold.

    Parameters
    ----------
    fold : Fold
    keys : sequence of str
    kmeans : estimator, default=None
        What clusters, for the measures of clusters.
    """

    def __init__(self, fold: Fold, keys: Any, kmeans: Any = None) -> None:
        self.fold, self.keys, self.kmeans = fold, keys, kmeans

    def curves(self, order: np.ndarray, sizes: list[int]) -> dict[str, list[float]]:
        """A value for each measure and size."""
        found: dict[str, Any] = {}
        if not {"acc", "nmi", "ari"}.isdisjoint(self.keys):
            fold = self.fold
            found |= curves.kmeans_curve(fold.X_test, fold.y_test, order, sizes, self.kmeans)
        for key in self.keys:
            if key not in found:
                found[key] = getattr(self, f"_{key}")(order, sizes)
        return {key: found[key].tolist() for key in self.keys}

    def _nn(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        return curves.nearest_neighbor_curve(self.fold, order, sizes)

    def _ncm(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        return curves.nearest_mean_curve(self.fold, order, sizes)

    def _linear(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        return linear.linear_curve(self.fold, order, sizes)

    def _r2(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        return linear.linear_regression_curve(self.fold, order, sizes)

    def _knn_r2(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        return curves.nearest_regression_curve(self.fold, order, sizes)

    def _redundancy(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        return curves.redundancy_curve(self.fold.X_test, order, sizes)

    def _preservation(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        X, full = self._neighborhoods
        return curves.preservation_curve(X, order, sizes, full=full)

    @cached_property
    def _neighborhoods(self) -> tuple[Any, np.ndarray]:
        X = self.fold.X_test
        if X.shape[0] > MOST_NEIGHBORS:
            X = X[np.linspace(0, X.shape[0] - 1, MOST_NEIGHBORS).astype(np.intp)]
        return X, next(curves.nearest_sets(X, np.arange(X.shape[1]), [X.shape[1]]))
