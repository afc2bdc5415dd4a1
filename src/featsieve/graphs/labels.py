"""Graphs from labels or from pairs of samples."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from featsieve.graphs.graph import Graph, Product
from featsieve.types import MatrixLike


class ClassGraph(BaseEstimator):
    """Builder of the graph that connects the samples of each class.

    .. math:: w_{ij} = 1 / n_c

    if i and j are both in class c (including i = j), else 0. All degrees are 1. The graph stores the
    weights as a product of two sparse factors, not as n_c^2 numbers per class.

    Attributes
    ----------
    requires_y : bool
        Whether ``build`` needs labels: True.

    See Also
    --------
    ConstraintGraph : Connect pairs of samples that must, or cannot, be in the same class.
    KNNGraph : Connect nearest neighbors, without labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph
    >>> ClassGraph().build(*load_iris(return_X_y=True))
    Graph: 150 samples, 3 classes of 50 to 50, degree 1 to 1
    """

    requires_y = True

    def build(self, X: MatrixLike, y: ArrayLike | None = None) -> Graph:
        """Build the graph over the samples of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
            Samples; only their number is used.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        Graph
            The graph, with its classes.
        """
        if y is None:
            raise ValueError("y must be given for ClassGraph; got None. Use KNNGraph() without labels.")
        codes, counts = check_labels(y, X)
        members = class_indicator(codes, counts.size)
        weights = Product(members, sp.csr_array((members / counts).T))
        kind = f"{counts.size} classes of {counts.min()} to {counts.max()}"
        return Graph(weights, classes=codes, kind=kind)


class ConstraintGraph(BaseEstimator):
    """Builder of the must-link or cannot-link graph: weight 1 between the samples of each pair.

    Parameters
    ----------
    link : {"must", "cannot"}, default="must"
        Which pairs to derive from y: pairs of the same class, or pairs of different classes. The label -1,
        as a number or as text, marks samples without a label.
    pairs : array-like of shape (n_pairs, 2), default=None
        Pairs of row indices. If given, y is ignored.

    Attributes
    ----------
    requires_y : bool
        Whether ``build`` needs labels: True unless ``pairs`` is given.

    See Also
    --------
    ClassGraph : Connect all samples of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve import ConstraintGraph
    >>> ConstraintGraph("must", pairs=[(0, 1), (1, 2)]).build(np.zeros((4, 2)))
    Graph: 4 samples, 2 edges, must-link pairs, degree 0 to 2, 2 components
    """

    _parameter_constraints: dict[str, Any] = {
        "link": [StrOptions({"must", "cannot"})],
        "pairs": ["array-like", None],
    }

    def __init__(self, link: Literal["must", "cannot"] = "must", *, pairs: ArrayLike | None = None) -> None:
        self.link = link
        self.pairs = pairs

    @property
    def requires_y(self) -> bool:
        """Whether ``build`` needs labels: True unless ``pairs`` is given."""
        return self.pairs is None

    def build(self, X: MatrixLike, y: ArrayLike | None = None) -> Graph:
        """Build the graph over the samples of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
            Samples; only their number is used.
        y : array-like of shape (n_samples,), default=None
            Class labels, -1 for samples without a label. Required unless ``pairs`` is given.

        Returns
        -------
        Graph
            The graph.
        """
        self._validate_params()
        n_samples: int = np.shape(X)[0]
        if self.pairs is not None:
            weights: Any = _pair_weights(self.pairs, n_samples, f"{self.link}_link")
        elif y is None:
            raise ValueError("y or `pairs` must be given for ConstraintGraph; got neither. Pass one of them.")
        else:
            labels = column_or_1d(y)
            check_consistent_length(X, labels)
            weights = self._label_weights(labels)
        return Graph(weights, kind=f"{self.link}-link pairs")

    def _label_weights(self, y: np.ndarray) -> Product:
        labeled = is_labeled(y)
        rows = np.flatnonzero(labeled)
        codes, counts = encode_labels(y[rows])
        members = sp.csr_array((np.ones(rows.size), (rows, codes)), shape=(y.size, counts.size))
        advice = "Label more samples."
        if not labeled.all():
            advice += " -1 means 'no label': if it is a class here, recode it, for example as 0."
        if self.link == "must":
            if counts.max(initial=0) < 2:
                raise ValueError(
                    f"y must contain a must-link pair (two labeled samples of one class); got none. {advice}"
                )
            identity = sp.diags_array(labeled.astype(float), format="csr")
            left, right = [members, -identity], [members, identity]  # without self-loops
        else:
            if counts.size < 2:
                raise ValueError(
                    "y must contain a cannot-link pair (labeled samples of two classes); "
                    f"got {'one class' if counts.size else 'no labels'}. {advice}"
                )
            ones = sp.csr_array(members.sum(axis=1)[:, None])
            left, right = [ones, -members], [ones, members]
        return Product(sp.hstack(left, format="csr"), sp.hstack(right).T.tocsr())


def is_labeled(y: ArrayLike) -> NDArray[np.bool_]:
    """Return which samples have a label: -1, as a number or as text, means that a sample has none.

    This is the convention of scikit-learn's semi-supervised estimators. It applies to the methods that accept
    partial labels, :class:`ConstraintGraph` and :class:`featsieve.ConstraintScore`. For all other methods
    -1 is a class.
    """
    labels = np.asarray(y)
    if labels.dtype.kind in "US":
        return labels.astype(str) != "-1"
    labeled = labels != -1
    return labeled & (labels != "-1") if labels.dtype.kind == "O" else labeled


def check_labels(y: ArrayLike, X: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Encode the labels y of X as :func:`encode_labels`; ValueError if there are fewer than two classes."""
    codes, counts = encode_labels(y)
    check_consistent_length(X, codes)
    if counts.size < 2:
        raise ValueError(
            "y must contain at least two classes; got one class. Check the target column, or omit y."
        )
    return codes, counts


def encode_labels(y: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Encode labels as class indices; return the indices and the number of samples of each class."""
    labels = column_or_1d(y)
    try:
        check_classification_targets(labels)
        _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    except (TypeError, ValueError) as error:
        types = sorted({type(label).__name__ for label in labels})
        if labels.dtype.kind == "O" and len(types) > 1:
            raise ValueError(
                f"y must contain labels of one type; got {', '.join(types)}. "
                "Convert the labels to one type and drop samples with missing labels."
            ) from error
        raise
    return codes, counts


def class_indicator(codes: NDArray[np.intp], n_classes: int) -> sp.csr_array:
    """Build the indicator matrix of shape (n_samples, n_classes): 1 where a sample is in a class."""
    rows = np.arange(codes.size)
    return sp.csr_array((np.ones(codes.size), (rows, codes)), shape=(codes.size, n_classes))


def _pair_weights(pairs: ArrayLike, n_samples: int, name: str) -> sp.csr_array:
    rows = np.asarray(pairs)
    if rows.ndim != 2 or rows.shape[1] != 2 or not np.issubdtype(rows.dtype, np.integer) or not len(rows):
        raise ValueError(
            f"`{name}` must be a list of pairs of row indices such as [(0, 3), (2, 5)]; got {rows!r:.80}."
        )
    invalid = rows[(rows < 0) | (rows >= n_samples)]
    if invalid.size:
        raise ValueError(f"`{name}` must contain row indices from 0 to {n_samples - 1}; got {invalid[0]}.")
    if np.any(rows[:, 0] == rows[:, 1]):
        raise ValueError(f"`{name}` must pair different samples; got a sample paired with itself. Remove it.")
    entries = (np.ones(len(rows)), (rows[:, 0], rows[:, 1]))
    weights = sp.coo_array(entries, shape=(n_samples, n_samples)).tocsr()
    weights = sp.csr_array(weights + weights.T)
    weights.data[:] = 1.0
    return weights
