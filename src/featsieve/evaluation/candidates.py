"""What is compared: methods of the registry, estimators, and the baselines that are always there."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from featsieve.registry import Method, get_ranker, methods

RANDOM, ALL, VARIANCE = "random", "all", "variance"
# What is added to the name of a method that can do without labels and gets them here.
WITH_LABELS = "+labels"
GROUPS = ("all", "unsupervised", "supervised")
# What the table of ranks calls its other columns.
_COLUMNS = ("column", "consensus")
# The share of all features that a method given by name drops in each round: one by one, its time would grow
# with the square of the number of features.
STEP = 0.01
# Up to so many numbers in the data every method is quick.
SMALL = 200_000


@dataclass(frozen=True, eq=False)
class Candidate:
    """A method under its label.

    Attributes
    ----------
    label : str
    estimator : estimator or None
        None for "random" and "all", which learn nothing.
    uses_labels : bool
        Whether it is given the labels of the training part.
    """

    label: str
    estimator: Any
    uses_labels: bool = False

    @property
    def raw(self) -> bool:
        """Whether it sees columns as they are: standardized, all have the same variance, and no counts."""
        record = _record(self.estimator)
        return bool(record and record.name == VARIANCE) or get_tags(self.estimator).input_tags.positive_only

    @property
    def seeds(self) -> list[str]:
        """Names of its parameters that want random numbers: with none, fitting again gives the same."""
        parameters = {} if self.estimator is None else self.estimator.get_params(deep=True)
        undecided = (name for name, value in parameters.items() if value is None)
        return sorted(name for name in undecided if name.split("__")[-1] == "random_state")

    def info(self) -> dict[str, Any]:
        """What the store keeps of it."""
        record = _record(self.estimator)
        return {
            "method": record.name if record else None,
            "supervised": record.supervised if record else ("yes" if self.uses_labels else "no"),
            "estimator": None if self.estimator is None else type(self.estimator).__qualname__,
            "uses_labels": self.uses_labels,
            "parameters": {} if self.estimator is None else _parameters(self.estimator),
        }


def choose(wanted: Any, labeled: bool, numeric: bool = False, small: bool = True) -> list[Candidate]:
    """The candidates, baselines first.

    Parameters
    ----------
    wanted : str, estimator, iterable of them, mapping from label to estimator, or None
        Names of methods or groups; "name+labels" has a method use labels that can do without. None is every
        method that can run, or for data that is not small those that are quick.
    labeled : bool
        Whether there are labels.
    numeric : bool, default=False
        Whether they are numbers.
    small : bool, default=True
    """
    found = {
        RANDOM: Candidate(RANDOM, None),
        ALL: Candidate(ALL, None),
        VARIANCE: Candidate(VARIANCE, get_ranker(VARIANCE).estimator()),
    }
    asked: dict[str, Candidate] = {}
    for each in _candidates(wanted, labeled, small):
        if each.label in asked and each.info() != asked[each.label].info():
            raise ValueError(f"two methods are called {each.label!r}: give a dict from label to estimator.")
        asked[each.label] = each
    for label, each in asked.items():
        if label in _COLUMNS or (label in found and each.info() != found[label].info()):
            raise ValueError(f"the label {label!r} is taken: give the method another one.")
        found.setdefault(label, each)
    if numeric:
        for each in found.values():
            if each.uses_labels and each.estimator.get_params().get("target") == "auto":
                each.estimator.set_params(target="numeric")
    return list(found.values())


def _candidates(wanted: Any, labeled: bool, small: bool) -> Iterable[Candidate]:
    if wanted is None:
        quick = [method for method in methods() if small or method.inputs]
        runnable = [m for m in quick if labeled or role_of_labels(m.estimator()) != "needs"]
        return [each for method in runnable for each in _variants(method, labeled)]
    if isinstance(wanted, Mapping):
        return [_given(label, each, labeled) for label, each in wanted.items()]
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        wanted = [wanted]
    return [each for item in wanted for each in _expand(item, labeled)]


def _expand(item: Any, labeled: bool) -> list[Candidate]:
    if not isinstance(item, str):
        record, text = _record(item), " ".join(repr(item).split())
        return [_given(record.name if record and text.endswith("()") else text, item, labeled)]
    if item == RANDOM:
        return []
    if item in GROUPS:
        found = [each for method in methods() for each in _variants(method, True)]
        return [each for each in found if item == "all" or each.uses_labels == (item == "supervised")]
    return [_named(item)]


def _named(name: str) -> Candidate:
    base = name.removesuffix(WITH_LABELS)
    method = get_ranker(base)
    if name != base and method.supervised == "no":
        raise ValueError(f"{base} uses no labels: leave out {WITH_LABELS!r}.")
    for each in _variants(method, True):
        if each.label == name:
            return each
    # "fisher+labels" is fisher, which always uses them
    return _variants(method, True)[-1]


def _variants(method: Method, labeled: bool) -> list[Candidate]:
    """The method as it runs: without labels, with them, or both where both are possible."""
    role = role_of_labels(method.estimator())
    found = [Candidate(method.name, _default(method), role == "needs")]
    if role == "uses" and labeled:
        found.append(Candidate(method.name + WITH_LABELS, _default(method), True))
    return found


def _default(method: Method) -> Any:
    """The estimator of a method that is named, with the parameters that a comparison uses."""
    estimator = method.estimator()
    parameters = {"step": STEP, "random_state": 0}
    return estimator.set_params(
        **{name: value for name, value in parameters.items() if name in estimator.get_params(deep=False)}
    )


def _given(label: str, item: Any, labeled: bool) -> Candidate:
    if isinstance(item, str):
        each = _named(item)
        return Candidate(label, each.estimator, each.uses_labels)
    if isinstance(item, type) or not (hasattr(item, "fit") and hasattr(item, "get_params")):
        raise ValueError(f"methods must be names or estimators, got {item!r} for {label!r}.")
    role = role_of_labels(item)
    return Candidate(str(label), clone(item), role == "needs" or (labeled and role == "uses"))


def _record(estimator: Any) -> Method | None:
    record = getattr(type(estimator), "method", None)
    return record if isinstance(record, Method) else None


def role_of_labels(estimator: Any) -> str:
    """Whether the estimator "needs", "uses" or "ignores" labels, found by trying it on a few samples."""
    record = _record(estimator)
    if record and record.supervised == "no":
        return "ignores"
    if get_tags(estimator).target_tags.required:
        return "needs"
    plain = record and repr(estimator).endswith("()")
    return _tried_by_name(record.name) if record and plain else _tried(estimator)


@cache
def _tried_by_name(name: str) -> str:
    return _tried(get_ranker(name).estimator())


def _tried(estimator: Any) -> str:
    X = np.random.default_rng(0).standard_normal((24, 5))
    outcomes = []
    for y in (None, np.arange(24) % 2, np.arange(24) // 12):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcomes.append(feature_order(clone(estimator).fit(X, y), 5).tolist())
        except Exception:  # whatever it cannot do, it cannot do
            outcomes.append(None)
    without, first, second = outcomes
    if without is None and first is not None:
        return "needs"
    return "ignores" if without == first == second else "uses"


def feature_order(estimator: Any, n_features: int) -> np.ndarray:
    """Feature indices, best first, of a fitted selector of featsieve or scikit-learn."""
    order = getattr(estimator, "order_", None)
    if order is None:
        ranks = getattr(estimator, "ranking_", None)
        scores = getattr(estimator, "scores_", getattr(estimator, "feature_importances_", None))
        if ranks is not None:
            order = np.argsort(ranks, kind="stable")
        elif scores is not None:
            order = np.argsort(
                -np.nan_to_num(np.asarray(scores, dtype=np.float64), nan=-np.inf), kind="stable"
            )
        else:
            name = type(estimator).__name__
            raise ValueError(f"{name} ranks no features: it has no order_, ranking_ or scores_ after fit.")
    order = np.asarray(order)
    if order.shape != (n_features,) or not np.array_equal(np.sort(order), np.arange(n_features)):
        raise ValueError(f"{type(estimator).__name__} does not rank each of the {n_features} features once.")
    return order.astype(np.intp)


def _parameters(estimator: Any) -> dict[str, Any]:
    """The parameters as JSON has them, those of inner estimators too."""
    return {name: _plain(value) for name, value in sorted(estimator.get_params(deep=True).items())}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if (
        isinstance(value, list | tuple)
        and len(value) < 100
        and all(each is None or isinstance(each, bool | int | float | str) for each in value)
    ):
        return list(value)
    name = getattr(value, "__qualname__", type(value).__name__)
    try:
        return f"{name} {joblib.hash(value)[:12]}"
    except Exception:  # it cannot be pickled, as a lambda
        return name
