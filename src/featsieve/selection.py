"""Select features in one line."""

from __future__ import annotations

from numpy.typing import ArrayLike

from featsieve.subsets.auto import AutoSelector
from featsieve.types import MatrixLike, NFeatures


def select(X: MatrixLike, y: ArrayLike | None = None, n_features: NFeatures = "auto") -> AutoSelector:
    """Select features with the method that suits the data best.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
        Classes or numbers to predict. None selects the features that represent all others.
    n_features : int, float or "auto", default="auto"
        Number (int) or fraction (float) of features to select. "auto" selects the smallest number
        whose performance on held-out samples is within one standard error of the best.

    Returns
    -------
    AutoSelector
        The fitted selector: ``get_feature_names_out()`` has the names of the selected features,
        ``transform(X)`` reduces samples to them, and ``report_`` describes the choice.

    See Also
    --------
    AutoSelector : The selector, for pipelines.
    featsieve.evaluation.compare : Compare all methods on your data.

    Examples
    --------
    >>> import featsieve
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> featsieve.select(X, y, n_features=3).get_feature_names_out().tolist()
    ['flavanoids', 'color_intensity', 'proline']
    """
    return AutoSelector(n_features_to_select=n_features).fit(X, y)
