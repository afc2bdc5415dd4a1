from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted

from featsieve.engines.arrays import round_to_bits
from featsieve.engines.content import rank_by_content
from featsieve.engines.progress import CallbackSupportMixin, reporting, with_callbacks
from featsieve.graphs.labels import check_labels
from featsieve.kernel_space.influence import feature_influence
from featsieve.kernel_space.kernels import NAMES, KernelSamples, validate_labels
from featsieve.kernel_space.kffs import KernelForwardSelection
from featsieve.kernel_space.kobl import COMPONENTS, WIDTHS, KernelOrthogonalBasis
from featsieve.options import check_option
from featsieve.registry import method
from featsieve.selectors import N_FEATURES, Ranker

_THRESHOLD: list[Any] = [StrOptions({"linear"}), callable]


@method(
    "takes-transformer",
    family="kernel",
    role="transformer",
    supervised="yes",
    inputs=("sparse",),
    reference="Xu, Shen, Ping & Zhao, CIKM 2011, Algorithm 3",
)
class TAKESTransformer(
    KernelSamples,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Kernel-space features, on a basis whose dimension is learnt, that tell the classes apart.

    First :class:`featsieve.KernelOrthogonalBasis`, then :class:`featsieve.KernelForwardSelection` on the
    coordinates.

    Parameters
    ----------
    kernel, gamma, degree, coef0, threshold, n_components
        As in :class:`featsieve.KernelOrthogonalBasis`.
    n_features_to_select : int or float, default=None
        How many kernel-space features to keep: a number, a share of them, or None for those that the
        selection gives a weight above 0.

    Attributes
    ----------
    basis_ : KernelOrthogonalBasis
        The fitted basis.
    selection_ : KernelForwardSelection
        The fitted selection of its features.
    support_samples_ : ndarray of shape (n_features_,)
        The row of the training samples that each kept feature stands on, in the order of ``transform``'s
        columns. (The base vector is what is left of that sample outside the span of the pivots before it.)
    n_features_ : int
        How many features are kept.
    gamma_ : float or None
        The width used.

    Notes
    -----
    O(N m (d + m)) time and O(N m) memory for m base vectors. The training samples are kept, not copied, for
    :meth:`original_feature_influence`. Features are kept in the order of the basis and are not multiplied by
    their weights.

    References
    ----------
    Xu, Shen, Ping & Zhao, CIKM 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from featsieve import TAKESTransformer
    >>> X, y = load_wine(return_X_y=True)
    >>> model = TAKESTransformer(gamma="dimension", n_components=20, n_features_to_select=5).fit(scale(X), y)
    >>> model.transform(scale(X)).shape
    (178, 5)
    >>> model.original_feature_influence(of="classes").argsort()[::-1][:3]  # in the user's own columns
    array([ 9,  0, 11])
    """

    _parameter_constraints: dict = {
        **WIDTHS,
        "threshold": _THRESHOLD,
        "n_components": COMPONENTS,
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1,
        threshold: Any = "linear",
        n_components: int | None = None,
        n_features_to_select: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.threshold = threshold
        self.n_components = n_components
        self.n_features_to_select = n_features_to_select

    @with_callbacks
    def fit(self, X: Any, y: Any) -> TAKESTransformer:
        """Learn the basis and choose among its features.

        Parameters
        ----------
        X : samples
            Dense or sparse matrix, the kernel matrix if ``kernel="precomputed"``, or strings.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        y = validate_labels(self, X, y)
        with reporting(self):
            self._learn(X, y)
        return self

    def _learn(self, X: Any, y: Any) -> np.ndarray:
        """Set the attributes; return the features of the checked samples X."""
        self.basis_ = KernelOrthogonalBasis(
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            threshold=self.threshold,
            n_components=self.n_components,
        )
        self.basis_._check_samples(X, reset=True)
        F = self.basis_._learn(X).matrix()
        self.selection_ = KernelForwardSelection(self.n_features_to_select)
        self.selection_.n_features_in_ = F.shape[1]
        self.selection_._select(F, y)
        chosen = self.selection_.get_support(indices=True)
        self.support_samples_ = self.basis_.pivots_[chosen]
        self.n_features_ = chosen.size
        self.gamma_ = self.basis_.gamma_
        self._X_fit = X
        self._class_slopes = _class_slopes(F[:, chosen], y)
        return F[:, chosen]

    @with_callbacks
    def fit_transform(self, X: Any, y: Any) -> np.ndarray:
        """Fit, and return the kept features of X.

        Parameters
        ----------
        X : samples
        y : array of shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples, n_features_)
        """
        self._validate_params()
        X = self._check_samples(X, reset=True)
        y = validate_labels(self, X, y)
        with reporting(self):
            return self._learn(X, y).astype(np.float32 if X.dtype == np.float32 else np.float64, copy=False)

    def transform(self, X: Any) -> np.ndarray:
        """The kept kernel-space features of the samples.

        Parameters
        ----------
        X : samples
            With ``kernel="precomputed"``, the kernel between these samples and all that were fitted.

        Returns
        -------
        ndarray of shape (n_samples, n_features_)
        """
        check_is_fitted(self)
        F = self.basis_.transform(self._check_samples(X, reset=False))
        return F[:, self.selection_.get_support()]

    def original_feature_influence(self, of: str = "features") -> np.ndarray:
        """How much each original feature moves the kept kernel-space features.

        Parameters
        ----------
        of : {"features", "classes"}
            What is differentiated: the kept features, each by its weight in the selection (divided by the
            sum of weights), or the class indicators as regressed on all kept features together, with a
            ridge of a tenth of the mean eigenvalue.

        Returns
        -------
        ndarray of shape (n_features_in_,)
            Root mean square, over the training samples, of the derivative with respect to each original
            feature, times the standard deviation of that feature: by how much one standard deviation would
            move them, whatever the unit. 0 for a constant feature.

        Notes
        -----
        A single feature of the rbf kernel falls off in all directions alike, so that noise moves it as much
        as anything else: to find the original features that matter to the classes, as
        :class:`featsieve.TAKESRanker` does, take ``of="classes"``, where what noise does cancels.

        See Also
        --------
        featsieve.kernel_space.influence.feature_influence : The equation.
        """
        check_option("of", of, ("features", "classes"))
        check_is_fitted(self)
        if self.kernel == "precomputed" or self._X_fit.dtype.kind not in "f":
            raise ValueError(
                "original_feature_influence needs samples that are rows of numbers: with "
                "kernel='precomputed', or strings for samples, there are no original features."
            )
        chosen = self.selection_.get_support(indices=True)
        last = chosen[-1] + 1  # the base vectors after it do not matter
        directions = np.zeros((last, chosen.size if of == "features" else self._class_slopes.shape[1]))
        if of == "features":
            weights = np.maximum(self.selection_.weights_[chosen], 0.0)
            weights = weights if weights.any() else np.ones(chosen.size)
            directions[chosen, np.arange(chosen.size)] = np.sqrt(weights / weights.sum())
        else:
            directions[chosen] = self._class_slopes
        basis = self.basis_
        return feature_influence(
            basis._kernel, self._X_fit, basis.basis_[:last], basis._triangle[:last, :last], directions
        )

    @property
    def _n_features_out(self) -> int:
        return self.n_features_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _class_slopes(F: np.ndarray, y: Any) -> np.ndarray:
    """Coefficients of the class indicators regressed on the features, with a ridge."""
    codes, counts = check_labels(y, F)
    centerd = F - F.mean(axis=0)
    gram = centerd.T @ centerd
    totals = np.stack([centerd[codes == c].sum(axis=0) for c in range(counts.size)], axis=1)
    ridge = 0.1 * np.trace(gram) / len(gram)
    gram[np.diag_indices_from(gram)] += ridge if ridge > 0 else 1.0
    return solve(gram, totals, assume_a="pos")


@method(
    "takes",
    family="kernel",
    supervised="yes",
    direction="larger",
    inputs=("sparse",),
    reference="Xu, Shen, Ping & Zhao, CIKM 2011, read in the original features",
)
class TAKESRanker(Ranker, BaseEstimator):
    """How much a feature moves the classes as told from chosen features of the kernel space.

    :class:`featsieve.TAKESTransformer` chooses features of the kernel space, on which the class indicators
    are regressed together; a feature's score is the root mean square derivative of those with respect to it,
    times its standard deviation.

    Parameters
    ----------
    kernel, gamma, degree, coef0, threshold, n_components
        As in :class:`featsieve.KernelOrthogonalBasis`; the kernel cannot be "precomputed".
    n_features_to_select : int or float, default=None
        How many of the original features to keep: a number, a share of them, or None for half.

    See Also
    --------
    featsieve.TAKESTransformer : The kernel-space features themselves, and their influence in another sense.

    Notes
    -----
    The kernel sees distances between whole samples: features of different units should be standardized
    first. Residuals that are equal up to rounding go to the sample nearest the mean, so that the score does
    not depend on the order of the samples.

    Do not expect too much of it. By the accuracy of 1-NN on held-out halves (mean over numbers of features,
    standardized, five splits each) it was above random selection on six of eight tables (sonar, ionosphere,
    heart, parkinsons, wpbc, horse colic: by 0.6 to 7.5 points, the last alone beyond its 95% interval) and
    below it on the two of many classes (dermatology by 7, zoo by 16); :class:`featsieve.ReliefF` did better
    on all eight.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featsieve import TAKESRanker
    >>> TAKESRanker().fit(*load_iris(return_X_y=True)).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints: dict = {
        **WIDTHS,
        "kernel": [StrOptions(set(NAMES)), callable],
        "threshold": _THRESHOLD,
        "n_components": COMPONENTS,
        "n_features_to_select": N_FEATURES,
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1,
        threshold: Any = "linear",
        n_components: int | None = None,
        n_features_to_select: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.threshold = threshold
        self.n_components = n_components
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> np.ndarray:
        order = _from_the_mean(X)
        model = TAKESTransformer(
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            threshold=self.threshold,
            n_components=self.n_components,
        )
        model._learn(X.tocsr()[order] if hasattr(X, "tocsr") else X[order], y[order])
        # copies of a feature differ by the order of a summation alone
        return round_to_bits(model.original_feature_influence(of="classes"))


def _from_the_mean(X: Any) -> np.ndarray:
    """Samples by their distance from the mean, nearest first; equals by their content."""
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    if hasattr(X, "tocsr"):
        squares = row_norms(X.astype(np.float64), squared=True) - 2 * (X @ mean) + mean @ mean
    else:
        squares = row_norms(X - mean, squared=True)
    return np.lexsort((rank_by_content(X), round_to_bits(np.maximum(squares, 0.0))))
