"""Methods that a comparison runs: registered methods, estimators, and the baselines."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import joblib
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from featsieve.evaluation.versions import source_hash
from featsieve.registry import WITH_LABELS, Method, get_ranker, methods

RANDOM, ALL, VARIANCE = "random", "all", "variance"
# Groups of methods, by whether they are fitted with the labels.
GROUPS = {"all": (False, True), "unsupervised": (False,), "supervised": (True,)}
# Other columns of the table of ranks.
RESERVED_LABELS = ("column", "consensus")
# Parameters of methods given by name. Dropping 1% of the features per round keeps the number of rounds
# bounded; one by one, the time would grow with the square of the number of features.
NAMED_PARAMETERS = {"step": 0.01, "random_state": 0}

RoleOfLabels = Literal["needs", "uses", "ignores"]
_Scalar = int | float | str | None


@dataclass(frozen=True, eq=False)
class Candidate:
    """A method and its label.

    Attributes
    ----------
    label : str
        Name in the results.
    estimator : estimator or None
        None for "random" and "all", which are not fitted.
    uses_labels : bool
        Whether it is fitted with the labels of the training set.
    """

    label: str
    estimator: Any
    uses_labels: bool = False

    @property
    def record(self) -> Any:
        """Record of the method, None for an estimator that is not registered."""
        return _record(self.estimator)

    @property
    def can_use_labels(self) -> bool:
        """Whether it is fitted without labels and could use them."""
        return not self.uses_labels and role_of_labels(self.estimator) == "uses"

    @property
    def unscaled(self) -> bool:
        """Whether it is fitted on columns that are not standardized: it ranks variances, or needs counts."""
        record = _record(self.estimator)
        return bool(record and record.name == VARIANCE) or get_tags(self.estimator).input_tags.positive_only

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the estimator, including those of nested estimators, sorted by name."""
        return {} if self.estimator is None else dict(sorted(self.estimator.get_params(deep=True).items()))

    @property
    def seeds(self) -> list[str]:
        """Names of the random states that are None; without any, each fit gives the same result."""
        unset = [name for name, value in self.parameters.items() if value is None]
        return [name for name in unset if name.split("__")[-1] == "random_state"]

    @property
    def target_parameters(self) -> list[str]:
        """Names of the parameters for the kind of the labels, also those of nested estimators."""
        return [name for name in self.parameters if name.split("__")[-1] == "target"]

    @property
    def components(self) -> list[Any]:
        """The estimator and its parameters, whose code computes the order."""
        return [self.estimator, *self.parameters.values()]

    @property
    def source(self) -> str:
        """Hash of the source that the fit depends on."""
        return source_hash(*self.components)

    def set_target(self, kind: str) -> None:
        """Set the kind of the labels, "classes" or "numeric", unless the estimator has its own."""
        if self.uses_labels:
            names = [name for name in self.target_parameters if self.parameters[name] == "auto"]
            self.estimator.set_params(**dict.fromkeys(names, kind))

    def info(self) -> dict[str, Any]:
        """Return the description that is stored with the run."""
        record = _record(self.estimator)
        return {
            "method": record.name if record else None,
            "supervised": record.supervised if record else ("yes" if self.uses_labels else "no"),
            "estimator": None if self.estimator is None else type(self.estimator).__qualname__,
            "uses_labels": self.uses_labels,
            "parameters": {name: _describe(value) for name, value in self.parameters.items()},
        }


def choose_candidates(requested: Any, labeled: bool, numeric: bool = False) -> list[Candidate]:
    """Return random selection, all features, variance, and the requested methods of :func:`compare`."""
    baselines = (
        Candidate(RANDOM, None),
        Candidate(ALL, None),
        Candidate(VARIANCE, get_ranker(VARIANCE).make()),
    )
    candidates = {candidate.label: candidate for candidate in baselines}
    for candidate in _expand_all(requested, labeled):
        label = candidate.label
        known = candidates.setdefault(label, candidate)
        differs = candidate.info() != known.info()
        if label in RESERVED_LABELS or (differs and known in baselines):
            raise ValueError(f"the label {label!r} is taken: choose another label for the method.")
        if differs:
            raise ValueError(f"two methods have the label {label!r}: pass a dict of label to estimator.")
    for candidate in candidates.values():
        candidate.set_target("numeric" if numeric else "classes")
    return list(candidates.values())


def names_groups(requested: Any) -> bool:
    """Return whether methods are requested only by the names of groups."""
    names = [requested] if isinstance(requested, str) else requested
    return isinstance(names, list | tuple) and all(isinstance(name, str) and name in GROUPS for name in names)


def _expand_all(requested: Any, labeled: bool) -> list[Candidate]:
    if requested is None:
        return [candidate for method in methods() for candidate in _variants(method, labeled)]
    if isinstance(requested, Mapping):
        return [_from_mapping(label, item, labeled) for label, item in requested.items()]
    if isinstance(requested, str) or not isinstance(requested, Iterable):
        requested = [requested]
    return [candidate for item in requested for candidate in _expand(item, labeled)]


def _expand(item: Any, labeled: bool) -> list[Candidate]:
    if not isinstance(item, str):
        record, text = _record(item), " ".join(repr(item).split())
        return [_from_mapping(record.name if record and text.endswith("()") else text, item, labeled)]
    if item == RANDOM:
        return []
    if item in GROUPS:
        variants = (candidate for method in methods() for candidate in _variants(method, True))
        return [candidate for candidate in variants if candidate.uses_labels in GROUPS[item]]
    return [find_candidate(item)]


def find_candidate(label: str) -> Candidate:
    """Return the method of a label, such as "fisher", "spfs+labels" or "diverse:laplacian"."""
    get_ranker(label)  # checks that the method is known, and that it can use labels
    base = label.removesuffix(WITH_LABELS)
    variants = _variants(get_ranker(base), True)
    if base != label and not variants[-1].uses_labels:
        raise ValueError(f"{base} uses no labels: remove {WITH_LABELS!r}.")
    # "fisher+labels" is "fisher", which always uses labels
    return next((candidate for candidate in variants if candidate.label == label), variants[-1])


def _variants(method: Method, labeled: bool) -> list[Candidate]:
    """Return the method without labels, with labels, or both, as far as possible."""
    role = role_of_labels(method.make())
    variants = [Candidate(method.name, _named_estimator(method), role == "needs")]
    if role == "uses" and labeled:
        variants.append(Candidate(method.name + WITH_LABELS, _named_estimator(method), True))
    return variants


def _named_estimator(method: Method) -> Any:
    estimator = method.make()
    names = [(name, name.split("__")[-1]) for name in estimator.get_params(deep=True)]
    return estimator.set_params(
        **{name: NAMED_PARAMETERS[last] for name, last in names if last in NAMED_PARAMETERS}
    )


def _from_mapping(label: str, item: Any, labeled: bool) -> Candidate:
    if isinstance(item, str):
        named = find_candidate(item)
        return Candidate(label, named.estimator, named.uses_labels)
    if isinstance(item, type) or not (hasattr(item, "fit") and hasattr(item, "get_params")):
        raise ValueError(f"`methods` must be names or estimators; got {item!r} for {label!r}.")
    role = role_of_labels(item)
    return Candidate(str(label), clone(item), role == "needs" or (labeled and role == "uses"))


def _record(estimator: Any) -> Method | None:
    record = getattr(type(estimator), "method", None)
    return record if isinstance(record, Method) else None


def role_of_labels(estimator: Any) -> RoleOfLabels:
    """Return whether the estimator needs, uses or ignores labels, by fitting it on a few samples."""
    record = _record(estimator)
    if record and record.supervised == "no":
        return "ignores"
    if get_tags(estimator).target_tags.required:
        return "needs"
    has_defaults = repr(estimator).endswith("()")
    return _try_labels_by_name(record.name) if record and has_defaults else _try_labels(estimator)


@cache
def _try_labels_by_name(name: str) -> RoleOfLabels:
    return _try_labels(get_ranker(name).make())


def _try_labels(estimator: Any) -> RoleOfLabels:
    X = np.random.default_rng(0).standard_normal((24, 5))
    orders = []
    for y in (None, np.arange(24) % 2, np.arange(24) // 12):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                orders.append(feature_order(clone(estimator).fit(X, y), 5).tolist())
        except Exception:  # an estimator may raise anything without labels, or with them
            orders.append(None)
    unlabeled, first, second = orders
    if unlabeled is None and first is not None:
        return "needs"
    return "ignores" if unlabeled == first == second else "uses"


def feature_order(estimator: Any, n_features: int) -> np.ndarray:
    """Return the feature indices, best first, of a fitted selector of featsieve or scikit-learn."""
    name = type(estimator).__name__
    order = getattr(estimator, "order_", None)
    if order is None:
        ranks = getattr(estimator, "ranking_", None)
        scores = getattr(estimator, "scores_", getattr(estimator, "feature_importances_", None))
        if ranks is not None:
            order = np.argsort(ranks, kind="stable")
        elif scores is not None:
            scores = np.nan_to_num(np.asarray(scores, dtype=np.float64), nan=-np.inf)
            order = np.argsort(-scores, kind="stable")
        else:
            raise ValueError(f"{name} ranks no features: it has no order_, ranking_ or scores_ after fit.")
    order = np.asarray(order)
    if order.shape != (n_features,) or not np.array_equal(np.sort(order), np.arange(n_features)):
        raise ValueError(f"{name} does not rank each of the {n_features} features once.")
    return order.astype(np.intp)


def _describe(value: Any) -> Any:
    """Return a parameter as a JSON value."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, _Scalar):
        return value
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if (
        isinstance(value, list | tuple)
        and len(value) < 100
        and all(isinstance(item, _Scalar) for item in value)
    ):
        return list(value)
    name = getattr(value, "__qualname__", type(value).__name__)
    try:
        return f"{name} {joblib.hash(value)[:12]}"
    except Exception:  # lambdas cannot be pickled
        return name
