"""Objectives of leave-one-feature-out scores, evaluated with all features and without each of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, cross_val_score
from sklearn.utils import check_consistent_length, check_random_state, check_X_y, column_or_1d
from sklearn.utils.multiclass import type_of_target

from featsieve.engines.arrays import FLOATS, as_matrix, is_tensor, namespace, take_rows, to_host
from featsieve.engines.progress import track
from featsieve.evaluation.measures.clustering import clustering_accuracy, nmi
from featsieve.graphs.labels import check_labels
from featsieve.subsets import _kmeans_device, _nearest_device
from featsieve.subsets._kmeans import best_clusterings
from featsieve.subsets._nearest import count_correct

Split: TypeAlias = tuple[np.ndarray, np.ndarray]
Measure: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
Objective: TypeAlias = str | Callable[[np.ndarray, np.ndarray], float] | BaseEstimator

_N_STARTS = 10  # of k-means in each repeat
_AGREEMENTS = {"clustering": clustering_accuracy, "nmi": nmi}


def compute_losses(
    X: Any, y: ArrayLike, objective: Any, n_repeats: int, random_state: Any, scoring: Any, n_jobs: Any
) -> tuple[NDArray[np.float64], *tuple[int, ...]]:
    """Return the scores and, for clusterings, the numbers of iterations that were run and saved."""
    X, y = _check_data(X, y, objective)
    if not isinstance(n_repeats, Integral) or n_repeats < 1:
        raise ValueError(f"`n_repeats` must be an integer of at least 1; got {n_repeats!r}.")
    if np.all(y == y[0]):
        raise ValueError(
            "y must have at least two classes or distinct values; got one. Check the target column."
        )
    if scoring is not None and not hasattr(objective, "fit"):
        raise ValueError("`scoring` must be None unless `objective` is an estimator; got a scorer.")
    n_repeats, rng = int(n_repeats), check_random_state(random_state)
    if hasattr(objective, "fit"):
        halves = held_out_halves(y, n_repeats, rng)
        return (refit_scores(X, y, partial(measure_estimator, objective, scoring, halves), n_jobs),)
    if callable(objective):
        return (refit_scores(X, y, partial(measure_callable, objective, n_repeats), n_jobs),)
    if objective == "accuracy":
        codes, _ = check_labels(y, X)
        return (nearest_neighbor_scores(X, codes, held_out_halves(codes, n_repeats, rng)),)
    if objective in _AGREEMENTS:
        seeds = rng.randint(np.iinfo(np.int32).max, size=(n_repeats, _N_STARTS))
        return clustering_scores(X, y, _AGREEMENTS[objective], seeds)
    raise ValueError(
        "`objective` must be 'accuracy', 'clustering', 'nmi', a callable J(X, y) that returns a number, or a "
        f"scikit-learn estimator; got {objective!r}."
    )


def _check_data(X: Any, y: Any, objective: Any) -> tuple[Any, np.ndarray]:
    if not is_tensor(X):
        return check_X_y(X, y, dtype=FLOATS, ensure_min_samples=2, ensure_min_features=2)
    if not isinstance(objective, str):
        raise ValueError(
            "X must be a NumPy array if `objective` is a callable or an estimator; got a tensor. "
            "Pass X.cpu().numpy()."
        )
    X, y = as_matrix(X), column_or_1d(to_host(y), warn=True)
    check_consistent_length(X, y)
    if X.shape[1] < 2:
        raise ValueError(f"X must have at least 2 features; got shape {tuple(X.shape)}.")
    return X, y


def held_out_halves(y: np.ndarray, n_repeats: int, random_state: np.random.RandomState) -> list[Split]:
    """Draw random halves of the samples as sorted training and test indices.

    The halves are stratified by class, unless y is numeric or a class has a single sample. They do not
    depend on the names of the classes.
    """
    _, first, classes, counts = np.unique(y, return_index=True, return_inverse=True, return_counts=True)
    stratified = type_of_target(y) in ("binary", "multiclass") and counts.min() >= 2
    splitter = StratifiedShuffleSplit if stratified else ShuffleSplit
    halves = splitter(n_repeats, test_size=0.5, random_state=random_state)
    by_appearance = np.argsort(np.argsort(first))[classes]
    return [(np.sort(train), np.sort(test)) for train, test in halves.split(y, by_appearance)]


def nearest_neighbor_scores(X: Any, codes: np.ndarray, halves: list[Split]) -> np.ndarray:
    """Compute the loss of nearest-neighbor accuracy without each feature, one row per split."""
    X = namespace(X).astype(X, namespace(X).float64, copy=False)
    count = _nearest_device.count_correct if is_tensor(X) else count_correct
    scores = []
    for train, test in track(halves, len(halves), "held-out halves"):
        n_right, n_right_without = count(take_rows(X, train), codes[train], take_rows(X, test), codes[test])
        scores.append(n_right / test.size - n_right_without / test.size)
    return np.array(scores)


def clustering_scores(
    X: Any,
    y: np.ndarray,
    agreement: Callable[[np.ndarray, np.ndarray], float],
    seeds: np.ndarray,
) -> tuple[np.ndarray, int, int]:
    """Compute the loss of agreement between clusters and classes without each feature.

    Returns also the total number of Lloyd iterations and how many of them the shared solutions saved.
    """
    X = namespace(X).astype(X, namespace(X).float64, copy=False)
    cluster = _kmeans_device.best_clusterings if is_tensor(X) else best_clusterings
    codes, counts = check_labels(y, X)
    if counts.size >= X.shape[0]:
        raise ValueError(
            f"y must have fewer classes than X has samples ({X.shape[0]}); got {counts.size}. Merge classes, "
            "because clusters of one sample are meaningless."
        )
    scores = np.empty((len(seeds), X.shape[1]))
    n_iter = n_iter_saved = 0
    for row, starts in zip(scores, seeds, strict=True):
        clusterings = cluster(X, counts.size, starts.tolist())
        full = next(clusterings)
        full_agreement = agreement(codes, full.labels)
        n_iter += full.n_iter
        for r, reduced in enumerate(track(clusterings, X.shape[1], "features left out")):
            row[r] = full_agreement - agreement(codes, reduced.labels)
            n_iter += reduced.n_iter
            n_iter_saved += full.n_iter - reduced.n_iter
    return scores, n_iter, n_iter_saved


def refit_scores(X: np.ndarray, y: np.ndarray, measure: Measure, n_jobs: int | None) -> np.ndarray:
    """Compute the loss of ``measure(X, y)`` without each feature, in parallel processes."""
    left_out = [None, *range(X.shape[1])]
    jobs = (delayed(_measure_without)(measure, X, y, r) for r in left_out)
    # closing ends the workers if this process is interrupted
    with closing(Parallel(n_jobs=n_jobs, return_as="generator")(jobs)) as results:
        full, *reduced = track(results, len(left_out), "features left out")
    return full[:, None] - np.column_stack(reduced)


def _measure_without(measure: Measure, X: np.ndarray, y: np.ndarray, r: int | None) -> np.ndarray:
    return measure(np.delete(X, [] if r is None else r, axis=1), y)


def measure_estimator(
    estimator: Any, scoring: Any, halves: list[Split], X: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Fit the estimator to each training half and score it on the test half."""
    results = cross_val_score(estimator, X, y, cv=halves, scoring=scoring, error_score="raise")
    return np.array([_check_number(result, "scoring") for result in results])


def measure_callable(
    objective: Callable[..., float], n_repeats: int, X: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Call the objective ``n_repeats`` times, each time on a copy of X."""
    return np.array([_check_number(objective(X.copy(), y), "objective") for _ in range(n_repeats)])


def _check_number(result: Any, name: str) -> float:
    if isinstance(result, np.ndarray) and result.ndim == 0:
        result = result[()]
    if not isinstance(result, Real) or not np.isfinite(float(result)):
        raise ValueError(f"`{name}` must return a finite number; got {result!r}.")
    return float(result)
