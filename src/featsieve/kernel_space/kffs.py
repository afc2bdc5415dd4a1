"""Kernel forward feature selection: boosting of one-feature classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from featsieve.engines.arrays import FLOATS
from featsieve.engines.blocks import parallel_map, slices
from featsieve.engines.progress import track
from featsieve.graphs.labels import check_labels
from featsieve.kernel_space.mixins import FitMixin
from featsieve.kernel_space.records import kernel_method
from featsieve.selectors import N_FEATURES, Selection, count_selected

# Outputs, and error rates, that differ by less are equal up to rounding.
TIE_ATOL = 1e-12
# Weights accumulate more rounding errors.
WEIGHT_ATOL = 1e-9


def forward_selection(F: np.ndarray, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    r"""Order features by boosting one-feature classifiers (kernel forward feature selection, KFFS).

    .. math:: k_t = \arg\min_i \epsilon_i, \quad
              \gamma_{k_t} = \log \frac{(C - 1)(1 - \epsilon_{k_t})}{\epsilon_{k_t}}, \quad
              c_n \leftarrow c_n e^{-\gamma_{k_t} (1 - b_n)}

    The weak classifier of a feature is a least squares fit, with a bias, to the indicators of the C classes;
    it votes for the class with the largest output. epsilon_i is the error, weighted by c, of the majority
    vote of the classifiers selected so far and that of feature i. b_n is 1 if the vote with the selected
    feature is wrong on sample n and 0 if it is right. Each feature is selected once.

    Parameters
    ----------
    F : ndarray of shape (n_samples, n_features)
        Features, such as the coordinates of a kernel-space basis.
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    weights : ndarray of shape (n_features,)
        Weight gamma of each feature; larger is better. It is positive if the vote was better than guessing
        when the feature joined.
    order : ndarray of shape (n_features,)
        Feature indices in the order of selection.

    See Also
    --------
    featsieve.KernelForwardSelection : The estimator.

    Notes
    -----
    epsilon is limited to [1 / (2n), 1 - 1 / (2n)]. A vote tied between m classes counts with its expected
    error: b_n = 1 - 1 / m if one of them is the class of the sample. (If ties were errors, every second
    feature of two classes would have a negative weight.) A classifier with tied outputs abstains. The result
    therefore does not depend on the names of the classes. For two classes, C - 1 is 1, as published; for
    more, it gives guessing the weight 0. O(n d C) time for the classifiers and at most O(n d^2) for the
    selection, which skips samples whose majority cannot change.

    References
    ----------
    Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 2; Wu, Brubaker, Mullin & Rehg, IEEE TPAMI 2008; Zhu, Zou,
    Rosset & Hastie, Statistics and Its Interface 2009, for the factor C - 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve.kernel_space import forward_selection
    >>> weights, order = forward_selection(*load_iris(return_X_y=True))
    >>> order
    array([2, 1, 0, 3])
    """
    codes, counts = check_labels(y, F)
    n, d = F.shape
    predictions = _weak_predictions(F, codes, counts)
    votes = np.zeros((n, counts.size), dtype=np.int32)
    sample_weights = np.full(n, 1.0 / n)
    weights = np.empty(d)
    order: list[int] = []

    def rounds() -> Iterator[None]:
        nonlocal sample_weights
        remaining = np.arange(d)
        for _ in range(d):
            sample_weights /= sample_weights.sum()
            errors = _vote_errors(predictions, votes, codes, sample_weights, remaining)
            best = int(remaining[np.argmax(errors <= errors.min() + TIE_ATOL)])
            voters = np.flatnonzero(predictions[:, best] < counts.size)
            votes[voters, predictions[voters, best]] += 1
            losses = _vote_losses(votes, codes)
            error = np.clip(sample_weights @ losses, 1 / (2 * n), 1 - 1 / (2 * n))
            odds = (counts.size - 1) * (1 - error) / error
            sample_weights *= odds ** (losses - 1)
            weights[best] = np.log(odds) if abs(odds - 1) > WEIGHT_ATOL else 0.0
            order.append(best)
            remaining = remaining[remaining != best]
            yield

    for _ in track(rounds(), d, "forward selection"):
        pass
    return weights, np.array(order, dtype=np.intp)


def _weak_predictions(F: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Predict the class of each sample from each feature; the number of classes where outputs tie."""
    n, d = F.shape
    predictions = np.empty((n, d), dtype=np.min_scalar_type(counts.size), order="F")
    prior = counts / n

    def classify(block: slice) -> None:
        B = F[:, block].astype(np.float64)
        B -= B.mean(axis=0)
        scatter = np.einsum("ij,ij->j", B, B)
        B /= np.sqrt(np.where(scatter > 0, scatter, 1.0))
        slopes = np.stack([B[codes == c].sum(axis=0) for c in range(counts.size)])
        for j in range(B.shape[1]):
            outputs = prior + B[:, j : j + 1] * slopes[:, j]
            best = outputs.argmax(axis=1)
            largest = np.take_along_axis(outputs, best[:, None], axis=1)
            tied = (outputs >= largest - TIE_ATOL).sum(axis=1) > 1
            predictions[:, block.start + j] = np.where(tied, counts.size, best)

    for _ in parallel_map(classify, slices(d, n * 8 * (3 + counts.size), F), F, "weak classifiers"):
        pass
    return predictions


def _vote_losses(votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Compute the loss of the vote on each sample: 0, 1, or 1 - 1 / m if its class is one of m leading."""
    leading = votes == votes.max(axis=1)[:, None]
    return 1.0 - leading[np.arange(codes.size), codes] / leading.sum(axis=1)


def _vote_errors(
    predictions: np.ndarray,
    votes: np.ndarray,
    codes: np.ndarray,
    sample_weights: np.ndarray,
    candidates: np.ndarray,
) -> np.ndarray:
    """Compute the weighted error of the vote if each of the candidate features joined it."""
    rows = np.arange(codes.size)
    other_votes = votes.copy()
    other_votes[rows, codes] = -1
    margins = votes[rows, codes] - other_votes.max(axis=1)
    # one more vote does not change the loss of a sample whose class leads or trails by two
    constant_error = sample_weights[margins <= -2].sum()
    undecided = np.flatnonzero(np.abs(margins) < 2)
    n_classes = votes.shape[1]
    # weighted loss of each sample for a vote for each class, and for an abstention in the last column
    losses = np.repeat(_vote_losses(votes[undecided], codes[undecided])[:, None], n_classes + 1, axis=1)
    deficits = votes[undecided].max(axis=1)[:, None] - votes[undecided]
    n_leading = (deficits == 0).sum(axis=1)[:, None]
    is_own = np.arange(n_classes) == codes[undecided, None]
    loss_of_joining = 1 - (is_own | (margins[undecided] >= 0)[:, None]) / (n_leading + 1)
    losses[:, :n_classes][deficits == 0] = 1.0 - is_own[deficits == 0]
    losses[:, :n_classes][deficits == 1] = loss_of_joining[deficits == 1]
    losses *= sample_weights[undecided, None]
    flat = losses.ravel()
    offsets = np.arange(undecided.size) * (n_classes + 1)

    def errors(block: slice) -> np.ndarray:
        return np.array([flat[offsets + predictions[undecided, i]].sum() for i in candidates[block]])

    blocks = slices(candidates.size, 32 * max(undecided.size, 1), predictions)
    return constant_error + np.concatenate(list(parallel_map(errors, blocks, predictions)))


@kernel_method("kffs", supervised="yes", reference="Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 2", inputs=())
class KernelForwardSelection(FitMixin, Selection, BaseEstimator):
    """Kernel forward feature selection (KFFS): select features by boosting one-feature classifiers.

    The selected classifiers form a majority vote. The method is designed for the coordinates of a
    kernel-space basis, but any features can be used.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        Number of features to select, or a fraction of the features. None selects those with a positive
        weight.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Weight of each feature.
    order_ : ndarray of shape (n_features,)
        Feature indices by decreasing weight, ties in the order of selection.
    n_features_ : int
        Number of selected features, at least one.
    {feature_attributes}

    See Also
    --------
    featsieve.TAKESTransformer : The basis and the selection in one estimator.
    featsieve.kernel_space.forward_selection : The algorithm.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from featsieve import KernelForwardSelection, KernelOrthogonalBasis
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> pipeline = make_pipeline(KernelOrthogonalBasis(), KernelForwardSelection())
    >>> pipeline.fit_transform(X, y).shape
    (569, 8)
    """

    _parameter_constraints: dict[str, Any] = {"n_features_to_select": N_FEATURES}

    def __init__(self, n_features_to_select: int | float | None = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _check_samples(self, X: Any, *, reset: bool) -> Any:
        return validate_data(self, X, dtype=FLOATS, reset=reset)

    def _fit(self, X: Any, y: Any) -> None:
        self.weights_, selected = forward_selection(X, y)
        levels = np.rint(self.weights_[selected] / WEIGHT_ATOL)
        self.order_ = selected[np.argsort(-levels, kind="stable")]
        self.n_features_ = count_selected(
            self.n_features_to_select, self.weights_.size, int((self.weights_ > 0).sum())
        )
