"""One method in each file: a pure function, the estimator that calls it, and its record."""

import importlib
import pkgutil
from typing import Any


def _functions() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.endswith("_score") and getattr(value, "__module__", None) == module.name:
                found[name] = value
    return found


def __getattr__(name: str) -> Any:
    """Find a score's function by name, on first use."""
    functions = {} if name.startswith("_") else _functions()
    if name in functions:
        return functions[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The functions, for completion."""
    return sorted(_functions())
