"""Feature selection in kernel space: bases, selection on them, and what they say of the original features."""

import importlib
import pkgutil
from typing import Any


def _public() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        for name, value in vars(importlib.import_module(module.name)).items():
            ours = getattr(value, "__module__", None) == module.name
            if ours and ("method" in vars(value) or name == "kernel_reconstruction_cost"):
                found[name] = value
    return found


def __getattr__(name: str) -> Any:
    """Find an estimator by name, on first use."""
    public = {} if name.startswith("_") else _public()
    if name in public:
        return public[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(_public())
