from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix, namespace, to_device_of, to_host
from featsieve.engines.blocks import map_columns
from featsieve.engines.sparse import check_sparse
from featsieve.graphs import KNNGraph
from featsieve.registry import method
from featsieve.scores.energy import center, column_sums, ratio_or_difference
from featsieve.selectors import Ranker
from featsieve.types import Array, MatrixLike, NFeatures

MatrixOrFunction: TypeAlias = MatrixLike | Callable[[Array, Array], MatrixLike]


def graph_preserving_score(
    X: MatrixLike,
    A: MatrixLike,
    B: MatrixLike,
    kind: Literal["ratio", "difference"] = "ratio",
    weight: float = 1.0,
) -> Array:
    r"""Compute the graph-preserving score of each feature.

    .. math:: \frac{f'Af}{f'Bf} \quad \text{or} \quad f'Af - \lambda f'Bf

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    A : {array-like, sparse matrix} of shape (n_samples, n_samples)
        Matrix of the numerator.
    B : {array-like, sparse matrix} of shape (n_samples, n_samples)
        Matrix of the denominator.
    kind : {"ratio", "difference"}, default="ratio"
        Which of the two equations to use.
    weight : float, default=1.0
        Weight lambda in the difference.

    Returns
    -------
    array of shape (n_features,)
        Scores; smaller is better. A feature gets infinity if f'Bf is not positive.

    Notes
    -----
    Unless A and B map constants to zero, adding a constant to a feature changes its score.

    References
    ----------
    Yao et al., IEEE TIP 2017, eq. 9 and 10, Table II.
    """
    X = as_matrix(X)
    return ratio_or_difference(_quadratic_form(X, A, "A"), _quadratic_form(X, B, "B"), kind, weight)


def _quadratic_form(X: Array, matrix: Any, name: str) -> Array:
    n, xp = X.shape[0], namespace(X)
    if sp.issparse(matrix):
        matrix = sp.csr_array(check_sparse(matrix, name).astype(np.float64))
    else:
        matrix = np.asarray(to_host(matrix), dtype=np.float64)
    if matrix.shape != (n, n):
        raise ValueError(f"`{name}` must be a matrix of shape ({n}, {n}); got shape {matrix.shape}.")
    if not np.isfinite(matrix.data if sp.issparse(matrix) else matrix).all():
        raise ValueError(f"`{name}` must be finite; got NaN or infinity.")
    operator = to_device_of(matrix, X)
    sums, total, magnitudes = _matrix_sums(matrix)
    sums, magnitudes = to_device_of(sums, X), to_device_of(magnitudes, X)

    def sparse(block: Array) -> NDArray[np.float64]:
        return np.asarray(block.multiply(operator @ block).sum(axis=0)).ravel()

    def dense(block: Array) -> Array:
        # center first: a Laplacian maps the mean to zero, but not the rounding error of its square
        block = xp.astype(block, xp.float64, copy=False)
        mean = center(block, magnitudes)
        return column_sums(block * (operator @ block)) + mean * (sums @ block) + mean**2 * total

    return map_columns(dense, X, name=f"quadratic form {name}", temporaries=8, sparse=sparse)


def _matrix_sums(matrix: Any) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Compute row sums plus column sums, their total, and the same sums of magnitudes.

    The total is the sum of all entries. Sums that may be rounding errors are set to 0.
    """
    sums, magnitudes = (np.ravel(M.sum(axis=0)) + np.ravel(M.sum(axis=1)) for M in (matrix, abs(matrix)))
    rtol = matrix.shape[0] * np.finfo(np.float64).eps
    total, total_magnitude = float(sums.sum() / 2), magnitudes.sum() / 2
    sums = np.where(np.abs(sums) > rtol * magnitudes, sums, 0.0)
    if abs(total) <= rtol * total_magnitude:
        total = 0.0
    return sums, total, magnitudes if total_magnitude > 0 else np.ones(magnitudes.size)


@method(
    "graph-preserving",
    family="graph",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api"),
    reference="Yao et al., IEEE TIP 2017, eq. 9 and 10",
)
class GraphPreservingScore(Ranker, BaseEstimator):
    """Graph-preserving score: rank features by two quadratic forms, the general form of graph scores.

    Parameters
    ----------
    A : {array-like, sparse matrix} of shape (n_samples, n_samples) or callable, default=None
        Matrix of the numerator, or a function of X and y that returns it. If A and B are None, they are D - W
        and D of ``KNNGraph()``: the Laplacian score without centering.
    B : {array-like, sparse matrix} of shape (n_samples, n_samples) or callable, default=None
        Matrix of the denominator, or a function of X and y that returns it.
    kind : {"ratio", "difference"}, default="ratio"
        Whether to use f'Af / f'Bf or f'Af - weight f'Bf.
    weight : float, default=1.0
        Weight lambda in the difference.

    See Also
    --------
    featsieve.scores.graph_preserving_score : Compute the scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import GraphPreservingScore
    >>> X = load_iris().data
    >>> n = len(X)  # minus the variance: A = 11'/n, B = I
    >>> GraphPreservingScore(np.ones((n, n)) / n, np.eye(n), kind="difference").fit(X).order_
    array([2, 0, 3, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "A": ["array-like", "sparse matrix", callable, None],
        "B": ["array-like", "sparse matrix", callable, None],
        "kind": [StrOptions({"ratio", "difference"})],
        "weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        A: MatrixOrFunction | None = None,
        B: MatrixOrFunction | None = None,
        *,
        kind: Literal["ratio", "difference"] = "ratio",
        weight: float = 1.0,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.A = A
        self.B = B
        self.kind = kind
        self.weight = weight
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Array, y: Array) -> Array:
        if (self.A is None) != (self.B is None):
            raise ValueError("`A` and `B` must be given together; got one of them. Pass both, or neither.")
        if self.A is None or self.B is None:
            graph = KNNGraph().build(X)
            A, B = graph.laplacian, sp.diags_array(graph.degree)
        else:
            A, B = (matrix(X, y) if callable(matrix) else matrix for matrix in (self.A, self.B))
        return graph_preserving_score(X, A, B, self.kind, self.weight)
