"""The one list of methods: the command, the docs, the contract tests and the benchmarks all read it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar

# Packages whose modules are searched for methods.
FAMILIES = ("featsieve.scores", "featsieve.subsets", "featsieve.kernel_space")

Class = TypeVar("Class", bound=type)
Role = Literal["ranker", "transformer", "classifier"]


@dataclass(frozen=True)
class Method:
    """What is known of a method.

    Attributes
    ----------
    name : str
        What the command calls it.
    family : {"statistic", "graph", "reconstruction", "neighbor", "subset", "kernel"}
        The idea it works by.
    supervised : {"no", "yes", "optional"}
        Whether it uses labels.
    direction : {"smaller", "larger"} or None
        Which scores are better; None if it is not a ranker.
    inputs : frozenset of {"sparse", "array_api"}
        What it takes besides dense NumPy arrays and data frames.
    reference : str
        Where it comes from.
    estimator : type
        The class that runs it.
    role : {"ranker", "transformer", "classifier"}
        What it makes of a table: an order of its features, new features, or predictions.
    """

    name: str
    family: str
    supervised: Literal["no", "yes", "optional"]
    direction: Any
    inputs: frozenset[str]
    reference: str
    estimator: Any
    role: Role = "ranker"

    @property
    def summary(self) -> str:
        """The first line of the estimator's documentation."""
        return (self.estimator.__doc__ or "").strip().split("\n", 1)[0]


def method(
    name: str,
    *,
    family: str,
    supervised: Any,
    direction: Any = None,
    inputs: tuple[str, ...] = (),
    reference: str,
    role: Role = "ranker",
) -> Callable[[Class], Class]:
    """Record the decorated estimator as a method."""

    def record(cls: Class) -> Class:
        cls.method = Method(  # type: ignore[attr-defined]
            name, family, supervised, direction, frozenset(inputs), reference, cls, role
        )
        return cls

    return record


@cache
def _all() -> dict[str, Method]:
    found: dict[str, Method] = {}
    for package in FAMILIES:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, package + "."):
            for value in vars(importlib.import_module(module.name)).values():
                record = vars(value).get("method") if isinstance(value, type) else None
                if not isinstance(record, Method) or value.__module__ != module.name:
                    continue
                if record.name in found:
                    raise RuntimeError(f"two methods are called {record.name!r}")
                found[record.name] = record
    return found


def methods(role: Role | None = "ranker") -> list[Method]:
    """The methods of one role, or of all if None, by family and name.

    Examples
    --------
    >>> import featsieve
    >>> [m.name for m in featsieve.methods() if m.supervised == "no"]
    ['lle', 'lle-reconstruction', 'sparsity', 'variance']
    >>> [m.name for m in featsieve.methods(role="classifier")]
    ['knnc']
    """
    found = [m for m in _all().values() if role is None or m.role == role]
    return sorted(found, key=lambda m: (m.family, m.name))


def get_method(name: str) -> Method:
    """The method of that name; ValueError with the nearest names when there is none."""
    import difflib

    known = _all()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else f" Known methods: {', '.join(sorted(known))}."
    raise ValueError(f"unknown method {name!r}.{hint}")


def get_ranker(name: str) -> Method:
    """The method of that name, if it ranks features; ValueError otherwise."""
    found = get_method(name)
    if found.role != "ranker":
        made = "predictions" if found.role == "classifier" else "new features"
        raise ValueError(f"{name} makes {made}, so it cannot rank those of a table: see featsieve methods.")
    return found
