from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from featsieve.engines.arrays import FLOATS
from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.progress import CallbackSupportMixin, reporting, track, with_callbacks
from featsieve.engines.sparse import check_sparse
from featsieve.graphs.labels import check_labels
from featsieve.kernel_space.kernels import validate_labels
from featsieve.registry import method
from featsieve.selectors import N_FEATURES

# Outputs and error rates that differ by less are equal up to rounding.
_TIE = 1e-12
# Weights of which the same is true; they have gone through more sums.
_EQUAL = 1e-9


def forward_selection(F: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    r"""Kernel forward feature selection: which one-feature classifiers a vote should be made of, and when.

    .. math:: k_t = \arg\min_i \epsilon_i, \quad
              \gamma_{k_t} = \log \frac{(C - 1)(1 - \epsilon_{k_t})}{\epsilon_{k_t}}, \quad
              c_n \leftarrow c_n e^{-\gamma_{k_t} (1 - b_n)}

    Each feature has a weak classifier: least squares with a bias on the class indicators, its vote going
    to the class of the largest output. epsilon_i is the weight, by c, of the samples that the vote of the
    classifiers chosen so far and that of feature i gets wrong; b_n is 1 where the vote with the chosen
    feature is wrong and 0 where it is right. A feature is chosen once, and all are in the end.

    Parameters
    ----------
    F : ndarray of shape (n_samples, n_features)
        Kernel-space features, or any others.
    y : array of shape (n_samples,)
        Labels of C classes.

    Returns
    -------
    weights : ndarray of shape (n_features,)
        gamma; larger is better, and above 0 if the vote did better than guessing when the feature joined.
    order : ndarray of shape (n_features,)
        The features in the order of choosing.

    Notes
    -----
    epsilon is kept within 1 / (2 n) of 0 and 1. A vote tied between m classes counts by its expectation:
    b_n = 1 - 1 / m if the own class is among them. (Were it an error, every second feature of two classes
    would get a weight below 0, whatever it is worth.) A classifier with tied outputs has no vote. So
    nothing depends on the names of the classes. With two classes C - 1 is 1, as printed; with more it puts
    guessing at gamma = 0. O(n d C) time for the classifiers and O(n d^2) at most for the selection, in
    which samples with a clear majority are left out.

    References
    ----------
    Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 2; Wu, Brubaker, Mullin & Rehg, IEEE TPAMI 2008; Zhu, Zou,
    Rosset & Hastie, Statistics and Its Interface 2009, for the factor C - 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.kernel_space.kffs import forward_selection
    >>> weights, order = forward_selection(*load_iris(return_X_y=True))
    >>> order
    array([2, 1, 0, 3])
    """
    codes, counts = check_labels(y, F)
    n, d = F.shape
    table = _votes(F, codes, counts)
    votes = np.zeros((n, counts.size), dtype=np.int32)
    share = np.full(n, 1.0 / n)
    weights = np.empty(d)
    order: list[int] = []

    def rounds() -> Iterator[None]:
        nonlocal share
        left = np.arange(d)
        for _ in range(d):
            share /= share.sum()
            errors = _errors(table, votes, codes, share, left)
            best = int(left[np.argmax(errors <= errors.min() + _TIE)])
            voting = np.flatnonzero(table[:, best] < counts.size)
            votes[voting, table[voting, best]] += 1
            wrong = _wrong(votes, codes)
            error = np.clip(share @ wrong, 1 / (2 * n), 1 - 1 / (2 * n))
            odds = (counts.size - 1) * (1 - error) / error
            share *= odds ** (wrong - 1)
            weights[best] = np.log(odds) if abs(odds - 1) > _EQUAL else 0.0
            order.append(best)
            left = left[left != best]
            yield

    for _ in track(rounds(), d, "forward selection"):
        pass
    return weights, np.array(order, dtype=np.intp)


def _votes(F: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The class that each weak classifier gives each sample; the number of classes where it has no vote."""
    n, d = F.shape
    table = np.empty((n, d), dtype=np.min_scalar_type(counts.size), order="F")
    prior = counts / n

    def classify(part: slice) -> None:
        B = F[:, part].astype(np.float64)
        B -= B.mean(axis=0)
        spread = np.einsum("ij,ij->j", B, B)
        B /= np.sqrt(np.where(spread > 0, spread, 1.0))
        slopes = np.stack([B[codes == c].sum(axis=0) for c in range(counts.size)])
        for j in range(B.shape[1]):
            fit = prior + B[:, j : j + 1] * slopes[:, j]
            best = fit.argmax(axis=1)
            top = np.take_along_axis(fit, best[:, None], axis=1)
            tied = (fit >= top - _TIE).sum(axis=1) > 1
            table[:, part.start + j] = np.where(tied, counts.size, best)

    for _ in parallel_map(classify, slices(d, n * 8 * (3 + counts.size), F), F, "weak classifiers"):
        pass
    return table


def _wrong(votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How wrong the vote is on each sample: 1, 0, or 1 - 1 / m if its class is one of m with most votes."""
    ahead = votes == votes.max(axis=1)[:, None]
    return 1.0 - ahead[np.arange(codes.size), codes] / ahead.sum(axis=1)


def _errors(
    table: np.ndarray, votes: np.ndarray, codes: np.ndarray, share: np.ndarray, left: np.ndarray
) -> np.ndarray:
    """Weighted error of the vote with each of the features left joining it."""
    rows = np.arange(codes.size)
    others = votes.copy()
    others[rows, codes] = -1
    lead = votes[rows, codes] - others.max(axis=1)
    # one vote more does not matter to a sample whose class leads or lags by two
    base = share[lead <= -2].sum()
    near = np.flatnonzero(np.abs(lead) < 2)
    n_classes = votes.shape[1]
    # what is lost if the vote is for each class, or for none
    lost = np.repeat(_wrong(votes[near], codes[near])[:, None], n_classes + 1, axis=1)
    behind = votes[near].max(axis=1)[:, None] - votes[near]
    tied = (behind == 0).sum(axis=1)[:, None]
    own = np.arange(n_classes) == codes[near, None]
    joins = 1 - (own | (lead[near] >= 0)[:, None]) / (tied + 1)
    lost[:, :n_classes][behind == 0] = 1.0 - own[behind == 0]
    lost[:, :n_classes][behind == 1] = joins[behind == 1]
    lost *= share[near, None]
    flat = lost.ravel()
    places = np.arange(near.size) * (n_classes + 1)

    def error(part: slice) -> np.ndarray:
        return np.array([flat[places + table[near, i]].sum() for i in left[part]])

    parts = slices(left.size, 32 * max(near.size, 1), table)
    return base + np.concatenate(list(parallel_map(error, parts, table)))


@method(
    "kffs",
    family="kernel",
    role="transformer",
    supervised="yes",
    reference="Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 2",
)
class KernelForwardSelection(CallbackSupportMixin, SelectorMixin, BaseEstimator):
    """Features whose one-feature classifiers make a good vote together (KFFS).

    Designed for the coordinates of a kernel-space basis, as in :class:`featsieve.TAKESTransformer`.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to keep: a number, a share of them, or None for those with a weight above 0.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        gamma of each feature.
    order_ : ndarray of shape (n_features,)
        Feature indices, largest weight first; equal ones in the order of choosing.
    n_features_ : int
        How many features are kept, at least one.

    See Also
    --------
    featsieve.kernel_space.kffs.forward_selection : The algorithm.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from featsieve import KernelForwardSelection, KernelOrthogonalBasis
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> two_steps = make_pipeline(KernelOrthogonalBasis(), KernelForwardSelection())
    >>> two_steps.fit_transform(X, y).shape
    (569, 8)
    """

    _parameter_constraints: dict = {"n_features_to_select": N_FEATURES}

    def __init__(self, n_features_to_select: Any = None) -> None:
        self.n_features_to_select = n_features_to_select

    @with_callbacks
    def fit(self, X: Any, y: Any) -> KernelForwardSelection:
        """Weigh the features.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        self._validate_params()
        X = validate_data(self, X, dtype=FLOATS)
        y = validate_labels(self, X, y)
        with reporting(self):
            self._select(X, y)
        return self

    def _select(self, X: Any, y: Any) -> None:
        self.weights_, chosen = forward_selection(X, y)
        levels = np.rint(self.weights_[chosen] / _EQUAL)
        self.order_ = chosen[np.argsort(-levels, kind="stable")]
        self.n_features_ = count_kept(self.n_features_to_select, self.weights_)

    def transform(self, X: Any) -> Any:
        """Keep the chosen features of X, in their original order.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features)

        Returns
        -------
        matrix of shape (n_samples, n_features_)
        """
        return super().transform(check_sparse(X))

    def inverse_transform(self, X: Any) -> Any:
        """Put the chosen features back in their places, with zeros for the others.

        Parameters
        ----------
        X : matrix of shape (n_samples, n_features_)

        Returns
        -------
        matrix of shape (n_samples, n_features)
        """
        return super().inverse_transform(check_sparse(X))

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        mask = np.zeros(self.weights_.size, dtype=bool)
        mask[self.order_[: self.n_features_]] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def count_kept(wanted: Any, weights: np.ndarray) -> int:
    """How many features ``n_features_to_select`` stands for; None for those that weigh more than 0."""
    if wanted is None:
        return max(1, int((weights > 0).sum()))
    if not isinstance(wanted, Integral):
        return max(1, int(weights.size * wanted))
    wanted = int(wanted)
    if wanted > weights.size:
        raise ValueError(
            f"n_features_to_select={wanted} but there are only {weights.size} features: lower it."
        )
    return wanted
