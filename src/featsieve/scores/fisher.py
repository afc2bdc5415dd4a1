from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from featsieve.engines.arrays import as_matrix, namespace, to_device_of
from featsieve.engines.blocks import map_columns
from featsieve.graphs.labels import check_labels, class_indicator
from featsieve.registry import method
from featsieve.scores.energy import column_sums, ratio
from featsieve.selectors import Ranker
from featsieve.types import Array, MatrixLike


def fisher_score(X: MatrixLike, y: ArrayLike) -> Array:
    r"""Compute the Fisher score of each feature.

    .. math:: \frac{\sum_c n_c (\mu_c - \mu)^2}{\sum_c \sum_{i \in c} (f_i - \mu_c)^2}

    mu_c is the mean of the feature in class c, which has n_c samples.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Class labels, at least two classes.

    Returns
    -------
    array of shape (n_features,)
        Scores from 0; larger is better. A feature that is constant in every class gets infinity, a constant
        feature gets 0.

    Notes
    -----
    The Laplacian score of the class graph is 1 / (1 + Fisher score). The cost is O(n d).

    References
    ----------
    Yao et al., IEEE TIP 2017, Table II (eq. 2 omits the class sizes).
    """
    X = as_matrix(X)
    xp = namespace(X)
    codes, counts = check_labels(y, X)
    members = class_indicator(codes, counts.size)
    sizes = xp.astype(to_device_of(counts, X), xp.float64)[:, None]
    class_sums = to_device_of(sp.csr_array(members.T), X)
    classes = to_device_of(codes, X)
    first_members = to_device_of(np.unique(codes, return_index=True)[1], X)

    def between_scatter(firsts: Array, means: Array) -> Array:
        means = (firsts - firsts[:1, :]) + means
        means = means - means[:1, :]  # exactly 0 if the means of all classes are equal
        means = means - xp.sum(sizes * means, axis=0) / codes.size
        return xp.sum(sizes * means**2, axis=0)

    def dense(B: Array) -> Array:
        # subtract one member of each class first: a class that is constant becomes exactly 0
        firsts = xp.take(B, first_members, axis=0)
        B -= xp.take(firsts, classes, axis=0)
        # in float64, because the differences between classes can be small relative to those from the member
        means = (class_sums @ xp.astype(B, xp.float64, copy=False)) / sizes
        B -= xp.astype(xp.take(means, classes, axis=0), B.dtype)
        B *= B
        return xp.stack([between_scatter(xp.astype(firsts, xp.float64), means), column_sums(B)])

    def sparse(B: Array) -> NDArray[np.float64]:
        stored = B.copy()
        stored.data[:] = 1.0
        n_zeros = counts[:, None] - (members.T @ stored).toarray()
        firsts = B[first_members].toarray()
        deviations = B.tocoo(copy=True)
        entries = (codes[deviations.row], deviations.col)
        deviations.data -= firsts[entries]
        means = ((members.T @ deviations).toarray() - n_zeros * firsts) / counts[:, None]
        deviations.data = (deviations.data - means[entries]) ** 2
        within = np.asarray(deviations.sum(axis=0)).ravel() + (n_zeros * (firsts + means) ** 2).sum(axis=0)
        return np.stack([between_scatter(firsts, means), within])

    between, within = map_columns(dense, X, name="class scatter", temporaries=3, sparse=sparse)
    return xp.where((within == 0) & (between > 0), xp.inf, ratio(between, within, 0.0))


@method(
    "fisher",
    family="statistic",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "array_api", "chunked"),
    scale_invariant=True,
    reference="Yao et al., IEEE TIP 2017, eq. 2 and Table II",
)
class FisherScore(Ranker, BaseEstimator):
    """Fisher score: rank features by the ratio of between-class to within-class variance.

    See Also
    --------
    featsieve.scores.fisher_score : Compute the scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import FisherScore
    >>> FisherScore().fit(*load_iris(return_X_y=True)).order_
    array([2, 3, 0, 1])
    """

    def _score(self, X: Array, y: Array) -> Array:
        return fisher_score(X, y)
