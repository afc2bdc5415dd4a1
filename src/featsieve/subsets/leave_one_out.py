from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods, Interval

from featsieve.registry import Input, method
from featsieve.selectors import Ranker
from featsieve.subsets._objectives import Objective, compute_losses
from featsieve.types import Array, MatrixLike, NFeatures


def leave_one_feature_out_score(
    X: MatrixLike,
    y: ArrayLike,
    objective: Objective = "accuracy",
    n_repeats: int = 20,
    random_state: int | np.random.RandomState | None = None,
    *,
    scoring: str | Callable[..., float] | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    r"""Compute the loss of an objective when each feature is left out.

    .. math:: w(r) = J(X, y) - J(X_{-r}, y)

    J is the objective and X_{-r} the data without feature r.

    Parameters
    ----------
    X : {array-like, tensor} of shape (n_samples, n_features)
        Data with at least two features. A tensor needs one of the three objectives that are given by name.
    y : array-like of shape (n_samples,)
        Class labels, or numbers if the objective is a regressor or a callable that takes numbers.
    objective : {"accuracy", "clustering", "nmi"}, callable or estimator, default="accuracy"
        Objective J.

        - "accuracy": accuracy of the nearest neighbor on a held-out half. Among equally near training
          samples the one with the smallest index wins.
        - "clustering": accuracy of the best of 10 k-means with one cluster per class, under the best
          matching of clusters to classes (Hungarian method).
        - "nmi": mutual information of the same clusters and the classes, divided by the larger entropy.
        - callable: called as ``objective(X, y)``; returns a number.
        - estimator: fitted to each training half and scored on the test half.
    n_repeats : int, default=20
        Number of random halves (shared by all features), of sets of 10 k-means, or of calls of a callable.
        1 is enough for a deterministic callable.
    random_state : int, RandomState instance or None, default=None
        Seed of the halves and of k-means. Pass an int for reproducible scores.
    scoring : str or callable, default=None
        Scorer of an estimator, as in :func:`sklearn.model_selection.cross_val_score`.
    n_jobs : int, default=None
        Number of processes for a callable or an estimator, as in joblib. Other objectives use all cores.
        The scores do not depend on it.

    Returns
    -------
    ndarray of shape (n_repeats, n_features)
        Larger is better. 0 if the objective does not change without the feature; with "accuracy", a constant
        feature scores 0. A single repeat is noisy: average over the repeats.

    Notes
    -----
    The halves are stratified by class, unless y is numeric or a class has a single sample.

    "accuracy" needs one neighbor search per repeat, O(n^2 d), and equals refitting a nearest-neighbor
    classifier without each feature. Distances of integers are exact; other distances that agree to about 14
    digits are ties.

    "clustering" and "nmi" run k-means on all features from 10 starts. Without a feature, Lloyd's iterations
    continue from those 10 solutions. An iteration costs O(n k) if few samples change their cluster.

    References
    ----------
    Feng, Chen & Xu, 2013, Algorithm 1 and eqs. 6 to 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.subsets import leave_one_feature_out_score
    >>> scores = leave_one_feature_out_score(*load_iris(return_X_y=True), random_state=0)
    >>> scores.shape, int(scores.mean(axis=0).argmax())
    ((20, 4), 3)
    """
    return compute_losses(X, y, objective, n_repeats, random_state, scoring, n_jobs)[0]


@method(
    "leave-one-out",
    family="subset",
    supervised="yes",
    direction="larger",
    inputs=("array_api",),
    reference="Feng, Chen & Xu, 2013, Algorithm 1",
)
class LeaveOneFeatureOut(Ranker, BaseEstimator):
    """Leave one feature out: rank features by the loss of an objective, such as accuracy, without them.

    Parameters
    ----------
    objective : {"accuracy", "clustering", "nmi"}, callable or estimator, default="accuracy"
        "accuracy" of the nearest neighbor on held-out halves; "clustering" accuracy or normalized mutual
        information ("nmi") of the best of 10 k-means; a callable J(X, y) that returns a number; or an
        estimator, which is scored on the held-out halves.
    n_repeats : int, default=20
        Number of random halves, of sets of 10 k-means, or of calls of a callable. 1 is enough for a
        deterministic callable. A single half or set is noisy.
    random_state : int, RandomState instance or None, default=None
        Seed of the halves and of k-means. Pass an int for reproducible scores.
    n_jobs : int, default=None
        Number of processes for a callable or an estimator, as in joblib. The scores do not depend on it.
    scoring : str or callable, default=None
        Scorer of an estimator, as in :func:`sklearn.model_selection.cross_val_score`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Mean over the repeats of J(all features) - J(without the feature). Larger is better.
    scores_std_error_ : ndarray of shape (n_features,)
        Standard error of ``scores_`` over the repeats; NaN for a single repeat. The repeats share the
        samples, so it measures the effect of another seed, not of another sample.
    n_iter_ : int
        Total number of Lloyd iterations. Only for "clustering" and "nmi".
    n_iter_saved_ : int
        Number of further iterations if k-means without a feature took as many as on all features. Only for
        "clustering" and "nmi".

    See Also
    --------
    leave_one_feature_out_score : The same scores, one row per repeat.
    sklearn.inspection.permutation_importance : Loss of a fitted model when a feature is permuted.

    Notes
    -----
    **The published protocol leaks labels.** The paper selects features with the labels of all samples and
    then reports accuracy on the same samples. The held-out halves of this estimator do not prevent the leak,
    because every sample is in some held-out half: accuracy on the data passed to ``fit`` is too optimistic.
    To report an accuracy, select features inside each training fold, as a pipeline does::

        pipeline = make_pipeline(LeaveOneFeatureOut(n_features_to_select=20, random_state=0),
                                 KNeighborsClassifier(1))
        cross_val_score(pipeline, X, y, cv=5)

    To tune ``n_features_to_select`` as well, pass a ``GridSearchCV`` of the pipeline to
    ``cross_val_score``.

    References
    ----------
    Feng, Chen & Xu, 2013, Algorithm 1 and eqs. 6 to 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import LeaveOneFeatureOut
    >>> LeaveOneFeatureOut(random_state=0).fit(*load_iris(return_X_y=True)).order_
    array([3, 2, 0, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "objective": [str, callable, HasMethods("fit")],
        "n_repeats": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "scoring": [str, callable, None],
    }

    def __init__(
        self,
        objective: Objective = "accuracy",
        *,
        n_repeats: int = 20,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        scoring: str | Callable[..., float] | None = None,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.objective = objective
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.scoring = scoring
        self.n_features_to_select = n_features_to_select

    @property
    def _inputs(self) -> frozenset[Input]:
        return self.method.inputs if isinstance(self.objective, str) else frozenset()

    def _score(self, X: Array, y: np.ndarray) -> NDArray[np.float64]:
        repeats, *n_iter = compute_losses(
            X, y, self.objective, self.n_repeats, self.random_state, self.scoring, self.n_jobs
        )
        if n_iter:
            self.n_iter_, self.n_iter_saved_ = n_iter
        # the standard error of a single repeat is unknown
        deviation = repeats.std(axis=0, ddof=1) if len(repeats) > 1 else np.full(repeats.shape[1], np.nan)
        self.scores_std_error_ = deviation / np.sqrt(len(repeats))
        return repeats.mean(axis=0)
