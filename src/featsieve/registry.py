"""The registry of methods, read by the command, the documentation, the contract tests and the benchmarks."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias, TypeVar

from sklearn.base import BaseEstimator

from featsieve.types import Direction, Supervision

Family: TypeAlias = Literal["statistic", "graph", "reconstruction", "neighbor", "subset", "kernel"]
Role: TypeAlias = Literal["ranker", "transformer", "classifier"]
Input: TypeAlias = Literal["sparse", "array_api"]
Class = TypeVar("Class", bound=type[BaseEstimator])

# Packages whose modules define methods.
PACKAGES = ("featsieve.scores", "featsieve.subsets", "featsieve.kernel_space")


@dataclass(frozen=True)
class Method:
    """Record of a registered method.

    Parameters
    ----------
    name : str
        Name of the method in the command.
    family : {"statistic", "graph", "reconstruction", "neighbor", "subset", "kernel"}
        Principle of the method: a statistic of each feature; a graph over the samples; the error of
        reconstructing samples; neighbors in each feature; a subset chosen as a whole; a kernel space.
    supervised : {"no", "yes", "optional"}
        Whether the method uses labels.
    direction : {"smaller", "larger"} or None
        Which scores are better; None if the method is not a ranker.
    inputs : frozenset of {"sparse", "array_api"}
        Supported inputs besides dense NumPy arrays and data frames.
    reference : str
        Publication that defines the method.
    estimator : type
        Class of the estimator.
    role : {"ranker", "transformer", "classifier"}, default="ranker"
        Whether the estimator ranks features, computes new features or predicts labels.

    See Also
    --------
    featsieve.methods : List the registered methods.

    Examples
    --------
    >>> import featsieve
    >>> featsieve.get_method("fisher").summary
    'Fisher score: rank features by the ratio of between-class to within-class variance.'
    """

    name: str
    family: Family
    supervised: Supervision
    direction: Direction | None
    inputs: frozenset[Input]
    reference: str
    estimator: type[BaseEstimator]
    role: Role = "ranker"

    @property
    def summary(self) -> str:
        """First line of the estimator's docstring."""
        return (self.estimator.__doc__ or "").strip().split("\n", 1)[0]


def method(
    name: str,
    *,
    family: Family,
    supervised: Supervision,
    direction: Direction | None = None,
    inputs: tuple[Input, ...] = (),
    reference: str,
    role: Role = "ranker",
) -> Callable[[Class], Class]:
    """Register the decorated estimator; the arguments are the fields of :class:`Method`."""

    def register(cls: Class) -> Class:
        cls.method = Method(name, family, supervised, direction, frozenset(inputs), reference, cls, role)
        return cls

    return register


@cache
def _all_methods() -> dict[str, Method]:
    records: dict[str, Method] = {}
    for package in PACKAGES:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, package + "."):
            for value in vars(importlib.import_module(module.name)).values():
                record = vars(value).get("method") if isinstance(value, type) else None
                if not isinstance(record, Method) or value.__module__ != module.name:
                    continue
                if record.name in records:
                    raise RuntimeError(f"Two methods have the name {record.name!r}: rename one of them.")
                records[record.name] = record
    return records


def methods(role: Role | None = "ranker") -> list[Method]:
    """List the registered methods by family and name.

    Parameters
    ----------
    role : {"ranker", "transformer", "classifier"} or None, default="ranker"
        Role of the methods to list; None for all methods.

    Returns
    -------
    list of Method
        The records of the methods.

    Examples
    --------
    >>> import featsieve
    >>> "variance" in [m.name for m in featsieve.methods() if m.supervised == "no"]
    True
    >>> [m.name for m in featsieve.methods(role="classifier")]
    ['knnc']
    """
    records = [record for record in _all_methods().values() if role in (None, record.role)]
    return sorted(records, key=lambda record: (record.family, record.name))


def get_method(name: str) -> Method:
    """Get the record of a method by its name.

    Parameters
    ----------
    name : str
        Name of the method.

    Returns
    -------
    Method
        The record of the method.

    Raises
    ------
    ValueError
        If no method has this name. The message suggests similar names.
    """
    return _find_method(name, _all_methods())


def get_ranker(name: str) -> Method:
    """Get the record of a ranker by its name; ValueError if there is none or it does not rank features."""
    records = _all_methods()
    record = records.get(name) or _find_method(
        name, {r.name: r for r in records.values() if r.role == "ranker"}
    )
    if record.role != "ranker":
        raise ValueError(
            f"method {name!r} must be a ranker; it is a {record.role}. "
            "Choose one from the output of `featsieve methods`."
        )
    return record


def _find_method(name: str, records: dict[str, Method]) -> Method:
    """Look up a record; ValueError with similar names if there is none."""
    if name in records:
        return records[name]
    similar = difflib.get_close_matches(name, records, n=3, cutoff=0.5)
    known = ", ".join(sorted(records))
    hint = f"Did you mean {' or '.join(similar)}?" if similar else f"Use one of {known}."
    raise ValueError(f"unknown method {name!r}. {hint}")
