"""Performance of rankings on held-out training samples, and the choice of the number of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.utils import check_consistent_length

from featsieve.engines.content import content_keys
from featsieve.engines.progress import track
from featsieve.evaluation.data import make_scaler, ranges_differ
from featsieve.evaluation.folds import Fold
from featsieve.evaluation.grouped import keep_groups
from featsieve.evaluation.measures.classification import linear_curve, nearest_neighbor_curve
from featsieve.evaluation.measures.regression import linear_regression_curve, nearest_regression_curve
from featsieve.evaluation.measures.structure import MAX_NEIGHBORHOOD_SAMPLES, PRESERVATION
from featsieve.evaluation.permutations import permute_columns, permute_labels
from featsieve.evaluation.plan import default_sizes
from featsieve.evaluation.protocols import RepeatedSplits
from featsieve.evaluation.statistics import EQUAL_RTOL, log_auc
from featsieve.graphs.labels import encode_labels
from featsieve.selectors import MAX_N_FEATURES
from featsieve.targets import encode_targets, infer_target
from featsieve.types import Indices, Mask, SparseMatrix

# Ranks the features of training samples by one or several methods: (X, y, n_features) -> orders by name.
Rank: TypeAlias = Callable[[Any, Any, int], Mapping[str, Indices]]
Curves: TypeAlias = dict[str, NDArray[np.float64]]

# Number of splits with and without labels.
N_RESAMPLES, N_UNLABELED_RESAMPLES = 20, 10
# Share of the samples that is held out if there are labels. Without labels it is half.
TEST_SIZE = 0.25
# Significance level of the test against permuted data.
ALPHA = 0.03


@dataclass(frozen=True, eq=False)
class Resamples:
    """Random splits of the training data, on which rankings are compared.

    The performance of the first m features of a ranking on the held-out samples is

    - for classes, the mean of the accuracies of 1-NN and of a linear classifier,
    - for numbers, the mean of the R² of 5-NN and of linear regression,
    - without labels, the share of the 5 nearest neighbors that are also nearest neighbors by the m features.

    Columns whose ranges differ are standardized first.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
        Samples.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets), default=None
        Labels.
    target : {"auto", "classes", "numeric"}, default="auto"
        Kind of the labels. "auto" treats numbers with fractions, or with many distinct values, as numeric.
    labeled : ndarray of shape (n_samples,), default=None
        Mask of the samples that have a label; None means all. Samples without a label are used only to rank.
    sizes : sequence of int, default=None
        Numbers of features, ascending. None is about 20 numbers up to 500, evenly spaced on a log scale.
    n_resamples : int, default=None
        Number of splits. None is 20 with labels and 10 without.
    groups : array-like of shape (n_samples,), default=None
        Groups of samples, such as patients: no group is on both sides of a split.

    See Also
    --------
    choose_n_features : Choose the number of features by their performance.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.evaluation import Resamples
    >>> X, y = np.random.default_rng(0).normal(size=(40, 5)), np.arange(40) % 2
    >>> resamples = Resamples(X + y[:, None] * [9, 0, 0, 0, 0], y, sizes=[1, 5], n_resamples=3)
    >>> resamples.curves(lambda X, y, n_features: {"in order": np.arange(5)})["in order"][:, 0]
    array([1., 1., 1.])
    """

    X: NDArray[Any] | SparseMatrix
    y: NDArray[Any] | None = None
    target: Literal["auto", "classes", "numeric"] = "auto"
    labeled: Mask | None = None
    sizes: Sequence[int] | None = None
    n_resamples: int | None = None
    groups: ArrayLike | None = None

    def __post_init__(self) -> None:
        X, y, groups = self.X, self.y, self.groups
        if groups is not None:
            groups = np.asarray(groups)
            check_consistent_length(X, groups)
        n_resamples = N_UNLABELED_RESAMPLES if y is None else N_RESAMPLES
        if y is not None:
            y = np.asarray(y)
            check_consistent_length(X, y)
            if y.dtype == object and y.ndim == 1:
                encode_labels(y)  # raises an error if the labels have several types
            if self.labeled is None:
                encode_targets(y, X, self.target)  # raises an error if all labels are equal
        else:
            rows = content_sample(X, 2 * MAX_NEIGHBORHOOD_SAMPLES)
            X, groups = X[rows], None if groups is None else groups[rows]
        sizes = default_sizes(min(X.shape[1], MAX_N_FEATURES)) if self.sizes is None else self.sizes
        fields = {"X": X, "y": y, "groups": groups, "sizes": list(sizes)}
        fields["n_resamples"] = self.n_resamples or n_resamples
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def kind(self) -> Literal["classes", "numeric", None]:
        """Kind of the labels."""
        if self.y is None:
            return None
        if self.target != "auto":
            return self.target
        columns = self.y.T if self.y.ndim == 2 else [self.y]
        return "numeric" if any(infer_target(column) == "numeric" for column in columns) else "classes"

    @property
    def test_size(self) -> float:
        """Share of the samples that is held out."""
        return 0.5 if self.y is None else TEST_SIZE

    def curves(self, rank: Rank, permuted: bool = False, splits: slice = slice(None)) -> Curves:
        """Compute the performance of each ranking on each split at each size.

        With ``permuted``, the labels are permuted among the training samples and among the test samples, so
        that the shares of the classes in both sets stay the same. If there are groups, whole groups exchange
        their labels, see :func:`featsieve.evaluation.permutations.permute_labels`. Without labels, the values
        of each feature are permuted. ``splits`` selects some of the splits.

        Returns
        -------
        dict of str to ndarray of shape (n_splits, n_sizes)
            Performances; larger is better.
        """
        X, labeled = self.X, self.labeled
        y: Any = self.y
        groups: Any = self.groups
        sizes: Any = self.sizes
        n_samples = X.shape[0]
        stratify = y.ravel() if self.kind == "classes" and y.size == n_samples else None
        n_resamples = self.n_resamples or N_RESAMPLES
        protocol = keep_groups(RepeatedSplits(n_resamples, self.test_size), groups)
        pairs = protocol.splits(n_samples, stratify, 0)
        indices = range(n_resamples)[splits]
        standardize = ranges_differ(X)
        curves: dict[str, list[NDArray[np.float64]]] = {}
        for i in track(indices, len(indices), "resamples"):
            random = np.random.default_rng([i, 1])
            X_split, y_split = X, y
            train, test = pairs[i].train, pairs[i].test
            if permuted and y is None:
                X_split = permute_columns(X, random)
            elif permuted:
                y_split = y.copy()
                for rows in (train, test):
                    rows = rows if labeled is None else rows[labeled[rows]]
                    y_split[rows] = permute_labels(y[rows], None if groups is None else groups[rows], random)
            try:
                orders = rank(X_split[train], None if y is None else y_split[train], sizes[-1])
            except ValueError as error:
                rank(X_split, y_split, sizes[-1])  # raises an error that is not due to the number of samples
                raise ValueError(
                    f"the features cannot be ranked on {train.size} of the {n_samples} samples, which is "
                    f"necessary for a choice by held-out samples: {error} Add samples, or pass a method and "
                    "a number of features instead of 'auto'."
                ) from error
            if labeled is not None:
                train, test = train[labeled[train]], test[labeled[test]]
            X_train, X_test = X_split[train], X_split[test]
            if standardize:
                scaler = make_scaler(X_train).fit(X_train)
                X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
            if y is None:
                measured = preservation_curves(X_test, orders, sizes)
            else:
                measured = {
                    name: self._measure(X_train, X_test, y_split[train], y_split[test], order)
                    for name, order in orders.items()
                }
            for name, curve in measured.items():
                curves.setdefault(name, []).append(curve)
        return {name: np.array(rows) for name, rows in curves.items()}

    def choose(self, curves: ArrayLike, chance: ArrayLike) -> SizeChoice:
        """Choose the number of features, see :func:`choose_n_features`."""
        ratio = self.test_size / (1 - self.test_size)
        sizes: Any = self.sizes
        return choose_n_features(sizes, curves, chance, ratio, relative=self.y is None)

    def describe_chance(self, choice: SizeChoice) -> str:
        """Return the warning about a choice that performs no better than with permuted data."""
        row = choice.curve.set_index("n_features").loc[choice.n_features]
        if self.y is None:
            problem = (
                "The chosen features preserve the neighborhoods of held-out samples no better than in data "
                "whose columns were permuted"
            )
            remedy = "The features may be independent of each other."
        else:
            problem = "The chosen features predict held-out labels no better than with permuted labels"
            remedy = "The features may not be related to the labels."
        measure = {"numeric": "R²", "classes": "accuracy", None: "share"}[self.kind]
        return f"{problem} ({measure} {row.score:.2f}, {row.chance:.2f} if permuted). {remedy}"

    def _measure(
        self, X_train: Any, X_test: Any, y_train: NDArray[Any], y_test: NDArray[Any], order: Indices
    ) -> NDArray[np.float64]:
        """Return the mean performance of two models over all targets."""
        if y_train.ndim == 2:
            pairs = zip(y_train.T, y_test.T, strict=True)
            return np.mean([self._measure(X_train, X_test, *pair, order) for pair in pairs], axis=0)
        fold = Fold(X_train, X_test, y_train, y_test)
        models: tuple[Any, ...]
        if self.kind == "classes":
            models = (nearest_neighbor_curve, linear_curve)
        else:
            models = (nearest_regression_curve, linear_regression_curve)
        return np.mean([model(fold, order, self.sizes) for model in models], axis=0)


@dataclass(frozen=True, eq=False)
class SizeChoice:
    """Number of features, and the curve by which it was chosen.

    Parameters
    ----------
    n_features : int
        Chosen number of features.
    curve : DataFrame
        For each number of features, ``score`` is the mean performance on held-out samples, ``chance`` is the
        mean performance with permuted data, and ``std_error`` is the standard error of the difference from
        the best number of features.
    beats_chance : bool
        Whether the performance is significantly above that with permuted data.

    See Also
    --------
    choose_n_features : Choose the number of features.

    Examples
    --------
    >>> import pandas as pd
    >>> from featsieve.evaluation import SizeChoice
    >>> SizeChoice(1, pd.DataFrame({"n_features": [1], "score": [0.9]}), True).n_features
    1
    """

    n_features: int
    curve: pd.DataFrame
    beats_chance: bool


def choose_n_features(
    sizes: ArrayLike, curves: ArrayLike, chance: ArrayLike, test_ratio: float, relative: bool = False
) -> SizeChoice:
    r"""Choose the smallest number of features within one standard error of the best.

    .. math:: \min \{ m : \bar v(m^*) - \bar v(m) \le s(m) \}, \quad m^* = \arg\max_m \bar v(m)

    v(m) is the performance with m features, and s(m) is the standard error of the difference over the splits.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of features, ascending.
    curves : array-like of shape (n_resamples, n_sizes)
        Performance on the held-out samples; larger is better.
    chance : array-like of shape (n_permuted, n_sizes)
        Performance with permuted data on the first splits, with another permutation in each split.
    test_ratio : float
        Number of test samples per training sample.
    relative : bool, default=False
        Whether to choose by the difference from ``chance``. Use it without labels, because all features
        together then always have the best performance.

    Returns
    -------
    SizeChoice
        The choice. If no size beats chance, it is the smallest size. ``beats_chance`` is True if one of two
        one-sided corrected resampled t tests, each at the level of 1.5%, is significant: that of the mean
        difference from ``chance`` over the sizes, evenly weighted on a log scale, or that of any size, with
        Bonferroni's correction. The correction for overlapping splits applies to the variance of the
        performance or, if it is larger, of chance. The permutations are independent of each other, so that
        the variance of the mean of chance is added without a correction.

    References
    ----------
    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984. Nadeau and Bengio, Inference
    for the generalization error, Machine Learning 52, 2003.

    Examples
    --------
    >>> from featsieve.evaluation import choose_n_features
    >>> curves = [[0.6, 0.80, 0.81], [0.6, 0.82, 0.81], [0.7, 0.81, 0.82]]
    >>> choose_n_features([1, 2, 4], curves, [[0.5, 0.5, 0.5]] * 3, test_ratio=1 / 3).n_features
    2
    """
    sizes, curves, chance = np.asarray(sizes), np.asarray(curves), np.asarray(chance)
    gains = curves[: len(chance)] - chance
    values = gains if relative else curves
    errors, sufficient = smallest_sufficient(values)
    pair = curves[: len(chance)], chance
    area, area_of_chance = (log_auc(rows, sizes)[:, None] for rows in pair)
    tests = [
        _is_larger(area, area_of_chance, test_ratio, ALPHA / 2),
        _is_larger(*pair, test_ratio, ALPHA / 2 / sizes.size),
    ]
    curve = pd.DataFrame(
        {
            "n_features": sizes,
            "score": curves.mean(axis=0),
            "chance": chance.mean(axis=0),
            "std_error": errors,
        }
    )
    # if no size beats chance, there is no evidence for more than the smallest size
    n_features = sizes[sufficient] if any(tests) else sizes[0]
    return SizeChoice(int(n_features), curve, any(tests))


def smallest_sufficient(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Find the smallest size whose mean is within one standard error of the largest mean.

    ``values`` has a row per split and a column per size. Returns the standard errors of the differences from
    the size with the largest mean, and the index of the smallest sufficient size.
    """
    best = int(values.mean(axis=0).argmax())
    deficits = values[:, [best]] - values
    errors = np.zeros(values.shape[1])
    if len(values) > 1:
        errors = deficits.std(axis=0, ddof=1) / np.sqrt(len(deficits))
    return errors, int((deficits.mean(axis=0) <= errors + EQUAL_RTOL).argmax())


def _is_larger(
    values: NDArray[np.float64], chance: NDArray[np.float64], test_ratio: float, alpha: float
) -> bool:
    """Return whether the mean of any column is significantly above that of chance by a one-sided t test."""
    n_splits = len(values)
    variance, variance_of_chance = values.var(axis=0, ddof=1), chance.var(axis=0, ddof=1)
    overlap = (1 / n_splits + test_ratio) * np.maximum(variance, variance_of_chance)
    errors = np.sqrt(overlap + variance_of_chance / n_splits)
    critical = float(stats.t.ppf(1 - alpha, n_splits - 1))
    differences = values.mean(axis=0) - chance.mean(axis=0)
    return bool((differences > critical * errors + EQUAL_RTOL).any())


def preservation_curves(X: Any, orders: Mapping[str, Indices], sizes: Sequence[int]) -> Curves:
    """Compute the share of neighbors preserved by the first features of each order, on up to 1000 samples."""
    X = X[content_sample(X, MAX_NEIGHBORHOOD_SAMPLES)]
    fold = Fold(X, X)
    return {name: PRESERVATION.curve(fold, order, list(sizes)) for name, order in orders.items()}


def content_sample(X: Any, n_samples: int) -> Indices | slice:
    """Return at most ``n_samples`` rows of X, selected independently of the order of the rows."""
    if X.shape[0] <= n_samples:
        return slice(None)
    return np.sort(np.argsort(content_keys(X), kind="stable")[:n_samples])
