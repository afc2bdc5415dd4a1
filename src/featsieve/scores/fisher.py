from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.registry import method
from featsieve.scores.energy import column_sums, operator_like, ratio
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
    codes, counts = check_labels(y, X)
    members = class_indicator(codes, counts.size)
    sizes = xp.astype(to_device_of(counts, X), xp.float64)[:, None]
    collect = operator_like(sp.csr_array(members.T), X)
    where = to_device_of(codes, X)
    first = to_device_of(np.unique(codes, return_index=True)[1], X)

    def between(firsts: Any, means: Any) -> Any:
        means = (firsts - firsts[:1, :]) + means
        means = means - means[:1, :]  # exact zeros where the classes agree
        means = means - xp.sum(sizes * means, axis=0) / codes.size
        return xp.sum(sizes * means**2, axis=0)

    def dense(B: Any) -> Any:
        # each class is centerd by a member first: exact zeros where it is constant
        firsts = xp.take(B, first, axis=0)
        B -= xp.take(firsts, where, axis=0)
        means = (collect @ B) / xp.astype(sizes, B.dtype)
        B -= xp.take(means, where, axis=0)
        B *= B
        return xp.stack([between(xp.astype(firsts, xp.float64), means), column_sums(B)])

    def sparse(B: Any) -> Any:
        stored = B.copy()
        stored.data[:] = 1.0
        zeros = counts[:, None] - (members.T @ stored).toarray()
        firsts = B[first].toarray()
        gaps = B.tocoo(copy=True)
        place = (codes[gaps.row], gaps.col)
        gaps.data -= firsts[place]
        means = ((members.T @ gaps).toarray() - zeros * firsts) / counts[:, None]
        gaps.data = (gaps.data - means[place]) ** 2
        within = np.asarray(gaps.sum(axis=0)).ravel() + (zeros * (firsts + means) ** 2).sum(axis=0)
        return np.stack([between(firsts, means), within])

    apart, within = map_columns(dense, X, name="class scatter", temporaries=3, sparse=sparse)
    return xp.where((within == 0) & (apart > 0), xp.inf, ratio(apart, within, 0.0))


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
