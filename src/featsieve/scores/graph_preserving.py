from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix, namespace, to_device_of, to_host
from featsieve.engines.blocks import map_columns
from featsieve.engines.sparse import check_sparse
from featsieve.graphs import KNNGraph
from featsieve.options import check_option
from featsieve.registry import method
from featsieve.scores.energy import center, column_sums, ratio
from featsieve.selectors import N_FEATURES, Ranker


def graph_preserving_score(X: Any, A: Any, B: Any, kind: str = "ratio", weight: float = 1.0) -> Any:
    r"""The general form of graph scores, from any two matrices over samples.

    .. math:: \frac{f'Af}{f'Bf} \quad or \quad f'Af - \lambda f'Bf

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    A, B : matrices of shape (n_samples, n_samples)
        Sparse or dense.
    kind : {"ratio", "difference"}
    weight : float
        lambda of the difference.

    Returns
    -------
    array of shape (n_features,)
        Smaller is better, unless A and B are chosen otherwise. Infinity where f'Bf is not positive.

    Notes
    -----
    Where A and B do not take constants to zero, adding a constant to a feature changes its score.

    References
    ----------
    Yao et al., IEEE TIP 2017, eq. 9 and 10, Table II.
    """
    check_option("kind", kind, ("ratio", "difference"))
    X = as_matrix(X)
    top, bottom = _quadratic(X, A, "A"), _quadratic(X, B, "B")
    return ratio(top, bottom, float("inf")) if kind == "ratio" else top - weight * bottom


def _quadratic(X: Any, matrix: Any, name: str) -> Any:
    n, xp = X.shape[0], namespace(X)
    if sp.issparse(matrix):
        matrix = sp.csr_array(check_sparse(matrix, name).astype(np.float64))
    else:
        matrix = np.asarray(to_host(matrix), dtype=np.float64)
    if matrix.shape != (n, n):
        raise ValueError(f"{name} must be a matrix of shape ({n}, {n}), one row for each sample of X.")
    if not np.isfinite(matrix.data if sp.issparse(matrix) else matrix).all():
        raise ValueError(f"{name} holds NaN or infinity: it must be finite.")
    operator = to_device_of(matrix, X)
    side, total, sizes = _sums(matrix)
    side, sizes = to_device_of(side, X), to_device_of(sizes, X)

    def sparse(block: Any) -> Any:
        return np.asarray(block.multiply(operator @ block).sum(axis=0)).ravel()

    def dense(block: Any) -> Any:
        # centered first: a Laplacian takes the mean to zero, but not what rounding leaves of its square
        block = xp.astype(block, xp.float64, copy=False)
        mean = center(block, sizes)
        return column_sums(block * (operator @ block)) + mean * (side @ block) + mean**2 * total

    return map_columns(dense, X, name=f"quadratic form {name}", temporaries=8, sparse=sparse)


def _sums(matrix: Any) -> tuple[np.ndarray, float, np.ndarray]:
    """Row sums plus column sums, half their total, both 0 where they may be rounding, and sums of sizes."""
    sums, sizes = (np.ravel(M.sum(axis=0)) + np.ravel(M.sum(axis=1)) for M in (matrix, abs(matrix)))
    eps = matrix.shape[0] * np.finfo(np.float64).eps
    total, size = sums.sum() / 2, sizes.sum() / 2
    sums = np.where(np.abs(sums) > eps * sizes, sums, 0.0)
    return sums, float(total) if abs(total) > eps * size else 0.0, sizes if size > 0 else np.ones(sizes.size)


@method(
    "graph-preserving",
    family="graph",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api"),
    reference="Yao et al., IEEE TIP 2017, eq. 9 and 10",
)
class GraphPreservingScore(Ranker, BaseEstimator):
    """The general form of graph scores, from any two matrices over samples.

    Parameters
    ----------
    A, B : matrix of shape (n_samples, n_samples) or callable, default=None
        A callable gets X and y and returns the matrix. None for both means D - W and D of ``KNNGraph()``,
        the Laplacian score without centering.
    kind : {"ratio", "difference"}, default="ratio"
        f'Af / f'Bf, or f'Af - weight f'Bf.
    weight : float, default=1.0
        lambda of the difference.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.graph_preserving_score : The equations.

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

    _parameter_constraints: dict = {
        "A": ["array-like", "sparse matrix", callable, None],
        "B": ["array-like", "sparse matrix", callable, None],
        "kind": [StrOptions({"ratio", "difference"})],
        "weight": [Interval(Real, 0, None, closed="left")],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        A: Any = None,
        B: Any = None,
        *,
        kind: str = "ratio",
        weight: float = 1.0,
        n_features_to_select: Any = None,
    ) -> None:
        self.A = A
        self.B = B
        self.kind = kind
        self.weight = weight
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        if (self.A is None) != (self.B is None):
            raise ValueError("A and B go together: give both matrices, or neither.")
        if self.A is None:
            graph = KNNGraph().build(X)
            return graph_preserving_score(
                X, graph.laplacian, sp.diags_array(graph.degree), self.kind, self.weight
            )
        A, B = (matrix(X, y) if callable(matrix) else matrix for matrix in (self.A, self.B))
        return graph_preserving_score(X, A, B, self.kind, self.weight)
