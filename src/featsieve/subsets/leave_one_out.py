from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, cross_val_score
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.multiclass import type_of_target

from featsieve.engines.arrays import FLOATS
from featsieve.engines.progress import track
from featsieve.graphs.labels import check_labels
from featsieve.registry import method
from featsieve.selectors import N_FEATURES, Ranker
from featsieve.subsets._kmeans import best_clusterings
from featsieve.subsets._nearest import nearest_is_right

_N_STARTS = 10  # k-means, in each repeat


def leave_one_feature_out_score(
    X: Any,
    y: Any,
    objective: Any = "accuracy",
    n_repeats: int = 20,
    random_state: Any = None,
    *,
    scoring: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""How much the objective loses when a feature is left out.

    .. math:: w(r) = J(X, y) - J(X_{-r}, y)

    J is the objective and X_{-r} the data without feature r.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Two features or more.
    y : array of shape (n_samples,)
        Class labels; numbers to predict where the objective is a regressor or a function of them.
    objective : {"accuracy", "clustering", "nmi"}, callable or estimator
        J. "accuracy": share of a held-out half whose nearest neighbor in the other half has its class;
        equal distances go to the smallest training index. "clustering": best of 10 k-means by inertia, as
        many clusters as classes, each cluster named after a class so that most samples agree (Hungarian
        method). "nmi": the same clustering, mutual information divided by the larger entropy. A callable
        is given X (without the column) and y, and returns a number. An estimator is fitted to each
        training half and scored on the other.
    n_repeats : int
        How many halvings of the data (one halving serves all features), sets of 10 starts of k-means, or
        calls of a callable: 1 is enough for one that draws no random numbers.
    random_state : int, RandomState or None
        Of the halvings and starts.
    scoring : str, callable or None
        Of an estimator, as in :func:`sklearn.model_selection.cross_val_score`.
    n_jobs : int or None
        Processes for a callable or an estimator, as in joblib. The other objectives use the cores that
        there are. The scores do not depend on it.

    Returns
    -------
    array of shape (n_repeats, n_features)
        Larger is better; 0 if leaving the feature out changes nothing, as it must for a constant feature
        and the nearest neighbor. Average over the repeats: a single one is very noisy.

    Notes
    -----
    Halves are drawn class by class, unless a class has a single member; then, and for numeric targets,
    they are drawn at random.

    "accuracy" is one search for neighbors in each repeat, O(n^2 d), and equals fitting a nearest
    neighbor classifier anew without each feature. Whole numbers are compared without error; other
    distances that agree to about 14 digits count as equal.

    For the clusterings, all features are clustered from the 10 starts; without a feature, Lloyd's
    iterations continue from those 10 solutions, O(n k) for each iteration in which few samples move.

    References
    ----------
    Feng, Chen & Xu, 2013, Algorithm 1 and eqs. 6 to 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.subsets.leave_one_out import leave_one_feature_out_score
    >>> repeats = leave_one_feature_out_score(*load_iris(return_X_y=True), random_state=0)
    >>> repeats.shape, int(repeats.mean(axis=0).argmax())
    ((20, 4), 3)
    """
    return _repeats(X, y, objective, n_repeats, random_state, scoring, n_jobs)[0]


def _repeats(
    X: Any, y: Any, objective: Any, n_repeats: Any, random_state: Any, scoring: Any, n_jobs: Any
) -> tuple[np.ndarray, dict[str, int]]:
    """Scores of each repeat, and what else there is to tell."""
    X = check_array(X, dtype=FLOATS, ensure_min_samples=2, input_name="X")
    y = column_or_1d(y)
    check_consistent_length(X, y)
    if not isinstance(n_repeats, Integral) or n_repeats < 1:
        raise ValueError(f"n_repeats={n_repeats!r} must be a whole number: use 1 or more.")
    if X.shape[1] < 2:
        raise ValueError("X has n_features=1, and without it nothing is left: pass at least 2 features.")
    if np.all(y == y[0]):
        raise ValueError("y must hold at least two classes or values, got one: check the target column.")
    is_estimator = hasattr(objective, "fit")
    if scoring is not None and not is_estimator:
        raise ValueError("scoring is for an estimator: leave it None, or pass an estimator as objective.")
    n_repeats, rng = int(n_repeats), check_random_state(random_state)
    if is_estimator:
        halves = held_out_halves(y, n_repeats, rng)
        return _each(X, y, partial(_held_out, objective, scoring, halves), n_jobs), {}
    if callable(objective):
        return _each(X, y, partial(_called, objective, n_repeats), n_jobs), {}
    if objective == "accuracy":
        return _accuracy(X, y, held_out_halves(check_labels(y, X)[0], n_repeats, rng)), {}
    if objective in ("clustering", "nmi"):
        seeds = rng.randint(np.iinfo(np.int32).max, size=(n_repeats, _N_STARTS))
        return _clustering(X, y, clustering_accuracy if objective == "clustering" else _nmi, seeds)
    raise ValueError(
        f"unknown objective {objective!r}: use 'accuracy', 'clustering', 'nmi', a callable J(X, y) that "
        "returns a number, or a scikit-learn estimator."
    )


def held_out_halves(y: Any, n_repeats: int, random_state: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows, ascending, of random halvings.

    Classes are halved one by one; all samples together where a class has one member or y is numeric.
    What the classes are called does not matter.
    """
    _, first, classes, counts = np.unique(y, return_index=True, return_inverse=True, return_counts=True)
    stratified = type_of_target(y) in ("binary", "multiclass") and counts.min() >= 2
    splitter = StratifiedShuffleSplit if stratified else ShuffleSplit
    halves = splitter(n_repeats, test_size=0.5, random_state=random_state)
    by_appearance = np.argsort(np.argsort(first))[classes]
    return [(np.sort(train), np.sort(test)) for train, test in halves.split(y, by_appearance)]


def clustering_accuracy(y: Any, labels: Any) -> float:
    """Share of samples that agree when clusters are named after classes as well as can be (eq. 7)."""
    table = contingency_matrix(y, labels)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / len(y))


def standard_error(repeats: np.ndarray) -> np.ndarray:
    """Standard error of the mean over the rows; NaN for a single row."""
    n = len(repeats)
    return repeats.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(repeats.shape[1], np.nan)


_nmi = partial(normalized_mutual_info_score, average_method="max")


def _accuracy(X: np.ndarray, y: Any, halves: list) -> np.ndarray:
    X = X.astype(np.float64, copy=False)
    codes, _ = check_labels(y, X)
    scores = np.empty((len(halves), X.shape[1]))
    for row, (train, test) in zip(scores, track(halves, len(halves), "held-out halves"), strict=True):
        right, without = nearest_is_right(X[train], codes[train], X[test], codes[test])
        row[:] = right / test.size - without / test.size
    return scores


def _clustering(
    X: np.ndarray, y: Any, agreement: Callable, seeds: np.ndarray
) -> tuple[np.ndarray, dict[str, int]]:
    X = X.astype(np.float64, copy=False)
    codes, counts = check_labels(y, X)
    n_samples, n_features = X.shape
    if counts.size >= n_samples:
        raise ValueError(
            f"y has {counts.size} classes, as many as X has samples, so every cluster would be one sample: "
            "join classes of y, or add samples."
        )
    scores = np.empty((len(seeds), n_features))
    n_iter = saved = 0
    for row, starts in zip(scores, seeds, strict=True):
        found = best_clusterings(X, counts.size, starts)
        full = next(found)
        whole = agreement(codes, full.labels)
        n_iter += full.n_iter
        for r, best in enumerate(track(found, n_features, "features left out")):
            row[r] = whole - agreement(codes, best.labels)
            n_iter += best.n_iter
            saved += full.n_iter - best.n_iter
    return scores, {"n_iter_": n_iter, "n_iter_saved_": saved}


def _each(X: np.ndarray, y: Any, measure: Callable, n_jobs: Any) -> np.ndarray:
    """Measure all features and each left-out one, in processes that end if this one is interrupted."""
    left_out = [None, *range(X.shape[1])]
    jobs = (delayed(_without)(measure, X, y, r) for r in left_out)
    with closing(Parallel(n_jobs=n_jobs, return_as="generator")(jobs)) as values:
        whole, *rest = track(values, len(left_out), "features left out")
    return whole[:, None] - np.column_stack(rest)


def _without(measure: Callable, X: np.ndarray, y: Any, r: int | None) -> np.ndarray:
    return measure(np.delete(X, [] if r is None else r, axis=1), y)


def _held_out(estimator: Any, scoring: Any, halves: list, X: np.ndarray, y: Any) -> np.ndarray:
    values = cross_val_score(estimator, X, y, cv=halves, scoring=scoring, error_score="raise")
    return np.array([_number(value, "scoring") for value in values])


def _called(objective: Callable, n_repeats: int, X: np.ndarray, y: Any) -> np.ndarray:
    return np.array([_number(objective(X.copy(), y), "objective") for _ in range(n_repeats)])


def _number(value: Any, name: str) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} returned {value!r}: it must return a finite number.")
    return float(value)


@method(
    "leave-one-out",
    family="subset",
    supervised="yes",
    direction="larger",
    reference="Feng, Chen & Xu, 2013, Algorithm 1",
)
class LeaveOneFeatureOut(Ranker, BaseEstimator):
    """How much an objective, such as the accuracy of the nearest neighbor, loses without a feature.

    Parameters
    ----------
    objective : {"accuracy", "clustering", "nmi"}, callable or estimator, default="accuracy"
        "accuracy" of the nearest neighbor on held-out halves; "clustering" accuracy or normalized mutual
        information ("nmi") of the best of 10 k-means; a function J(X, y) that returns a number; or an
        estimator, which is scored on the held-out halves.
    n_repeats : int, default=20
        Halvings of the data, sets of 10 starts of k-means, or calls of J; for a J that draws no random
        numbers 1 is enough. A single halving or set is very noisy.
    random_state : int, RandomState or None, default=None
        Of the halvings and starts. Pass an int for the same scores in every call.
    n_jobs : int, default=None
        Processes for a callable or an estimator, as in joblib. The scores do not depend on it.
    scoring : str or callable, default=None
        Of an estimator, as in :func:`sklearn.model_selection.cross_val_score`.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Mean over the repeats of J(all features) - J(without the feature); larger is better.
    scores_std_error_ : ndarray of shape (n_features,)
        Standard error of that mean over the repeats; NaN for a single repeat. The repeats share the
        samples, so it tells how far another random_state may lead, not another sample.
    n_iter_ : int
        Lloyd iterations in all, for "clustering" and "nmi".
    n_iter_saved_ : int
        How many more there would have been if k-means without a feature took as many as with all
        features, for "clustering" and "nmi".

    See Also
    --------
    featsieve.subsets.leave_one_out.leave_one_feature_out_score : The equation.

    Notes
    -----
    **What the published protocol leaks.** The paper chooses features with the labels of all samples and
    then reports accuracy on the same samples: its test samples have taken part in the choice. The
    held-out halves in here do not prevent that, since every sample is in some held-out half. Accuracy
    measured on the data that ``fit`` has seen, with the features that it chose, is too good. For a figure
    to report, choose anew inside each training fold, which a pipeline does by itself::

        pipeline = make_pipeline(LeaveOneFeatureOut(n_features_to_select=20, random_state=0),
                                 KNeighborsClassifier(1))
        cross_val_score(pipeline, X, y, cv=5)

    and to choose ``n_features_to_select`` as well, put a ``GridSearchCV`` of that pipeline into
    ``cross_val_score``. ``fit(X, y)`` followed by an evaluation on X is the published protocol.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.subsets.leave_one_out import LeaveOneFeatureOut
    >>> LeaveOneFeatureOut(random_state=0).fit(*load_iris(return_X_y=True)).order_
    array([3, 2, 0, 1])
    """

    _parameter_constraints: dict = {
        "objective": [str, callable, HasMethods("fit")],
        "n_repeats": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "scoring": [str, callable, None],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        objective: Any = "accuracy",
        *,
        n_repeats: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        scoring: Any = None,
        n_features_to_select: Any = None,
    ) -> None:
        self.objective = objective
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.scoring = scoring
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        repeats, told = _repeats(
            X, y, self.objective, self.n_repeats, self.random_state, self.scoring, self.n_jobs
        )
        self.scores_std_error_ = standard_error(repeats)
        for name, value in told.items():
            setattr(self, name, value)
        return repeats.mean(axis=0)
