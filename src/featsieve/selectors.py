"""What every ranking estimator shares: checks, ranking, selection. The maths is in ``scores``."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from featsieve.engines.arrays import (
    FLOATS,
    as_matrix,
    canonicalize,
    is_tensor,
    namespace,
    round_to_bits,
    to_host,
)
from featsieve.engines.blocks import map_columns
from featsieve.engines.progress import CallbackSupportMixin, reporting, with_callbacks
from featsieve.engines.sparse import check_sparse
from featsieve.graphs.graph import Graph, GraphBuilder, as_graph
from featsieve.registry import Method

# How many features to keep, as in scikit-learn's RFE.
N_FEATURES: list[Any] = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
    None,
]

# A graph: a builder, a prebuilt one, or a matrix of weights.
GRAPH: list[Any] = [HasMethods("build"), Graph, "array-like", "sparse matrix", None]


class Ranker(CallbackSupportMixin, SelectorMixin):
    """Mixin of estimators that give each feature a score and keep the best.

    A subclass declares the parameter ``n_features_to_select``, is registered with
    :func:`featsieve.registry.method`, and implements ``_score(X, y)``, or ``_rank(X, y)`` if its order is
    not the order of the scores.

    A graph score also declares the parameter ``graph`` (constraint ``GRAPH``), implements
    ``_default_graph(X, y)``, which returns the builder to use when ``graph`` is None, and calls
    ``_build_graph(X, y)`` in ``_score``. Nothing else is needed for :class:`featsieve.IterativeScore` to
    rebuild its graph: it calls ``_graph_builder(X, y)``.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The method's own numbers.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first. Constant features come last, whatever their score.
    ranking_ : ndarray of shape (n_features,)
        Place of each feature, 1 for the best.
    n_features_ : int
        How many features are kept.
    """

    method: Method
    n_features_to_select: Any

    def _score(self, X: Any, y: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no score")

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Any:
        """Score and rank the features of X.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features)
            NumPy array, data frame, SciPy sparse matrix or array-API tensor.
        y : array of shape (n_samples,), default=None
            Labels, for the methods that use them.

        Returns
        -------
        self
        """
        self._validate_params()
        X, y = self._validate_input(X, y)
        self.n_features_ = self._resolve_n_features(X.shape[1])
        with reporting(self):
            self.scores_, self.order_ = self._rank(X, y)
        self.ranking_ = np.empty(X.shape[1], dtype=np.intp)
        self.ranking_[self.order_] = np.arange(1, X.shape[1] + 1)
        return self

    def _rank(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Scores and order; methods whose order is not that of the scores have their own."""
        scores = to_host(self._score(X, y)).astype(np.float64, copy=False)
        return scores, rank_features(scores, constant_features(X), self._direction)

    @property
    def _direction(self) -> str:
        return self.method.direction

    def _default_graph(self, X: Any, y: Any = None) -> GraphBuilder:
        """Return the builder to use when the parameter ``graph`` is None."""
        raise NotImplementedError(f"{type(self).__name__} has no default graph")

    def _graph_builder(self, X: Any, y: Any = None) -> Any:
        """Return the parameter ``graph``, or the default builder if it is None."""
        graph = getattr(self, "graph", None)
        return self._default_graph(X, y) if graph is None else graph

    def _build_graph(self, X: Any, y: Any = None) -> Graph:
        """Build the graph over the samples of X."""
        return as_graph(self._graph_builder(X, y), X, y)

    def _resolve_n_features(self, n_features: int) -> int:
        wanted: Any = self.n_features_to_select
        if wanted is None:
            return max(1, n_features // 2)
        if not isinstance(wanted, Integral):
            return max(1, int(n_features * wanted))
        wanted = int(wanted)
        if wanted > n_features:
            raise ValueError(f"n_features_to_select={wanted} but X has only {n_features} features: lower it.")
        return wanted

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, Any]:
        if is_tensor(X):
            if "array_api" not in self.method.inputs:
                raise ValueError(f"{type(self).__name__} takes NumPy arrays: pass X.cpu().numpy().")
            X = as_matrix(X)
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
            y = None if y is None else to_host(y)
            if y is None and self._needs_labels():
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
            if y is not None:
                y = column_or_1d(y)
                check_consistent_length(X, y)
            return X, y
        options: dict[str, Any] = {
            "accept_sparse": ["csr", "csc"] if "sparse" in self.method.inputs else False,
            "dtype": FLOATS,
            "ensure_min_samples": 2,
            "ensure_all_finite": False,
        }
        X = check_sparse(X)
        if self.method.supervised == "no":
            y = None
        if y is None:
            X = validate_data(self, X, y=None if self._needs_labels() else "no_validation", **options)
        else:
            X, y = validate_data(self, X, y, multi_output=False, **options)
        self._check_finite(X)
        return canonicalize(X), y

    def _check_finite(self, X: Any) -> None:
        values = X.data if sp.issparse(X) else X
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(values.sum()) or np.isfinite(values).all():
                return
        where = (
            X.tocoo().col[~np.isfinite(X.tocoo().data)] if sp.issparse(X) else np.nonzero(~np.isfinite(X))[1]
        )
        columns = np.unique(where)
        names = getattr(self, "feature_names_in_", None)
        first = f"column {columns[0]}" + (f" ({names[columns[0]]!r})" if names is not None else "")
        more = f" and {columns.size - 1} more" if columns.size > 1 else ""
        what = "NaN" if np.isnan(values).any() else "infinity"
        raise ValueError(
            f"Input X contains {what} in {first}{more}: impute the values (sklearn.impute.SimpleImputer) "
            "or drop the columns."
        )

    def transform(self, X: Any) -> Any:
        """Keep the chosen features of X, in their original order.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features)

        Returns
        -------
        matrix of shape (n_samples, n_features_)
        """
        if not is_tensor(X):
            return super().transform(check_sparse(X))
        check_is_fitted(self)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            name = type(self).__name__
            raise ValueError(
                f"X has shape {tuple(X.shape)}, but {name} was fitted with {self.n_features_in_} features."
            )
        xp = namespace(X)
        kept = xp.asarray(self.get_support(indices=True), device=X.device)
        return xp.take(X, kept, axis=1)

    def inverse_transform(self, X: Any) -> Any:
        """Put the chosen features back in their places, with zeros for the others.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features_)

        Returns
        -------
        matrix of shape (n_samples, n_features)
        """
        return super().inverse_transform(check_sparse(X))

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.ranking_ <= self.n_features_

    def _needs_labels(self) -> bool:
        # a builder's class, passed by mistake instead of an instance, has a property here, not a bool
        graph_needs_labels = getattr(getattr(self, "graph", None), "requires_y", False) is True
        return self.method.supervised == "yes" or graph_needs_labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = "sparse" in self.method.inputs
        tags.target_tags.required = self._needs_labels()
        return tags


def rank_features(scores: np.ndarray, constant: np.ndarray, direction: str) -> np.ndarray:
    """Feature indices, best first: constant ones last, ties by index.

    Scores that differ by rounding alone, such as those of columns that are copies of each other or, coded
    by 0 and 1, opposites, are ties.
    """
    values = round_to_bits(np.asarray(scores, dtype=np.float64))
    return np.lexsort((-values if direction == "larger" else values, constant))


def constant_features(X: Any) -> np.ndarray:
    """Which columns of X hold a single value."""
    if sp.issparse(X):
        top, bottom = X.max(axis=0), X.min(axis=0)
        return top.toarray().ravel() == bottom.toarray().ravel()
    xp = namespace(X)
    return to_host(
        map_columns(lambda B: xp.all(B[:1, :] == B, axis=0), X, name="constant features", temporaries=2)
    )
