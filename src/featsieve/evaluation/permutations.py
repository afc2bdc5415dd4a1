"""Permuted data, on which rankings perform as well as chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def permute_labels(y: NDArray[Any], groups: NDArray[Any] | None, random: np.random.Generator) -> NDArray[Any]:
    """Permute labels, by whole groups if there are groups.

    Samples of a group, such as a patient, have similar features, and often similar labels, so that features
    agree with labels by chance more often than they do for independent samples. Labels that are permuted one
    by one do not show this.

    - If each group has one label, the groups exchange their labels, and each still has one.
    - Otherwise, the labels are listed group by group, with the groups in random order and the labels of each
      group shuffled, and assigned in this order to the samples of one group after the other. Groups of equal
      sizes exchange all their labels; the shares of the labels stay the same. To shuffle labels only inside
      each group would keep a relation of the features with the mean labels of the groups, which the test
      must be able to find.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Labels.
    groups : ndarray of shape (n_samples,) or None
        Group of each sample.
    random : Generator
        Source of random numbers.

    Returns
    -------
    ndarray
        Permuted labels.
    """
    shuffled = random.permutation(len(y))
    if groups is None:
        return y[shuffled]
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    order = random.permutation(first.size)
    if np.array_equal(y[first][codes], y):
        return y[first][order][codes]
    source = shuffled[np.argsort(order[codes[shuffled]], kind="stable")]
    permuted = np.empty_like(y)
    permuted[np.argsort(codes, kind="stable")] = y[source]
    return permuted


def permute_columns(X: Any, random: np.random.Generator) -> Any:
    """Permute the values of each column independently.

    Groups are not kept together: features that are alike inside each group depend on each other.
    """
    if not sp.issparse(X):
        return random.permuted(X, axis=0)
    columns: Any = sp.csc_array(X)
    indices = [random.choice(columns.shape[0], count, replace=False) for count in np.diff(columns.indptr)]
    return sp.csc_array((columns.data, np.concatenate(indices), columns.indptr), columns.shape).tocsr()
