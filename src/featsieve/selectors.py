"""What all ranking estimators share: input checks, ranking and selection."""

from __future__ import annotations

import inspect
import re
import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.sparsefuncs import min_max_axis
from sklearn.utils.validation import check_is_fitted, validate_data

from featsieve.engines.arrays import (
    FLOATS,
    is_tensor,
    namespace,
    round_to_bits,
    take_columns,
    to_host,
)
from featsieve.engines.blocks import map_columns
from featsieve.engines.chunked import Chunked, as_dask_array, is_chunked
from featsieve.engines.progress import CallbackSupportMixin, reporting, with_callbacks
from featsieve.engines.sparse import canonicalize, check_sparse
from featsieve.graphs.graph import Graph, GraphBuilder, GraphLike, as_graph
from featsieve.graphs.knn import KNNGraph
from featsieve.notebook import HTMLSelectionMixin
from featsieve.registry import Input, Method
from featsieve.types import Direction, Mask, MatrixLike, NFeatures
from featsieve.validation import check_finite, validate_chunked, validate_tensor

if TYPE_CHECKING:
    from featsieve.evaluation.held_out import Resamples

# Constraint of the parameter ``n_features_to_select``, as in scikit-learn's RFE.
N_FEATURES: list[Any] = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
    None,
]
# The same for rankers, which can also choose the number of features themselves.
N_RANKED_FEATURES: list[Any] = [*N_FEATURES, StrOptions({"auto"})]
# Largest number of features that "auto" considers.
MAX_N_FEATURES = 500
# Constraint of the parameter ``graph``: a builder, a Graph, or a matrix of weights.
GRAPH: list[Any] = [HasMethods("build"), Graph, "array-like", "sparse matrix", None]


class Selection(HTMLSelectionMixin, SelectorMixin):
    """Mixin for estimators that keep the best ``n_features_`` features of ``order_``."""

    n_features_: int
    order_: NDArray[np.intp]

    def transform(self, X: MatrixLike) -> Any:
        """Reduce X to the selected features, in their original order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples with the features seen during ``fit``.

        Returns
        -------
        X_selected : {ndarray, sparse matrix} of shape (n_samples, n_features_)
            The selected features.
        """
        return super().transform(check_sparse(X))

    def inverse_transform(self, X: MatrixLike) -> Any:
        """Insert columns of zeros where ``transform`` removes features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features_)
            Samples with the selected features.

        Returns
        -------
        X_original : {ndarray, sparse matrix} of shape (n_samples, n_features)
            Samples with all features.
        """
        return super().inverse_transform(check_sparse(X))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.isin(np.arange(self.order_.size), self.order_[: self.n_features_])


class Ranker(CallbackSupportMixin, Selection):
    """Mixin for estimators that score features and keep the best.

    A subclass is registered with :func:`featsieve.registry.method` and implements ``_score(X, y)``, or
    ``_rank(X, y)`` if its order is not the order of its scores. If it has other parameters than
    ``n_features_to_select``, it declares all of them, and the constraints of the others.

    A graph score also declares the parameter ``graph`` with the constraint ``GRAPH`` and calls
    ``_build_graph(X, y)`` in ``_score``. It may implement ``_default_graph(X, y)``, which returns the builder
    to use when ``graph`` is None. :class:`featsieve.IterativeScore` needs nothing else.

    The following entries are added to the docstring of every subclass.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=None
        Number (int) or fraction (float) of features to select. None selects half; "auto" chooses the number
        on held-out samples, see :func:`featsieve.evaluation.choose_n_features`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each feature, as the publication defines it.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first. Constant features are last, regardless of their score.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature; the best feature has rank 1.
    n_features_ : int
        Number of selected features.
    n_features_curve_ : DataFrame
        Performance on held-out samples for each number of features, see
        :class:`featsieve.evaluation.SizeChoice`. Defined only if ``n_features_to_select="auto"``.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during ``fit``. Defined only if all names are strings.
    """

    method: Method
    n_features_to_select: NFeatures

    _parameter_constraints: dict[str, Any] = {"n_features_to_select": N_RANKED_FEATURES}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Add the shared constraint, and the shared entries of the docstring, to the subclass."""
        super().__init_subclass__(**kwargs)
        cls._parameter_constraints = Ranker._parameter_constraints | cls._parameter_constraints
        if cls.__doc__ and Ranker.__doc__:  # None under python -OO
            cls.__doc__ = _add_entries(cls.__doc__, Ranker.__doc__)

    def __init__(self, *, n_features_to_select: NFeatures = None) -> None:
        self.n_features_to_select = n_features_to_select

    @with_callbacks
    def fit(self, X: MatrixLike, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> Self:
        """Score and rank the features of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
            Training data. ``method.inputs`` lists the supported types besides arrays and data frames.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Target values; several targets if ``method.inputs`` contains "multioutput". Unsupervised methods
            use them only to choose the number of features, if ``n_features_to_select="auto"``.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples, such as patients. Where features are tested on held-out samples, as for
            ``n_features_to_select="auto"``, no group is on both sides of a split.

        Returns
        -------
        self : object
            Fitted estimator.
        """
        self._validate_params()
        labels = y
        X, y = self._validate_input(X, y)
        n_features = X.shape[1]
        with reporting(self):
            self.n_features_ = self._choose_n_features(X, labels if y is None else y, groups)
            self.scores_, self.order_ = self._rank(X, y)
        self.ranking_ = np.empty(n_features, dtype=np.intp)
        self.ranking_[self.order_] = np.arange(1, n_features + 1)
        return self

    def _score(self, X: Any, y: Any) -> Any:
        """Compute the score of each feature."""
        raise NotImplementedError(f"{type(self).__name__} has no score")

    def _rank(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Compute the scores and the order of the features."""
        scores = to_host(self._score(X, y)).astype(np.float64, copy=False)
        return scores, rank_features(scores, constant_features(X), self._direction)

    @property
    def _inputs(self) -> frozenset[Input]:
        """Supported inputs besides dense arrays."""
        return self.method.inputs

    @property
    def _direction(self) -> Direction:
        assert self.method.direction is not None
        return self.method.direction

    def _default_graph(self, X: Any, y: Any = None) -> GraphBuilder:
        """Return the builder to use when the parameter ``graph`` is None."""
        return KNNGraph()

    def _graph_builder(self, X: Any, y: Any = None) -> GraphLike:
        """Return the parameter ``graph``, or the default builder if it is None."""
        graph = getattr(self, "graph", None)
        return self._default_graph(X, y) if graph is None else graph

    def _build_graph(self, X: Any, y: Any = None) -> Graph:
        """Build the graph over the samples of X."""
        return as_graph(self._graph_builder(X, y), X, y)

    def _requires_y(self) -> bool:
        """Return whether ``fit`` needs labels."""
        graph = getattr(self, "graph", None)
        # a builder's class may be passed by mistake instead of an instance
        graph_requires_y = not isinstance(graph, type) and getattr(graph, "requires_y", False)
        # unsupervised methods pass no labels to a graph, which rejects this itself
        return self.method.supervised == "yes" or (self.method.supervised != "no" and bool(graph_requires_y))

    def _resolve_n_features(self, n_features: int) -> int:
        """Return the number of features to select, or the largest number to consider if it is "auto"."""
        if self.n_features_to_select == "auto":
            return min(n_features, MAX_N_FEATURES)
        return count_selected(self.n_features_to_select, n_features, n_features // 2)

    def _choose_n_features(self, X: Any, y: Any, groups: Any) -> int:
        """Return the number of features to select, chosen on held-out samples if it is "auto"."""
        if self.n_features_to_select != "auto":
            return self._resolve_n_features(X.shape[1])
        if isinstance(X, Chunked):
            raise ValueError(
                "`n_features_to_select` must be a number or None for data in chunks; got 'auto'. "
                "Pass a number, or choose it on a sample of the rows."
            )
        from featsieve.evaluation.held_out import Resamples

        def rank(X: Any, y: Any, n_features: int) -> dict[str, NDArray[np.intp]]:
            return {"": clone(self).set_params(n_features_to_select=n_features).fit(X, y).order_}

        X = X if sp.issparse(X) else to_host(X)
        target: Any = getattr(self, "target", "auto")
        resamples = Resamples(X, y, target, self._labeled(y), groups=groups)
        curves, chance = resamples.curves(rank), resamples.curves(rank, permuted=True)
        return self._choose_size(resamples, curves[""], chance[""])

    def _choose_size(self, resamples: Resamples, curves: Any, chance: Any) -> int:
        """Return the number of features that the curves suggest; warn if it is not above chance."""
        choice = resamples.choose(curves, chance)
        self.n_features_curve_ = choice.curve
        if not choice.beats_chance:
            warnings.warn(resamples.describe_chance(choice), stacklevel=2)
        return choice.n_features

    def _labeled(self, y: Any) -> Mask | None:
        """Return which samples have a label; None means all."""
        return None

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, Any]:
        if is_chunked(X) and ("chunked" in self._inputs or not isinstance(X, np.memmap)):
            return validate_chunked(self, X, y)
        if is_tensor(X):
            return validate_tensor(self, X, y)
        X = check_sparse(X)
        if self.method.supervised == "no":
            y = None
        options: dict[str, Any] = {
            "accept_sparse": ["csr", "csc"] if "sparse" in self._inputs else False,
            "dtype": FLOATS,
            "ensure_min_samples": 2,
            "ensure_all_finite": False,
        }
        if y is None:
            X = validate_data(self, X, y=None if self._requires_y() else "no_validation", **options)
        else:
            X, y = validate_data(self, X, y, multi_output="multioutput" in self._inputs, **options)
        check_finite(X, getattr(self, "feature_names_in_", None))
        return canonicalize(X), y

    def transform(self, X: MatrixLike) -> Any:
        """Reduce X to the selected features, in their original order.

        Parameters
        ----------
        X : {array-like, sparse matrix, tensor, dask array} of shape (n_samples, n_features)
            Samples with the features seen during ``fit``.

        Returns
        -------
        X_selected : {ndarray, sparse matrix, tensor, dask array} of shape (n_samples, n_features_)
            The selected features; a dask array, not computed yet, for dask, Zarr and HDF5 arrays.
        """
        lazy = is_chunked(X) and not isinstance(X, np.memmap)
        if not (lazy or is_tensor(X)):
            return super().transform(X)
        check_is_fitted(self)
        tensor: Any = as_dask_array(X) if lazy else X
        if tensor.ndim != 2 or tensor.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has shape {tuple(tensor.shape)}, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        if lazy:
            return tensor[:, self.get_support(indices=True)]
        return take_columns(tensor, self.get_support(indices=True))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = "sparse" in self._inputs
        tags.target_tags.multi_output = "multioutput" in self._inputs
        tags.target_tags.required = self._requires_y()
        return tags


def count_selected(n_features_to_select: int | float | None, n_features: int, default: int) -> int:
    """Resolve ``n_features_to_select`` into a number of features; at least one is selected."""
    if n_features_to_select is None:
        return max(1, default)
    if not isinstance(n_features_to_select, Integral):
        return max(1, int(n_features * n_features_to_select))
    if n_features_to_select > n_features:
        raise ValueError(
            f"`n_features_to_select` must be at most the number of features ({n_features}); "
            f"got {n_features_to_select}."
        )
    return int(n_features_to_select)


def rank_features(
    scores: NDArray[np.float64], constant: NDArray[np.bool_], direction: Direction
) -> NDArray[np.intp]:
    """Order feature indices from best to worst, constant features last, ties by index.

    Scores that differ only by rounding are ties. Copies of a column have such scores, and so do a binary
    column and its complement.
    """
    rounded = round_to_bits(np.asarray(scores, dtype=np.float64))
    return np.lexsort((-rounded if direction == "larger" else rounded, constant))


def constant_features(X: Any) -> NDArray[np.bool_]:
    """Return which columns of X have a single value."""
    if isinstance(X, Chunked):
        return np.equal(*X.summary[:2])
    if sp.issparse(X):
        return np.equal(*min_max_axis(X, 0))
    xp = namespace(X)
    return to_host(
        map_columns(lambda B: xp.all(B[:1, :] == B, axis=0), X, name="constant features", temporaries=2)
    )


def _add_entries(docstring: str, source: str) -> str:
    """Add the parameters and attributes of ``source`` to a numpydoc docstring; its own take precedence."""
    sections, shared = _split_sections(docstring), _split_sections(source)
    summary = sections.pop("")
    parameters, attributes = (_split_entries(sections.pop(t, "")) for t in ("Parameters", "Attributes"))
    entries = {
        "Parameters": parameters | _split_entries(shared["Parameters"]) | parameters,
        "Attributes": _split_entries(shared["Attributes"]) | attributes,
    }
    added = ["\n".join([title, "----------", *lines.values()]) for title, lines in entries.items()]
    return "\n\n".join([summary, *added, *sections.values()])


def _split_sections(docstring: str) -> dict[str, str]:
    """Split a numpydoc docstring into its sections, by title; the summary has an empty title."""
    summary, *sections = re.split(r"\n\n(?=.+\n---)", inspect.cleandoc(docstring))
    return {"": summary} | {section.split("\n", 1)[0]: section for section in sections}


def _split_entries(section: str) -> dict[str, str]:
    """Split a section into its entries, by name."""
    _, *entries = re.split(r"\n(?=[\w{])", section.replace("----------\n", "", 1))
    return {entry.split(" :")[0]: entry for entry in entries}
