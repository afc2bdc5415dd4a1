from __future__ import annotations

from numbers import Real
from typing import Any, Literal

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import ConstraintGraph
from featsieve.graphs.graph import GraphLike, as_graph
from featsieve.graphs.labels import is_labeled
from featsieve.registry import method
from featsieve.scores.energy import graph_energy_and_spread, ratio_or_difference
from featsieve.selectors import Ranker
from featsieve.types import Array, Mask, MatrixLike, NFeatures


def constraint_score(
    X: MatrixLike,
    must: GraphLike,
    cannot: GraphLike,
    kind: Literal["ratio", "difference"] = "ratio",
    weight: float = 0.1,
) -> Array:
    r"""Compute the constraint score of each feature.

    .. math:: \frac{\sum_M (f_i - f_j)^2}{\sum_C (f_i - f_j)^2} \quad \text{or} \quad
              \sum_M (f_i - f_j)^2 - \lambda \sum_C (f_i - f_j)^2

    M are the must-link pairs and C the cannot-link pairs.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    must : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Graph of the pairs M, see :class:`featsieve.ConstraintGraph`.
    cannot : builder, Graph or {ndarray, sparse matrix} of shape (n_samples, n_samples)
        Graph of the pairs C.
    kind : {"ratio", "difference"}, default="ratio"
        Which of the two equations to use.
    weight : float, default=0.1
        Weight lambda of the cannot-link pairs in the difference.

    Returns
    -------
    array of shape (n_features,)
        Scores; smaller is better. A constant feature gets infinity for the ratio and 0 for the difference.

    Notes
    -----
    Pairs from labels are summed through class means: O(n d), not O(n^2 d).

    References
    ----------
    Zhang, Chen & Zhou, Pattern Recognition 2008; Yao et al., IEEE TIP 2017, eq. 5 and 6.
    """
    X = as_matrix(X)
    must_energy = graph_energy_and_spread(X, as_graph(must, X, symmetric=True))[0]
    cannot_energy = graph_energy_and_spread(X, as_graph(cannot, X, symmetric=True))[0]
    return ratio_or_difference(must_energy, cannot_energy, kind, weight)


@method(
    "constraint",
    family="graph",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api", "chunked"),
    scale_invariant=True,
    reference="Zhang, Chen & Zhou, Pattern Recognition 2008; Yao et al., IEEE TIP 2017, eq. 5 and 6",
)
class ConstraintScore(Ranker, BaseEstimator):
    """Constraint score: rank features by how well they satisfy must-link and cannot-link pairs.

    Parameters
    ----------
    kind : {"ratio", "difference"}, default="ratio"
        Whether to use the ratio or the weighted difference of the two sums of squared differences.
    weight : float, default=0.1
        Weight lambda of the cannot-link pairs in the difference.
    must_link : array-like of shape (n_pairs, 2), default=None
        Pairs of row indices. If ``must_link`` and ``cannot_link`` are None, the pairs are derived from y. The
        label -1, as a number or as text, marks samples without a label.
    cannot_link : array-like of shape (n_pairs, 2), default=None
        Pairs of row indices.

    See Also
    --------
    featsieve.scores.constraint_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ConstraintScore
    >>> X, y = load_iris(return_X_y=True)
    >>> y[10:40] = -1
    >>> ConstraintScore().fit(X, y).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict[str, Any] = {
        "kind": [StrOptions({"ratio", "difference"})],
        "weight": [Interval(Real, 0, None, closed="left")],
        "must_link": ["array-like", None],
        "cannot_link": ["array-like", None],
    }

    def __init__(
        self,
        kind: Literal["ratio", "difference"] = "ratio",
        *,
        weight: float = 0.1,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.kind = kind
        self.weight = weight
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.n_features_to_select = n_features_to_select

    def _requires_y(self) -> bool:
        return self.must_link is None and self.cannot_link is None

    def _labeled(self, y: Any) -> Mask | None:
        return is_labeled(y) if self._requires_y() else None

    def _score(self, X: Array, y: Array) -> Array:
        if (self.must_link is None) != (self.cannot_link is None):
            raise ValueError(
                "`must_link` and `cannot_link` must be given together; got one of them. "
                "Pass both lists of pairs, or only y."
            )
        must = as_graph(ConstraintGraph("must", pairs=self.must_link), X, y)
        cannot = as_graph(ConstraintGraph("cannot", pairs=self.cannot_link), X, y)
        return constraint_score(X, must, cannot, self.kind, self.weight)
