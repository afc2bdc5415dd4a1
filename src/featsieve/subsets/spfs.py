from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import BaseEstimator
from sklearn.linear_model import MultiTaskLasso
from sklearn.utils._param_validation import StrOptions

from featsieve.engines.arrays import as_matrix
from featsieve.engines.blocks import map_columns
from featsieve.engines.progress import track
from featsieve.graphs import ClassGraph, RBFGraph
from featsieve.graphs.graph import Graph, as_graph
from featsieve.graphs.labels import class_indicator
from featsieve.graphs.spectrum import leading_eigenpairs
from featsieve.registry import method
from featsieve.scores.energy import center, column_sums
from featsieve.selectors import GRAPH, N_FEATURES, Ranker

# Each penalty of the path is this share of the one before, down to the last share of the first.
_SHRINK, _LAST = 0.8, 1e-3
# The duality gap at which a point of the path is solved, as a share of |Y|^2.
_GAP = 1e-8


def spfs_forward_score(X: Any, similarity: Any, n_features: int) -> Any:
    r"""How much nearer each feature, when its turn comes, brings the chosen ones to the similarity.

    .. math:: J(S) = |\sum_{r \in S} f_r f_r' - W|_F^2, \quad
              s_j = J(S) - J(S \cup j) = 2 (f_j' W f_j - \sum_{r \in S} (f_j' f_r)^2) - 1

    f_r are the features, centerd and scaled to length 1, and W holds the similarities. Features are chosen
    one after the other, each the one with the largest s_j.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    similarity : Graph, builder, or symmetric matrix of weights
        W. ``RBFGraph()`` is an unsupervised one, ``ClassGraph().build(X, y)`` the supervised one. A kernel
        with negative entries is given as ``Graph(kernel)``.
    n_features : int
        How many features to choose.

    Returns
    -------
    ndarray of shape (n_features,)
        For a chosen feature, the decrease of J at its turn; for the others, the decrease that they would
        bring as the next one. Larger is better: s_j never grows while others are chosen, so that the chosen
        ones have the largest scores, in the order of choice. A constant feature gets minus infinity.

    Notes
    -----
    W is used as given, and its scale matters: multiplied by a large number, only f'Wf counts; by a small one,
    only that the features differ. The eigenvalues of a class graph are 1, as those of one feature's f f'.
    Those of ``RBFGraph()`` grow with the samples; ``W * (n_features / np.trace(W))`` would make the traces
    of both sides equal. Whether W is centerd is all the same here, because the features are.

    Exact greedy search: O(nnz(W) d + n d m) for m features, without the residual matrix.

    References
    ----------
    Zhao, Wang, Liu & Ye, IEEE TKDE 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph
    >>> from featsieve.subsets.spfs import spfs_forward_score
    >>> X, y = load_iris(return_X_y=True)
    >>> spfs_forward_score(X, ClassGraph().build(X, y), 2).round(2)
    array([-1.31, -0.57,  0.88, -1.26])
    """
    F, graph = _prepare(X, similarity)
    constant = ~F.any(axis=0)
    energy = map_columns(lambda B: column_sums(B * (graph.weights @ B)), F, name="similarity", temporaries=4)
    gain = np.where(constant, -np.inf, 2 * energy - 1)
    tie = 1e-12 * max(1.0, np.abs(energy).max())
    scores, last = gain.copy(), np.inf
    count = min(n_features, int((~constant).sum()))
    for _ in track(range(count), count, "features chosen"):
        # of equals, the first
        chosen = int(np.argmax(gain >= gain.max() - tie))
        last = min(last, gain[chosen])
        gain -= 2 * (F[:, chosen] @ F) ** 2
        scores = np.where(np.isneginf(gain), scores, gain)
        gain[chosen] = -np.inf
        scores[chosen] = last
    return scores


def spfs_l21_score(X: Any, similarity: Any, n_features: int) -> Any:
    r"""Length of each feature's row in a regression that keeps few rows.

    .. math:: \min_B |Y - F B|_F^2 / 2 + \alpha \sum_j |b_j|, \quad Y Y' \approx H W H

    F holds the features, centerd and scaled to length 1, b_j is the row of B for feature j, and H W H is the
    similarity, centerd on both sides: the part that centerd features can represent. Y has a column
    u sqrt(lambda) for each leading eigenpair of it. alpha is the largest, of those tried, for which
    ``n_features`` rows are not zero.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    similarity : Graph, builder, or symmetric matrix of weights
        W, as for :func:`spfs_forward_score`. Its scale does not matter for the order.
    n_features : int
        How many rows to keep.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better. For the features with a nonzero row, \|b_j\|; for the others
        \|f_j'(Y - F B)\| / alpha - 1, which is from -1 to 0 and tells how near the feature is to having one.
        A constant feature gets -1.

    Notes
    -----
    As many eigenpairs as features are to be kept (m features span no more dimensions), of which those with
    99% of the sum of eigenvalues are used; all C - 1 of a class graph. The result is the same for any
    rotation of Y.

    The path shrinks alpha by 0.8 from the smallest that gives B = 0, and bisects where the number of rows
    passes ``n_features``; it ends at a thousandth of the first alpha, with fewer rows if need be. Each point
    is solved to a duality gap of 1e-8 by scikit-learn's coordinate descent.

    References
    ----------
    Zhao, Wang, Liu & Ye, IEEE TKDE 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph
    >>> from featsieve.subsets.spfs import spfs_l21_score
    >>> X, y = load_iris(return_X_y=True)
    >>> spfs_l21_score(X, ClassGraph().build(X, y), 2).round(2)
    array([-0.2 , -0.27,  0.17,  0.02])
    """
    F, graph = _prepare(X, similarity)
    if not F.any():
        return np.full(F.shape[1], -1.0)
    Y = _factor(graph, n_features)
    top = np.linalg.norm(F.T @ Y, axis=1).max()
    if top == 0:
        raise ValueError("similarity has nothing in common with any feature: give another one.")
    alpha, rows = _path(F, Y, top, n_features)
    near = np.linalg.norm(F.T @ (Y - F @ rows), axis=1) / alpha - 1
    length = np.linalg.norm(rows, axis=1)
    return np.where(length > 0, length, np.minimum(near, 0.0))


def _prepare(X: Any, similarity: Any) -> tuple[np.ndarray, Graph]:
    """The features, centerd and scaled to length 1 (a constant one is zero), and the graph."""
    X = as_matrix(X)
    graph = _as_similarity(similarity, X)
    F = np.array(X, dtype=np.float64)
    center(F)
    # by the largest entry first, because its square may be more than a float holds
    for order in (np.inf, 2):
        size = np.linalg.norm(F, ord=order, axis=0)
        F /= np.where(size > 0, size, 1.0)
    return F, graph


def _as_similarity(similarity: Any, X: Any, y: Any = None) -> Graph:
    try:
        return as_graph(similarity, X, y, symmetric=True, signed=True)
    except ValueError as error:
        raise ValueError(f"similarity: {error}") from error


def _factor(graph: Graph, count: int) -> np.ndarray:
    """Y with Y Y' near H W H: its leading eigenvectors, each times the root of its eigenvalue."""
    n = graph.n_samples
    if graph.classes is not None:
        size = np.bincount(graph.classes)
        contrasts = scipy.linalg.null_space(np.sqrt(size)[None])
        return class_indicator(graph.classes, size.size) @ (contrasts / np.sqrt(size)[:, None])

    def multiply(v: np.ndarray) -> np.ndarray:
        v = v.reshape(n, -1)
        v = graph.weights @ (v - v.mean(axis=0))
        return v - v.mean(axis=0)

    values, vectors = leading_eigenpairs(multiply, n, min(count, n - 1))
    # the negative ones are not among these, but W may be large where it has no positive ones
    probe = np.random.default_rng(0).standard_normal(n)
    norm = np.linalg.norm(graph.weights @ probe) / np.linalg.norm(probe)
    positive = np.where(values > max(1e-12 * norm, 1e-9 * np.abs(values).max()), values, 0.0)
    if not positive.any():
        raise ValueError(
            "similarity has no positive eigenvalue once centerd: all samples are alike to it, or it is a "
            "distance. Give another one."
        )
    enough = positive[np.searchsorted(np.cumsum(positive), 0.99 * positive.sum())]
    kept = positive >= enough * (1 - 1e-9)
    return vectors[:, kept] * np.sqrt(positive[kept])


def _path(F: np.ndarray, Y: np.ndarray, top: float, wanted: int) -> tuple[float, np.ndarray]:
    """The largest penalty tried that gives at least ``wanted`` rows, and those rows."""
    above, alpha, rows = top, top, np.zeros((F.shape[1], Y.shape[1]))
    count = int(np.ceil(np.log(_LAST) / np.log(_SHRINK)))
    for step in track(range(1, count + 1), count, "penalties"):
        above, alpha = alpha, top * _SHRINK**step
        rows = _rows(F, Y, alpha, rows)
        if rows.any(axis=1).sum() >= wanted:
            break
    for _ in range(12):
        if rows.any(axis=1).sum() <= wanted:
            break
        between = np.sqrt(above * alpha)
        fewer = _rows(F, Y, between, rows)
        if fewer.any(axis=1).sum() >= wanted:
            alpha, rows = between, fewer
        else:
            above = between
    return alpha, rows


def _rows(F: np.ndarray, Y: np.ndarray, alpha: float, start: np.ndarray) -> np.ndarray:
    """The minimum at one penalty: solved for some features, which grow until none is missing."""
    rows, some = start, np.asarray(start.any(axis=1))
    while True:
        pull = F.T @ (Y - F[:, some] @ rows[some])
        size = np.linalg.norm(pull, axis=1)
        missing = np.flatnonzero(~some & (size > alpha * (1 + 1e-6)))
        if not missing.size and rows is not start:
            return rows
        # the worst first: few of those missing now are missed in the end
        some[missing[np.argsort(-size[missing], kind="stable")][: 10 + int(some.sum())]] = True
        part, target = _reduced(F[:, some], Y)
        # scikit-learn divides the squared error by the number of samples
        solver = MultiTaskLasso(
            alpha=alpha / len(part), fit_intercept=False, tol=_GAP, max_iter=100_000, warm_start=True
        )
        solver.coef_ = np.asfortranarray(rows[some].T)
        solver.fit(part, target)
        rows = np.zeros_like(start)
        rows[some] = solver.coef_.T


def _reduced(F: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fewer samples with the same products F'F and F'Y, which are all that a regression on F sees."""
    values, vectors = np.linalg.eigh(F.T @ F)
    kept = values > 1e-14 * values[-1]
    root = np.sqrt(values[kept])[:, None]
    return np.asfortranarray(root * vectors[:, kept].T), (vectors[:, kept].T @ (F.T @ Y)) / root


@method(
    "spfs",
    family="subset",
    supervised="optional",
    direction="larger",
    reference="Zhao, Wang, Liu & Ye, IEEE TKDE 2013; Feng, Chen & Xu, 2013, eq. 3",
)
class SPFS(Ranker, BaseEstimator):
    """Features that together give the samples the similarities they should have.

    Parameters
    ----------
    similarity : builder, Graph or matrix of weights, default=None
        None for ``RBFGraph()`` without labels and ``ClassGraph()`` with them. With a similarity given, y is
        used by its builder only.
    search : {"forward", "l21"}, default="forward"
        One feature after the other, or all in one regression that keeps few of them.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.subsets.spfs.spfs_forward_score : The equations of the forward search.
    featsieve.subsets.spfs.spfs_l21_score : The equations of the regression.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.subsets.spfs import SPFS
    >>> X, y = load_iris(return_X_y=True)
    >>> SPFS(n_features_to_select=2).fit(X, y).order_
    array([2, 1, 3, 0])
    >>> SPFS(search="l21", n_features_to_select=2).fit(X, y).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict = {
        "similarity": GRAPH,
        "search": [StrOptions({"forward", "l21"})],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self, *, similarity: Any = None, search: str = "forward", n_features_to_select: Any = None
    ) -> None:
        self.similarity = similarity
        self.search = search
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        default = RBFGraph() if y is None else ClassGraph()
        graph = _as_similarity(default if self.similarity is None else self.similarity, X, y)
        score = spfs_forward_score if self.search == "forward" else spfs_l21_score
        return score(X, graph, self._resolve_n_features(X.shape[1]))
