"""The registry of methods, read by the command, the documentation, the contract tests and the benchmarks."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar

from sklearn.base import BaseEstimator, clone

from featsieve.types import Direction, Supervision

Family: TypeAlias = Literal["statistic", "graph", "reconstruction", "neighbor", "subset", "kernel"]
Role: TypeAlias = Literal["ranker", "transformer", "classifier"]
Input: TypeAlias = Literal["sparse", "array_api", "chunked", "multioutput"]
Class = TypeVar("Class", bound=type[BaseEstimator])

# Suffix of the name of a method that works without labels but is fitted with them.
WITH_LABELS = "+labels"
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
    inputs : frozenset of {"sparse", "array_api", "chunked", "multioutput"}
        Supported inputs besides dense NumPy arrays and data frames; "chunked" means dask arrays, memory maps,
        Zarr arrays and HDF5 datasets, "multioutput" means several targets.
    reference : str
        Publication that defines the method.
    estimator : type
        Class of the estimator.
    role : {"ranker", "transformer", "classifier"}, default="ranker"
        Whether the estimator ranks features, computes new features or predicts labels.
    parameters : mapping, default={}
        Parameters of the estimator that differ from its defaults.
    scale_invariant : bool, default=False
        Whether multiplying features by positive numbers, such as a change of their units, does not affect
        the ranking.
    scale_invariant_with_labels : bool, default=False
        Whether that holds if labels, which are optional, are passed.

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
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    scale_invariant: bool = False
    scale_invariant_with_labels: bool = False

    def make(self, **parameters: Any) -> BaseEstimator:
        """Make the estimator of the method.

        Parameters
        ----------
        **parameters : object
            Parameters of the estimator.

        Returns
        -------
        estimator
            An estimator that is not fitted.
        """
        own = {name: clone(value, safe=False) for name, value in self.parameters.items()}
        return self.estimator(**(own | parameters))

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
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    scale_invariant: bool = False,
    scale_invariant_with_labels: bool = False,
) -> Callable[[Class], Class]:
    """Register the decorated estimator; the arguments are the fields of :class:`Method`.

    ``variants`` are further methods by name, with the parameters of the estimator that define them.
    """

    def register(cls: Class) -> Class:
        cls.method = Method(
            name,
            family,
            supervised,
            direction,
            frozenset(inputs),
            reference,
            cls,
            role,
            scale_invariant=scale_invariant,
            scale_invariant_with_labels=scale_invariant_with_labels,
        )
        cls._variants = variants or {}
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
                for variant in [record, *_variants(record)]:
                    if variant.name in records:
                        raise RuntimeError(f"Two methods have the name {variant.name!r}: rename one of them.")
                    records[variant.name] = variant
    return records


def _variants(record: Method) -> list[Method]:
    """Return the records of the same estimator with other parameters, which may support other inputs."""
    estimator: Any = record.estimator
    return [
        replace(record, name=name, parameters=parameters, inputs=estimator(**parameters)._inputs)
        for name, parameters in estimator._variants.items()
    ]


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
        Name of the method. ``"diverse:fisher"`` is the method "diverse" with "fisher" as its parameter
        ``ranker``; "iterative" can be combined with other methods in the same way. ``"spfs+labels"`` is the
        method "spfs" with labels, which are optional for it; its record has ``supervised="yes"``.

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
    rankers = {r.name: r for r in records.values() if r.role == "ranker"}
    record = records.get(name) or _find_method(name, rankers)
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
    base = name.removesuffix(WITH_LABELS)
    if base != name:
        return _require_labels(_find_method(base, records))
    outer, separator, inner = name.partition(":")
    if separator and outer in records:
        return _combine(records[outer], get_ranker(inner))
    similar = difflib.get_close_matches(name, records, n=3, cutoff=0.5)
    known = ", ".join(sorted(records))
    hint = f"Did you mean {' or '.join(similar)}?" if similar else f"Use one of {known}."
    raise ValueError(f"unknown method {name!r}. {hint}")


def _require_labels(record: Method) -> Method:
    """Return the record of a method that is fitted with labels."""
    if record.supervised == "no":
        raise ValueError(f"{record.name} uses no labels: remove {WITH_LABELS!r}.")
    if record.supervised == "yes":
        return record
    is_invariant = record.scale_invariant or record.scale_invariant_with_labels
    return replace(record, name=record.name + WITH_LABELS, supervised="yes", scale_invariant=is_invariant)


def _combine(outer: Method, inner: Method) -> Method:
    """Return the record of a method whose parameter ``ranker`` is another method."""
    if "ranker" not in outer.estimator().get_params(deep=False):
        raise ValueError(f"{outer.name} cannot be combined with {inner.name}: it has no parameter `ranker`.")
    parameters = {**outer.parameters, "ranker": inner.make()}
    estimator: Any = outer.estimator(**parameters)
    return replace(
        outer,
        name=f"{outer.name}:{inner.name}",
        supervised=inner.supervised,
        direction=estimator._direction,
        inputs=estimator._inputs,
        parameters=parameters,
        scale_invariant=inner.scale_invariant,
        scale_invariant_with_labels=inner.scale_invariant_with_labels,
    )
