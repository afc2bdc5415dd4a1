"""Graphs that come from labels or from pairs given by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from featsieve.graphs.graph import Graph, Product


class ClassGraph(BaseEstimator):
    """Builder of the graph that joins the samples of each class.

    .. math:: w_{ij} = 1 / n_c  if i and j are both of class c (i = j included), else 0

    Every degree is 1. The n_c^2 weights of a class are never written out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph
    >>> ClassGraph().build(*load_iris(return_X_y=True))
    Graph: 150 samples, 3 classes of 50 to 50, degree 1 to 1
    """

    @property
    def requires_y(self) -> bool:
        """Whether :meth:`build` needs labels: True."""
        return True

    def build(self, X: Any, y: Any = None) -> Graph:
        """Build the graph over the samples of X from their labels y."""
        if y is None:
            raise ValueError("ClassGraph needs labels: pass y, or use KNNGraph() to do without.")
        codes, counts = check_labels(y, X)
        members = class_indicator(codes, counts.size)
        weights = Product(members, sp.csr_array((members / counts).T))
        kind = f"{counts.size} classes of {counts.min()} to {counts.max()}"
        return Graph(weights, classes=codes, kind=kind)


class ConstraintGraph(BaseEstimator):
    """Builder of the must-link or the cannot-link graph: weight 1 between the two samples of each pair.

    Parameters
    ----------
    link : {"must", "cannot"}, default="must"
        Which pairs to take from y: same class, or different classes. A label of -1, as a number or as text,
        means that the sample has no label; see :func:`is_labeled`.
    pairs : array-like of shape (n_pairs, 2), default=None
        Pairs of row numbers, instead of those that follow from y.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve import ConstraintGraph
    >>> ConstraintGraph("must", pairs=[(0, 1), (1, 2)]).build(np.zeros((4, 2)))
    Graph: 4 samples, 2 edges, must-link pairs, degree 0 to 2, 2 components
    """

    _parameter_constraints: dict = {
        "link": [StrOptions({"must", "cannot"})],
        "pairs": ["array-like", None],
    }

    def __init__(self, link: str = "must", *, pairs: Any = None) -> None:
        self.link = link
        self.pairs = pairs

    @property
    def requires_y(self) -> bool:
        """Whether :meth:`build` needs labels: True unless ``pairs`` are given."""
        return self.pairs is None

    def build(self, X: Any, y: Any = None) -> Graph:
        """Build the graph over the samples of X, from the pairs or else from y."""
        self._validate_params()
        kind = f"{self.link}-link pairs"
        n_samples = X.shape[0]
        if self.pairs is not None:
            return Graph(_pair_weights(self.pairs, n_samples, f"{self.link}_link"), kind=kind)
        if y is None:
            raise ValueError("ConstraintGraph needs pairs, or labels in y with -1 for samples without one.")
        y = column_or_1d(y)
        check_consistent_length(X, y)
        known = is_labeled(y)
        labeled = np.flatnonzero(known)
        codes, counts = encode_labels(y[labeled])
        members = sp.csr_array((np.ones(labeled.size), (labeled, codes)), shape=(n_samples, counts.size))
        rule = " -1 means 'no label': if it is a class here, recode it, for example as 0."
        remedy = "Label more samples." + ("" if known.all() else rule)
        if self.link == "must":
            if counts.max(initial=0) < 2:
                raise ValueError(
                    f"y must give a must-link pair: two labeled samples of one class; got none. {remedy}"
                )
            alone = sp.diags_array(known.astype(float), format="csr")  # no self loops
            left = sp.hstack([members, -alone], format="csr")
            return Graph(Product(left, sp.hstack([members, alone]).T.tocsr()), kind=kind)
        if counts.size < 2:
            raise ValueError(
                f"y must give a cannot-link pair: labeled samples of two classes; got {counts.size}. {remedy}"
            )
        everyone = sp.csr_array(members.sum(axis=1)[:, None])
        return Graph(
            Product(sp.hstack([everyone, -members], format="csr"), sp.hstack([everyone, members]).T.tocsr()),
            kind=kind,
        )


def is_labeled(y: np.ndarray) -> np.ndarray:
    """Which samples have a label: -1, as a number or as text, means that a sample has none.

    This is the rule of scikit-learn's semi-supervised estimators. It holds for methods that take partial
    labels, :class:`ConstraintGraph` and :class:`featsieve.ConstraintScore`; for all others -1 is a class.
    """
    y = np.asarray(y)
    if y.dtype.kind in "US":
        return y.astype(str) != "-1"
    known = y != -1
    return known & (y != "-1") if y.dtype.kind == "O" else known


def check_labels(y: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Class numbers and sizes of the labels y of X; ValueError unless there are two classes or more."""
    codes, counts = encode_labels(y)
    check_consistent_length(X, codes)
    if counts.size < 2:
        raise ValueError("y must hold at least two classes, got one class: check the target, or omit y.")
    return codes, counts


def encode_labels(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Number the classes of y from 0 and count their samples."""
    y = column_or_1d(y)
    try:
        check_classification_targets(y)
        _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    except (TypeError, ValueError) as error:
        kinds = sorted({type(label).__name__ for label in y})
        if y.dtype.kind == "O" and len(kinds) > 1:
            raise ValueError(
                f"y mixes labels of different kinds ({', '.join(kinds)}): give one kind, none missing."
            ) from error
        raise
    return codes, counts


def class_indicator(codes: np.ndarray, n_classes: int) -> sp.csr_array:
    """The n_samples x n_classes matrix with a 1 where the sample is of the class."""
    rows = np.arange(codes.size)
    return sp.csr_array((np.ones(codes.size), (rows, codes)), shape=(codes.size, n_classes))


def _pair_weights(pairs: Any, n_samples: int, name: str) -> sp.csr_array:
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer) or not len(pairs):
        raise ValueError(
            f"{name} must be a list of pairs of row numbers such as [(0, 3), (2, 5)], got {pairs!r:.80}."
        )
    if pairs.min() < 0 or pairs.max() >= n_samples:
        wrong = pairs[(pairs < 0) | (pairs >= n_samples)][0]
        raise ValueError(f"{name} names row {wrong}, but X has rows 0 to {n_samples - 1}.")
    if np.any(pairs[:, 0] == pairs[:, 1]):
        raise ValueError(f"{name} pairs a sample with itself: remove such pairs.")
    weights = sp.coo_array(
        (np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n_samples, n_samples)
    ).tocsr()
    weights = sp.csr_array(weights + weights.T)
    weights.data[:] = 1.0
    return weights
