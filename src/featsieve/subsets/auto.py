from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from featsieve.engines.sparse import densify_small
from featsieve.graphs import KNNGraph
from featsieve.registry import method
from featsieve.scores.laplacian import laplacian_score
from featsieve.selectors import MAX_N_FEATURES, Ranker
from featsieve.subsets._columns import UnitColumns
from featsieve.subsets.column_subset import column_subset_ranking
from featsieve.subsets.diverse import diverse_ranking
from featsieve.subsets.facility_location import facility_location_ranking, reconstructed_share
from featsieve.subsets.l1_path import l1_path_ranking
from featsieve.subsets.mrmr import mrmr_ranking
from featsieve.subsets.supervised_column_subset import supervised_column_subset_ranking, target_quality
from featsieve.targets import TARGET, TargetType, encode_targets
from featsieve.types import MatrixLike, NFeatures

# Scores and order of all features, by the name of the method.
Rankings = dict[str, tuple[NDArray[np.float64], NDArray[np.intp]]]
# Splits on which the methods are compared with labels. "auto" uses more for the method that it chooses.
N_SPLITS = 5
# Number of random orders that the methods are compared with, and the prefix of their names.
N_RANDOM, RANDOM = 5, "random"
# Number of features that facility location represents at most; the time would grow with its square.
MAX_REPRESENTED = 2000
# Columns whose standard deviations differ by at most this share have been standardized.
STANDARDIZED_RTOL = 1e-3


def unlabeled_rankings(X: MatrixLike, n_features: int, names: Iterable[str] | None = None) -> Rankings:
    r"""Rank features by the methods among which AutoSelector chooses without labels.

    R^2 is the share of a feature's variance that the nearest samples reconstruct. It is the weight of the
    feature for the column subset and, times the variance, for facility location. The quality of a feature for
    the diverse ranking is :math:`\sqrt{(1 - L) R^2 s}`, with its Laplacian score L and standard deviation s.
    ``names`` selects some of the methods.
    """
    graph = KNNGraph().build(X)
    columns = UnitColumns(X)
    share = reconstructed_share(X, graph)
    deviation = columns.norms / (columns.norms.max() or 1.0)
    quality = np.sqrt(np.clip(1 - laplacian_score(X, graph), 0, 1) * share * deviation)
    methods = {
        "diverse": lambda: diverse_ranking(X, quality, n_features, "squared"),
        "weighted column subset": lambda: column_subset_ranking(X, n_features, share),
        "facility location": lambda: facility_location_ranking(
            X, share * _variance(X, columns), n_features, MAX_REPRESENTED
        ),
    }
    chosen = methods if names is None else names
    return {name: methods[name]() for name in chosen}


def labeled_rankings(
    X: MatrixLike,
    y: ArrayLike,
    n_features: int,
    target: TargetType = "auto",
    names: Iterable[str] | None = None,
) -> Rankings:
    """Rank features by the methods among which AutoSelector chooses with labels.

    ``names`` selects some of the methods. For a sparse matrix, those that accept it are used.
    """
    targets = encode_targets(y, X, target)
    methods: dict[str, Any] = {"L1 path": lambda: l1_path_ranking(X, y, n_features, target)}
    if np.ndim(y) == 1:
        methods["mRMR"] = lambda: mrmr_ranking(X, y, n_features, target=target)
    if not sp.issparse(X):
        with_quality = {"supervised column subset", "diverse relevance"}
        if names is None or with_quality & {*names}:
            quality = target_quality(X, targets, UnitColumns(X))
        methods["supervised column subset"] = lambda: supervised_column_subset_ranking(
            X, y, n_features, target, quality
        )
        methods["diverse relevance"] = lambda: diverse_ranking(X, quality, n_features)
    chosen = methods if names is None else names
    return {name: methods[name]() for name in chosen}


def _variance(X: Any, columns: UnitColumns) -> NDArray[np.float64]:
    """Return the variance of each column; of standardized columns, the variance after scaling to [0, 1]."""
    variance = columns.norms**2 / columns.n_samples
    varies = columns.norms > 0
    norms = columns.norms[varies]
    if not sp.issparse(X) and norms.size and np.ptp(norms) <= STANDARDIZED_RTOL * norms.max():
        variance[varies] /= np.ptp(X[:, varies], axis=0) ** 2
    return variance


@method(
    "auto",
    family="subset",
    supervised="optional",
    direction="larger",
    inputs=("sparse", "multioutput"),
    scale_invariant=True,
    reference="featsieve",
)
class AutoSelector(Ranker, BaseEstimator):
    """Auto: choose the best of several methods that take redundancy into account.

    Without labels, these are facility location, a column subset and a diverse ranking, in which features that
    vary smoothly over neighboring samples count more; the features of the best one preserve the nearest
    neighbors of the samples. With labels, these are the
    supervised column subset, the diverse ranking by relevance, mRMR and the L1 path; the features of the best
    one predict samples that were left out.

    Parameters
    ----------
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets. "auto" treats numbers as numeric if they have fractions, or more than 20
        distinct values and more than one value per five samples.
    n_features_to_select : int, float or "auto", default=None
        Number (int) or fraction (float) of features to select. The method is chosen for this number. None
        selects half; then the method is chosen by the mean over numbers of features up to 500. "auto" chooses
        the number on held-out samples, see :func:`featsieve.evaluation.choose_n_features`; then the method
        with labels is chosen by its best number.

    Attributes
    ----------
    chosen_method_ : str
        The chosen method.
    comparison_ : DataFrame
        Performance of the selected number of features by the chosen method, by the others, and at random.
    report_ : str
        What was chosen, why, and what it was compared with.

    See Also
    --------
    featsieve.select : Select features in one line.
    featsieve.evaluation.compare : Compare methods on samples that no choice has seen.

    Notes
    -----
    The method is chosen by the performances in ``comparison_``, so the best of them is somewhat optimistic.
    To estimate the performance of the selected features, use :func:`featsieve.evaluation.compare`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from featsieve import AutoSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = AutoSelector(n_features_to_select=3).fit(X, y)
    >>> selector.chosen_method_
    'supervised column subset'
    """

    _parameter_constraints: dict[str, Any] = {"target": TARGET}

    def __init__(self, *, target: TargetType = "auto", n_features_to_select: NFeatures = None) -> None:
        self.target = target
        self.n_features_to_select = n_features_to_select

    def _choose_n_features(self, X: Any, y: Any, groups: Any) -> int:
        from featsieve.evaluation.plan import default_sizes

        X = densify_small(X)
        is_auto = self.n_features_to_select == "auto"
        n_selected = self._resolve_n_features(X.shape[1])
        sizes = [n_selected]
        if self.n_features_to_select is None or is_auto:
            sizes = sorted({*default_sizes(min(X.shape[1], MAX_N_FEATURES)), n_selected})
        choose = self._choose_unlabeled if y is None else self._choose_labeled
        return choose(X, y, sizes, n_selected, groups)

    def _choose_unlabeled(self, X: Any, y: Any, sizes: list[int], n_selected: int, groups: Any) -> int:
        from featsieve.evaluation.data import make_scaler, ranges_differ
        from featsieve.evaluation.held_out import Resamples, preservation_curves

        if ranges_differ(X):
            X = make_scaler(X).fit_transform(X)
        self._rankings = unlabeled_rankings(X, sizes[-1])
        orders = {name: order for name, (_, order) in self._rankings.items()} | _random_orders(X)
        curves = preservation_curves(X, orders, sizes)
        name = self.chosen_method_ = _find_best(curves, sizes, by_peak=False)
        if self.n_features_to_select == "auto":

            def rank(X: Any, y: Any, n_features: int) -> dict[str, NDArray[np.intp]]:
                return {name: unlabeled_rankings(X, n_features, [name])[name][1]}

            resamples = Resamples(X, sizes=sizes, groups=groups)
            chance = resamples.curves(rank, permuted=True)
            n_selected = self._choose_size(resamples, resamples.curves(rank)[name], chance[name])
        measure = "Preserved share of the 5 nearest neighbors of each sample"
        self._describe(curves, sizes, n_selected, measure, "their mean over")
        return n_selected

    def _choose_labeled(self, X: Any, y: Any, sizes: list[int], n_selected: int, groups: Any) -> int:
        from featsieve.evaluation.held_out import N_RESAMPLES, Resamples

        def rank(X: Any, y: Any, n_features: int, names: Any = None) -> dict[str, NDArray[np.intp]]:
            rankings = labeled_rankings(X, y, n_features, self.target, names)
            return {name: order for name, (_, order) in rankings.items()}

        def rank_all(X: Any, y: Any, n_features: int) -> dict[str, NDArray[np.intp]]:
            return rank(X, y, n_features) | _random_orders(X)

        def rank_chosen(X: Any, y: Any, n_features: int) -> dict[str, NDArray[np.intp]]:
            return rank(X, y, n_features, [name])

        is_auto = self.n_features_to_select == "auto"
        resamples = Resamples(X, y, self.target, sizes=sizes, n_resamples=N_RESAMPLES, groups=groups)
        on_splits = resamples.curves(rank_all, splits=slice(N_SPLITS))
        curves = {name: rows.mean(axis=0) for name, rows in on_splits.items()}
        name = self.chosen_method_ = _find_best(curves, sizes, by_peak=is_auto)
        if is_auto:
            more = resamples.curves(rank_chosen, splits=slice(N_SPLITS, None))
            chance = resamples.curves(rank_chosen, permuted=True)
            rows = np.vstack([on_splits[name], more[name]])
            n_selected = self._choose_size(resamples, rows, chance[name])
        self._rankings = labeled_rankings(X, y, sizes[-1], self.target, [name])
        measure = ("R²" if resamples.kind == "numeric" else "Accuracy") + " on held-out samples"
        criterion = "their highest score over" if is_auto else "their mean over"
        self._describe(curves, sizes, n_selected, measure, criterion)
        return n_selected

    def _describe(
        self, curves: Mapping[str, Any], sizes: list[int], n_selected: int, measure: str, criterion: str
    ) -> None:
        """Set the comparison and the report from the performance of each method at each size."""
        i = sizes.index(n_selected)
        random_scores = [float(curve[i]) for name, curve in curves.items() if name.startswith(RANDOM)]
        scores = {name: float(curve[i]) for name, curve in curves.items() if not name.startswith(RANDOM)}
        others = sorted({*scores} - {self.chosen_method_}, key=lambda name: -scores[name])
        rows = [(name, scores[name]) for name in [self.chosen_method_, *others]]
        rows.append(("random features", float(np.mean(random_scores))))
        self.comparison_ = pd.DataFrame(rows, columns=["method", "score"])
        number = "1 feature" if n_selected == 1 else f"{n_selected} features"
        reason = f"the best of {len(scores)} methods"
        if len(sizes) > 1:
            reason += f" by {criterion} {sizes[0]} to {sizes[-1]} features"
        pattern = "{:.2f}" if measure.startswith("R²") else "{:.1%}"
        texts = [f"{name} {pattern.format(score)}" for name, score in rows]
        self.report_ = (
            f"Selected {number} with '{self.chosen_method_}', {reason}. "
            f"{measure} with {number}: {', '.join(texts)}."
        )

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        rankings = self._rankings
        del self._rankings
        return rankings[self.chosen_method_]


def _find_best(curves: Mapping[str, Any], sizes: list[int], by_peak: bool) -> str:
    """Return the method with the highest mean over the sizes, or with the highest peak."""
    from featsieve.evaluation.statistics import log_auc

    heights = {
        name: (float(np.max(curve)) if by_peak else 0.0, float(log_auc(curve, sizes)))
        for name, curve in curves.items()
        if not name.startswith(RANDOM)
    }
    return max(heights, key=lambda name: heights[name])


def _random_orders(X: Any) -> dict[str, NDArray[np.intp]]:
    """Return random orders of the features, always the same for a number of features."""
    random = np.random.default_rng(0)
    return {f"{RANDOM} {i}": random.permutation(X.shape[1]) for i in range(N_RANDOM)}
