"""Mutual information of discretized features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.engines.blocks import map_columns, slices
from featsieve.scores.information_gain import discretize
from featsieve.types import Array

# Information below this number of bits is 0 up to rounding.
NEGLIGIBLE_BITS = 1e-12
# Largest size of the tables of counts in bytes, so that they stay in the cache.
_CACHE_BYTES = 2**22


class Bins:
    """Bins of all features.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
        Data.
    n_bins : int
        Largest number of bins of a feature.

    Attributes
    ----------
    codes : ndarray of shape (n_features, n_samples)
        Bin of each value.
    """

    def __init__(self, X: Any, n_bins: int) -> None:
        dtype = np.uint8 if n_bins <= 256 else np.int16

        def bins(B: Array) -> NDArray[Any]:
            return discretize(B, n_bins).astype(dtype)

        codes = map_columns(bins, X, name="bins", temporaries=n_bins + 4)
        self.codes = np.ascontiguousarray(codes.T)
        self.n_codes = int(self.codes.max()) + 1
        counts = np.arange(self.codes.shape[1] + 1)
        self._count_logs = counts * np.log2(np.maximum(counts, 1))

    def information(self, labels: NDArray[np.integer]) -> NDArray[np.float64]:
        r"""Compute the mutual information of each feature and a vector of class indices, in bits.

        .. math:: \Bigl(\sum_{ab} T(n_{ab}) - \sum_a T(n_a) - \sum_b T(n_b) + T(n)\Bigr) / n, \quad
                  T(n) = n \log_2 n

        n_ab counts the samples in bin a and class b, n_a those in bin a, and n_b those in class b. One pass
        over the bins: O(d (n + A B)).
        """
        n_features, n_samples = self.codes.shape
        n_labels = int(labels.max()) + 1
        n_cells = self.n_codes * n_labels
        logs = self._count_logs
        label_term = logs[n_samples] - logs[np.bincount(labels)].sum()
        information = np.empty(n_features)
        bytes_per_feature = 8 * (2 * n_samples + 3 * n_cells)
        for block in slices(n_features, bytes_per_feature, logs, host_bytes=_CACHE_BYTES):
            codes = self.codes[block]
            cells = codes * np.intp(n_labels) + labels
            cells += np.arange(0, len(codes) * n_cells, n_cells)[:, None]
            counts = np.bincount(cells.ravel(), minlength=len(codes) * n_cells)
            counts = counts.reshape(len(codes), self.n_codes, n_labels)
            joint = logs[counts.reshape(len(codes), n_cells)].sum(axis=1)
            information[block] = joint - logs[counts.sum(axis=2)].sum(axis=1) + label_term
        information /= n_samples
        return np.where(information > NEGLIGIBLE_BITS, information, 0.0)
