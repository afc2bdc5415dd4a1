"""Features that are interchangeable because they are strongly correlated."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils.sparsefuncs import mean_variance_axis

from featsieve.datasets.missing import median_imputer
from featsieve.engines.blocks import slices

# Features with at least this absolute correlation are called interchangeable.
MIN_CORRELATION = 0.9
# Limits of what is computed and stored for data with many samples and features.
MAX_SAMPLES, MAX_CHOSEN, MAX_PARTNERS = 4000, 200, 20
# Standard deviations up to this multiple of the largest value are rounding errors of a constant column.
CONSTANT_RTOL = 1e-12


def correlated_features(X: Any, chosen: ArrayLike) -> dict[str, list[int]]:
    """Return the features with an absolute correlation of at least 0.9 with each chosen one.

    They are sorted by the correlation, the strongest first. Only the first 200 chosen features and the 20
    strongest correlations of each are included; of more than 4000 samples, evenly spaced ones are used.
    Missing values count as the median of their column.
    """
    chosen = np.asarray(chosen, dtype=np.intp)[:MAX_CHOSEN]
    if not chosen.size:
        return {}
    if X.shape[0] > MAX_SAMPLES:
        X = X[np.linspace(0, X.shape[0] - 1, MAX_SAMPLES).astype(np.intp)]
    X = sp.csc_array(X) if sp.issparse(X) else X
    Z = _impute(X[:, chosen])
    Z = np.asarray(Z.toarray() if sp.issparse(Z) else Z, dtype=np.float64)
    Z = (Z - Z.mean(axis=0)) / _deviations(Z)
    blocks = slices(X.shape[1], 32 * X.shape[0], Z)
    correlations = np.hstack([_correlations(Z, _impute(X[:, block])) for block in blocks])
    correlations[np.arange(chosen.size), chosen] = 0
    partners = {}
    for feature, row in zip(chosen.tolist(), correlations, strict=True):
        strongest = np.argsort(-row, kind="stable")[:MAX_PARTNERS]
        partners[str(feature)] = strongest[row[strongest] >= MIN_CORRELATION].tolist()
    return {feature: others for feature, others in partners.items() if others}


def _impute(X: Any) -> Any:
    stored = X.data if sp.issparse(X) else X
    has_gaps = stored.dtype.kind == "f" and np.isnan(stored).any()
    return median_imputer().fit_transform(X) if has_gaps else X


def _correlations(Z: np.ndarray, B: Any) -> np.ndarray:
    """Return the absolute correlations of the standardized columns of Z with the columns of B."""
    B = B.astype(np.float64)
    return np.abs((B.T @ Z).T) / (Z.shape[0] * _deviations(B))


def _deviations(X: Any) -> np.ndarray:
    """Return the standard deviations of the columns, infinity for constant columns."""
    variances = mean_variance_axis(X, axis=0)[1] if sp.issparse(X) else X.var(axis=0)
    deviations = np.sqrt(variances)
    largest: Any = abs(X).max(axis=0)
    largest = largest.toarray().ravel() if sp.issparse(largest) else largest
    is_constant = deviations <= CONSTANT_RTOL * largest
    return np.where(is_constant, np.inf, deviations)
