from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.engines.progress import track
from featsieve.graphs import ClassGraph, Graph, RBFGraph
from featsieve.graphs.graph import GraphLike, as_graph
from featsieve.graphs.labels import class_indicator
from featsieve.graphs.spectrum import leading_eigenpairs
from featsieve.registry import Input, method
from featsieve.scores.energy import center, column_sums
from featsieve.selectors import GRAPH, Ranker
from featsieve.solvers.group_lasso import group_lasso_path
from featsieve.types import Array, MatrixLike, NFeatures

# Share of the sum of positive eigenvalues that the factor of the similarity explains.
_EXPLAINED = 0.99
# Gains that differ by less than this, relative to the largest energy, are ties.
_TIE_RTOL = 1e-12


def spfs_forward_score(X: MatrixLike, similarity: GraphLike, n_features: int) -> Array:
    r"""Compute the gain of each feature in a greedy search for features that reproduce a similarity.

    .. math:: J(S) = |\sum_{r \in S} f_r f_r' - W|_F^2, \quad
              s_j = J(S) - J(S \cup j) = 2 (f_j' W f_j - \sum_{r \in S} (f_j' f_r)^2) - 1

    f_r are the features, centered and scaled to length 1. W is the similarity of the samples. The search
    adds the feature with the largest s_j to S, one at a time.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Data.
    similarity : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Symmetric similarity W. ``RBFGraph()`` is unsupervised, ``ClassGraph().build(X, y)`` supervised.
        Negative entries are allowed.
    n_features : int
        Number of features to choose.

    Returns
    -------
    array of shape (n_features,)
        Larger is better. A chosen feature scores the decrease of J when it is added; any other feature, the
        decrease of J if it were added next. s_j never increases during the search, so the chosen features
        have the largest scores, in the order of choice. A constant feature scores minus infinity.

    Notes
    -----
    The scale of W matters. For a large multiple of W only f'Wf counts; for a small one, only how different
    the features are. The nonzero eigenvalues of a class graph are 1, like that of a single f f'. Those of
    ``RBFGraph()`` grow with the number of samples; ``W * (n_features / np.trace(W))`` makes the traces of
    both sides equal. Centering W changes nothing, because the features are centered.

    The greedy search is exact and costs O(nnz(W) d + n d m) for m features, without the residual matrix.

    References
    ----------
    Zhao, Wang, Liu & Ye, IEEE TKDE 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph
    >>> from featsieve.subsets import spfs_forward_score
    >>> X, y = load_iris(return_X_y=True)
    >>> spfs_forward_score(X, ClassGraph().build(X, y), 2).round(2)
    array([-1.31, -0.57,  0.88, -1.26])
    """
    F, graph = _prepare(X, similarity)
    xp, weights = namespace(F), to_device_of(graph.weights, F)
    varies = xp.any(F != 0, axis=0)
    energy = map_columns(lambda B: column_sums(B * (weights @ B)), F, name="similarity", temporaries=4)
    gains = xp.where(varies, 2 * energy - 1, -xp.inf)
    tie = _TIE_RTOL * max(1.0, float(xp.max(xp.abs(energy))))
    scores, last_gain = xp.asarray(gains, copy=True), float("inf")
    n_chosen = min(n_features, int(xp.count_nonzero(varies)))
    for _ in track(range(n_chosen), n_chosen, "features chosen"):
        is_best = gains >= xp.max(gains) - tie
        chosen = int(xp.argmax(xp.astype(is_best, xp.int8)))  # the first of ties
        last_gain = min(last_gain, float(gains[chosen]))
        gains -= 2 * (F[:, chosen] @ F) ** 2
        scores = xp.where(gains == -xp.inf, scores, gains)
        gains[chosen] = -xp.inf
        scores[chosen] = last_gain
    return scores


def spfs_l21_score(X: MatrixLike, similarity: GraphLike, n_features: int) -> NDArray[np.float64]:
    r"""Compute the coefficient norm of each feature in a row-sparse regression on a similarity.

    .. math:: \min_B |Y - F B|_F^2 / 2 + \alpha \sum_j |b_j|, \quad Y Y' \approx H W H

    F contains the features, centered and scaled to length 1, and b_j is the row of B for feature j. H W H is
    the similarity, centered on both sides. Y has one column u sqrt(lambda) for each leading eigenpair of
    H W H. alpha is the largest penalty tried for which ``n_features`` rows are nonzero.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Data.
    similarity : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Symmetric similarity W, as in :func:`spfs_forward_score`. Its scale does not affect the order.
    n_features : int
        Number of nonzero rows.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger is better. A feature with a nonzero row scores \|b_j\|. Any other feature scores
        \|f_j'(Y - F B)\| / alpha - 1, between -1 and 0, which reaches 0 when the row is about to become
        nonzero. A constant feature scores -1.

    Notes
    -----
    Y has at most ``n_features`` columns, because m features span at most m dimensions: those with 99% of the
    sum of the eigenvalues, or all C - 1 of a class graph. The result does not depend on a rotation of Y.

    The path starts at the smallest alpha with B = 0 and multiplies it by 0.8 until ``n_features`` rows are
    nonzero, then bisects. It ends at a thousandth of the first alpha, possibly with fewer rows. Each point
    is solved to a duality gap of 1e-8 by the coordinate descent of scikit-learn.

    References
    ----------
    Zhao, Wang, Liu & Ye, IEEE TKDE 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ClassGraph
    >>> from featsieve.subsets import spfs_l21_score
    >>> X, y = load_iris(return_X_y=True)
    >>> spfs_l21_score(X, ClassGraph().build(X, y), 2).round(2)
    array([-0.2 , -0.27,  0.17,  0.02])
    """
    F, graph = _prepare(X, similarity)
    if not F.any():
        return np.full(F.shape[1], -1.0)
    Y = _factor_similarity(graph, n_features)
    first_penalty = np.linalg.norm(F.T @ Y, axis=1).max()
    if first_penalty == 0:
        raise ValueError("`similarity` must be correlated with at least one feature. Pass another one.")
    penalty, coefficients = group_lasso_path(F, Y, first_penalty, n_features)
    margins = np.linalg.norm(F.T @ (Y - F @ coefficients), axis=1) / penalty - 1
    norms = np.linalg.norm(coefficients, axis=1)
    return np.where(norms > 0, norms, np.minimum(margins, 0.0))


def _prepare(X: MatrixLike, similarity: GraphLike) -> tuple[Array, Graph]:
    """Return the features, centered and scaled to length 1 (zeros if constant), and the graph."""
    X = as_matrix(X)
    graph = _as_similarity(similarity, X)
    xp = namespace(X)
    F = xp.astype(X, xp.float64, copy=True)
    center(F)
    # scale by the largest entry first, so that squares do not overflow
    for order in (float("inf"), 2):
        norms = xp.linalg.vector_norm(F, ord=order, axis=0)
        F /= xp.where(norms > 0, norms, 1.0)
    return F, graph


def _as_similarity(similarity: GraphLike, X: MatrixLike, y: ArrayLike | None = None) -> Graph:
    try:
        return as_graph(similarity, X, y, symmetric=True, signed=True)
    except ValueError as error:
        raise ValueError(str(error).replace("`graph`", "`similarity`")) from error


def _factor_similarity(graph: Graph, max_rank: int) -> NDArray[np.float64]:
    """Return Y with Y Y' close to H W H: leading eigenvectors times the roots of their eigenvalues."""
    n = graph.n_samples
    if graph.classes is not None:
        sizes = np.bincount(graph.classes)
        contrasts = scipy.linalg.null_space(np.sqrt(sizes)[None])
        return class_indicator(graph.classes, sizes.size) @ (contrasts / np.sqrt(sizes)[:, None])

    def multiply(v: NDArray[np.float64]) -> NDArray[np.float64]:
        v = v.reshape(n, -1)
        v = graph.weights @ (v - v.mean(axis=0))
        return v - v.mean(axis=0)

    values, vectors = leading_eigenpairs(multiply, n, min(max_rank, n - 1))
    # the scale of W: its largest eigenvalues may all be negative and so not be among ``values``
    probe = np.random.default_rng(0).standard_normal(n)
    scale = np.linalg.norm(graph.weights @ probe) / np.linalg.norm(probe)
    positive = np.where(values > max(1e-12 * scale, 1e-9 * np.abs(values).max()), values, 0.0)
    if not positive.any():
        raise ValueError(
            "`similarity` must have a positive eigenvalue after centering; got none. Constant matrices and "
            "distances are not similarities."
        )
    smallest = positive[np.searchsorted(np.cumsum(positive), _EXPLAINED * positive.sum())]
    leading = positive >= smallest * (1 - 1e-9)  # includes eigenvalues equal to the smallest
    return vectors[:, leading] * np.sqrt(positive[leading])


@method(
    "spfs",
    family="subset",
    supervised="optional",
    direction="larger",
    inputs=("array_api",),
    scale_invariant_with_labels=True,
    reference="Zhao, Wang, Liu & Ye, IEEE TKDE 2013; Feng, Chen & Xu, 2013, eq. 3",
)
class SPFS(Ranker, BaseEstimator):
    """Similarity-preserving feature selection: choose features that together reproduce a similarity.

    Parameters
    ----------
    similarity : builder, Graph or {ndarray, sparse matrix}, default=None
        Symmetric similarity of the samples. None means ``ClassGraph()`` if labels are passed, else
        ``RBFGraph()``. If it is passed, y is used only by its builder.
    search : {"forward", "l21"}, default="forward"
        Greedy search for one feature at a time, or a row-sparse regression for all features together.

    See Also
    --------
    spfs_forward_score : Equations of the greedy search.
    spfs_l21_score : Equations of the regression.
    featsieve.MCFS : Regressions on the eigenvectors of a graph, one at a time.

    References
    ----------
    Zhao, Wang, Liu & Ye, IEEE TKDE 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import SPFS
    >>> X, y = load_iris(return_X_y=True)
    >>> SPFS(n_features_to_select=2).fit(X, y).order_
    array([2, 1, 3, 0])
    >>> SPFS(search="l21", n_features_to_select=2).fit(X, y).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "similarity": GRAPH,
        "search": [StrOptions({"forward", "l21"})],
    }

    def __init__(
        self,
        *,
        similarity: GraphLike | None = None,
        search: str = "forward",
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.similarity = similarity
        self.search = search
        self.n_features_to_select = n_features_to_select

    @property
    def _inputs(self) -> frozenset[Input]:
        return self.method.inputs - {"array_api"} if self.search == "l21" else self.method.inputs

    def _score(self, X: MatrixLike, y: ArrayLike | None) -> Array:
        X = as_matrix(X)
        default = RBFGraph() if y is None else ClassGraph()
        graph = _as_similarity(default if self.similarity is None else self.similarity, X, y)
        score = spfs_forward_score if self.search == "forward" else spfs_l21_score
        return score(X, graph, self._resolve_n_features(X.shape[1]))
