from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import ConstraintGraph
from featsieve.graphs.graph import as_graph
from featsieve.options import check_option
from featsieve.registry import method
from featsieve.scores.energy import graph_energy_and_spread, ratio
from featsieve.selectors import N_FEATURES, Ranker


def constraint_score(X: Any, must: Any, cannot: Any, kind: str = "ratio", weight: float = 0.1) -> Any:
    r"""How close a feature puts pairs that must agree, against pairs that must not.

    .. math:: \frac{\sum_M (f_i - f_j)^2}{\sum_C (f_i - f_j)^2} \quad or \quad
              \sum_M (f_i - f_j)^2 - \lambda \sum_C (f_i - f_j)^2

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    must, cannot : Graph or builder
        The pairs M and C; see :class:`featsieve.ConstraintGraph`.
    kind : {"ratio", "difference"}
    weight : float
        lambda of the difference.

    Returns
    -------
    array of shape (n_features,)
        Smaller is better. A constant feature gets infinity by ratio and 0 by difference.

    Notes
    -----
    Pairs that come from labels are summed through class means: O(n d), not O(n^2 d).

    References
    ----------
    Zhang, Chen & Zhou, Pattern Recognition 2008; Yao et al., IEEE TIP 2017, eq. 5 and 6.
    """
    check_option("kind", kind, ("ratio", "difference"))
    X = as_matrix(X)
    near = graph_energy_and_spread(X, as_graph(must, X, symmetric=True))[0]
    far = graph_energy_and_spread(X, as_graph(cannot, X, symmetric=True))[0]
    return ratio(near, far, float("inf")) if kind == "ratio" else near - weight * far


@method(
    "constraint",
    family="graph",
    supervised="optional",
    direction="smaller",
    inputs=("sparse", "array_api"),
    reference="Zhang, Chen & Zhou, Pattern Recognition 2008; Yao et al., IEEE TIP 2017, eq. 5 and 6",
)
class ConstraintScore(Ranker, BaseEstimator):
    """How close a feature puts pairs that must agree, against pairs that must not.

    Parameters
    ----------
    kind : {"ratio", "difference"}, default="ratio"
        Which of the two published formulas.
    weight : float, default=0.1
        lambda of the difference.
    must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
        Pairs of row numbers. Where both are None they follow from y, in which -1, as a number or as text,
        means that the sample has no label.
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.constraint_score : The equations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import ConstraintScore
    >>> X, y = load_iris(return_X_y=True)
    >>> y[10:40] = -1
    >>> ConstraintScore().fit(X, y).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict = {
        "kind": [StrOptions({"ratio", "difference"})],
        "weight": [Interval(Real, 0, None, closed="left")],
        "must_link": ["array-like", None],
        "cannot_link": ["array-like", None],
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        kind: str = "ratio",
        *,
        weight: float = 0.1,
        must_link: Any = None,
        cannot_link: Any = None,
        n_features_to_select: Any = None,
    ) -> None:
        self.kind = kind
        self.weight = weight
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.n_features_to_select = n_features_to_select

    def _needs_labels(self) -> bool:
        return self.must_link is None and self.cannot_link is None

    def _score(self, X: Any, y: Any) -> Any:
        if (self.must_link is None) != (self.cannot_link is None):
            raise ValueError(
                "must_link and cannot_link go together: give both lists of pairs, or neither and y."
            )
        must = as_graph(ConstraintGraph("must", pairs=self.must_link), X, y)
        cannot = as_graph(ConstraintGraph("cannot", pairs=self.cannot_link), X, y)
        return constraint_score(X, must, cannot, self.kind, self.weight)
