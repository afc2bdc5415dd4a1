from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions

from featsieve.engines.arrays import as_matrix
from featsieve.engines.progress import track
from featsieve.registry import Input, method
from featsieve.selectors import Ranker
from featsieve.subsets._columns import UnitColumns
from featsieve.targets import TARGET, TargetType, encode_targets, is_numeric
from featsieve.types import Indices, MatrixLike, NFeatures

# Models available by name: the inputs that they support, and a classifier and a regressor.
_INPUTS: dict[str, frozenset[Input]] = {
    "forest": frozenset({"sparse", "multioutput"}),
    "boosting": frozenset(),  # its splits of sparse and dense data differ by rounding
}
_MODELS: dict[str, tuple[BaseEstimator, BaseEstimator]] = {
    "forest": (RandomForestClassifier(), RandomForestRegressor()),
    # with all features at each split, wide data with many classes would take hours
    "boosting": (
        GradientBoostingClassifier(max_features="sqrt"),
        GradientBoostingRegressor(max_features="sqrt"),
    ),
}


def model_importance_score(model: BaseEstimator, X: MatrixLike) -> NDArray[np.float64]:
    r"""Compute the importance of each feature for a fitted model.

    .. math:: \frac{s_j}{T} \sum_{t=1}^{T} |a_{tj}|

    a are the coefficients of a linear model for T classes or targets, and s are the standard deviations of
    the features. For models with ``feature_importances_``, such as forests, the result is that attribute.

    Parameters
    ----------
    model : estimator
        Fitted scikit-learn estimator with ``coef_`` or ``feature_importances_``, or a pipeline that ends with
        one. The other steps of a pipeline must keep the number of features.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples on which the model was fitted.

    Returns
    -------
    ndarray of shape (n_features,)
        Importances; larger is better. A constant feature gets 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from featsieve.subsets import model_importance_score
    >>> X, y = load_iris(return_X_y=True)
    >>> model_importance_score(LogisticRegression(max_iter=1000).fit(X, y), X).round(1)
    array([0.3, 0.3, 3.2, 1. ])
    """
    n_features = as_matrix(X).shape[1]
    if isinstance(model, Pipeline):
        X = model[:-1].transform(X) if len(model) > 1 else X
        model = model[-1]
    if hasattr(model, "feature_importances_"):
        scores = np.asarray(model.feature_importances_, dtype=np.float64)
    elif hasattr(model, "coef_"):
        X = as_matrix(X)
        coefficients = model.coef_.toarray() if sp.issparse(model.coef_) else np.asarray(model.coef_)
        deviations = UnitColumns(X).norms / np.sqrt(X.shape[0])
        scores = np.abs(coefficients.reshape(-1, X.shape[1])).mean(axis=0) * deviations
    else:
        raise ValueError(
            "`estimator` must have `coef_` or `feature_importances_` after fit; got "
            f"{type(model).__name__}. Use importance='permutation'."
        )
    if scores.shape != (n_features,):
        raise ValueError(
            f"`estimator` must have one importance per feature ({n_features}); got {scores.size}. "
            "Use importance='permutation', or remove the steps that combine features."
        )
    return scores


@method(
    "forest",
    family="subset",
    supervised="yes",
    direction="larger",
    inputs=("sparse", "multioutput"),
    variants={"boosting": {"estimator": "boosting"}},
    scale_invariant=True,
    reference="Breiman, Machine Learning 2001; Friedman, Annals of Statistics 2001",
)
class ModelImportance(Ranker, BaseEstimator):
    """Model importance: rank features by their importance for a random forest, boosting or another model.

    Parameters
    ----------
    estimator : {"forest", "boosting"} or estimator, default="forest"
        Random forest of 100 trees, gradient boosting of 100 rounds, or any scikit-learn estimator.
    importance : {"auto", "permutation"}, default="auto"
        "auto" reads ``feature_importances_``, or ``coef_`` times the standard deviations of the features.
        "permutation" is the loss of accuracy or R^2 on held-out samples when a feature is permuted; it can be
        negative.
    target : {"auto", "numeric", "classes"}, default="auto"
        Type of the targets, for models given by name. "auto" treats numbers as numeric if they have
        fractions, or more than 20 distinct values and more than one value per five samples.
    random_state : int or RandomState, default=None
        Seed of a model given by name, of the held-out samples and of the permutations.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model; a pipeline with a scaler if the model is given by name. With
        ``importance="permutation"``, it is fitted on three quarters of the samples.

    See Also
    --------
    featsieve.subsets.model_importance_score : The equation.
    featsieve.L1Path : Rank features by the lasso.
    sklearn.feature_selection.SelectFromModel : Select features with importances above a threshold.

    Notes
    -----
    The importances of trees are the mean decreases of the impurity. They share importance among correlated
    features, and prefer features with many distinct values.

    Boosting examines a random subset of sqrt(n_features) features at each split, as the forest does for
    classes. Boosting with all features, ``ModelImportance(GradientBoostingClassifier())``, is often more
    accurate, but much slower on wide data. Histogram-based boosting has no ``feature_importances_`` and needs
    ``importance="permutation"``, which takes 10 predictions per feature.

    References
    ----------
    Breiman, Machine Learning 2001. Friedman, Annals of Statistics 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import LinearSVC
    >>> from featsieve import ModelImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> ModelImportance(random_state=0, n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 3])
    >>> ModelImportance(LinearSVC(), n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    _parameter_constraints: dict[str, Any] = {
        "estimator": [StrOptions({"forest", "boosting"}), HasMethods("fit")],
        "importance": [StrOptions({"auto", "permutation"})],
        "target": TARGET,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Literal["forest", "boosting"] | BaseEstimator = "forest",
        *,
        importance: Literal["auto", "permutation"] = "auto",
        target: TargetType = "auto",
        random_state: int | np.random.RandomState | None = None,
        n_features_to_select: NFeatures = None,
    ) -> None:
        self.estimator = estimator
        self.importance = importance
        self.target = target
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> NDArray[np.float64]:
        X, y = _with_short_indices(X), np.asarray(y)
        y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        model, y, classes = self._prepare(X, y)
        if self.importance == "auto":
            self.estimator_ = self._fit(model, X, y)
            return model_importance_score(self.estimator_, X)
        train, test = _split(len(y), classes, self.random_state)
        self.estimator_ = self._fit(model, X[train], y[train])
        result = permutation_importance(
            self.estimator_, X[test], y[test], n_repeats=10, random_state=self.random_state
        )
        return np.asarray(result.importances_mean)

    def _fit(self, model: Any, X: Any, y: Any) -> Any:
        for unfitted in track([model], 1, "model"):
            unfitted.fit(X, y)
        return model

    def _prepare(self, X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[Any], Indices | None]:
        """Return the model to fit, its target, and the class indices of a single target with classes."""
        by_name = isinstance(self.estimator, str)
        numeric_by_model = self.target == "auto" and not by_name and is_regressor(self.estimator)
        target: TargetType = "numeric" if numeric_by_model else self.target
        targets = encode_targets(y, X, target)
        numeric = [is_numeric(column, target) for column in (y.T if y.ndim == 2 else [y])]
        if all(numeric):
            y = y.astype(np.float64)
        elif any(numeric):  # numbers and classes: one regression on the numbers and the class indicators
            y = targets.values
        if not by_name:
            return clone(self.estimator), y, targets.codes
        model = clone(_MODELS[str(self.estimator)][1 if any(numeric) else 0])
        model.set_params(random_state=self.random_state)
        # trees compute in float32, and treat values within 1e-7 as equal
        return make_pipeline(StandardScaler(with_mean=not sp.issparse(X)), model), y, targets.codes

    @property
    def _inputs(self) -> frozenset[Input]:
        if isinstance(self.estimator, str):
            inputs = _INPUTS.get(self.estimator, self.method.inputs)
        else:
            tags = get_tags(self.estimator)
            accepted: dict[Input, bool] = {
                "sparse": tags.input_tags.sparse,
                "multioutput": tags.target_tags.multi_output,
            }
            inputs = frozenset(kind for kind, accepts in accepted.items() if accepts)
        return inputs if self.importance == "auto" else inputs - {"sparse"}


def _with_short_indices(X: Any) -> Any:
    """Convert the indices of a sparse matrix to 32 bits if they fit; trees accept no others."""
    if not sp.issparse(X) or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def _split(
    n_samples: int, classes: Indices | None, random_state: int | np.random.RandomState | None
) -> tuple[Indices, Indices]:
    """Hold out a quarter of the samples, of each class if all classes are large enough."""
    if classes is not None:
        counts = np.bincount(classes)
        if counts.min() < 2 or -(-n_samples // 4) < counts.size:
            classes = None
    train, test = train_test_split(np.arange(n_samples), stratify=classes, random_state=random_state)
    return train, test
