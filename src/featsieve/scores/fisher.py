from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix, namespace, on_device
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import class_codes, indicator
from featsieve.registry import method
from featsieve.scores.forms import centre, column_sums, ratio
from featsieve.selectors import N_FEATURES, Ranker


def fisher_score(X: Any, y: Any) -> Any:
    r"""Scatter between the classes over scatter within them.

    .. math:: \frac{\sum_c n_c (\mu_c - \mu)^2}{\sum_c \sum_{i \in c} (f_i - \mu_c)^2}

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Class labels, of two classes or more.

    Returns
    -------
    array of shape (n_features,)
        Larger is better, from 0. Infinite where every class is constant but not all are equal; a
        constant feature gets 0.

    Notes
    -----
    The Laplacian score of the class graph is 1 / (1 + Fisher score). One pass: O(n d).

    References
    ----------
    Yao et al., IEEE TIP 2017, Table II (its eq. 2 leaves out the class sizes).
    """
    X = as_matrix(X)
    xp = namespace(X)
    codes, counts = labels_of(y)
    members = indicator(codes, counts.size)

    def sparse(B: Any) -> Any:
        sums = (members.T @ B).toarray()
        means = sums / counts[:, None]
        stored = B.copy()
        stored.data[:] = 1.0
        zeros = counts[:, None] - (members.T @ stored).toarray()
        gaps = B.tocoo()
        gaps.data = (gaps.data - means[codes[gaps.row], gaps.col]) ** 2
        within = np.asarray(gaps.sum(axis=0)).ravel() + (means**2 * zeros).sum(axis=0)
        return np.stack([counts @ (means - sums.sum(axis=0) / codes.size) ** 2, within])

    if sp.issparse(X):
        between, within = map_columns(sparse, X, name="class scatter", sparse=True, temporaries=8)
        return _scatter_ratio(between, within)
    sizes = xp.astype(on_device(counts, X), X.dtype)
    collect = on_device(sp.csr_array(members.T, dtype=np.dtype(str(X.dtype).split(".")[-1])), X)
    where = on_device(codes, X)

    def dense(B: Any) -> Any:
        centre(B)
        means = (collect @ B) / sizes[:, None]
        between = xp.sum(sizes[:, None] * means**2, axis=0, dtype=xp.float64)
        B -= xp.take(means, where, axis=0)
        B *= B
        return xp.stack([between, column_sums(B)])

    between, within = map_columns(dense, X, name="class scatter", temporaries=3)
    return _scatter_ratio(between, within)


def _scatter_ratio(between: Any, within: Any) -> Any:
    xp = namespace(between)
    # classes that are each constant leave rounding errors of their means, not scatter
    tiny = within <= 1e-28 * between
    return xp.where(tiny & (between > 0), xp.inf, ratio(between, within, 0.0))


def labels_of(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Class numbers and sizes of y; ValueError unless there are two classes or more."""
    codes, counts = class_codes(y)
    if counts.size < 2:
        raise ValueError(
            "y holds one class, and a supervised score needs at least two: check the target column."
        )
    return codes, counts


@method(
    "fisher",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "array_api"),
    reference="Yao et al., IEEE TIP 2017, eq. 2 and Table II",
)
class FisherScore(Ranker, BaseEstimator):
    """Scatter between the classes over scatter within them.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.scores.fisher_score : The equation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import FisherScore
    >>> FisherScore().fit(*load_iris(return_X_y=True)).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict = {"n_features_to_select": N_FEATURES}

    def __init__(self, *, n_features_to_select: Any = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> Any:
        return fisher_score(X, y)
