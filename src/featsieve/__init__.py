"""featsieve: find the few features that matter in high-dimensional data, with or without labels."""

from typing import Any

__version__ = "0.1.0"
_MODULES = ("datasets", "evaluation", "graphs", "kernel_space", "registry", "report", "scores")


def __getattr__(name: str) -> Any:
    """Find public names on first use, so that ``import featsieve`` stays light."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _public():
        return _public()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _public() -> dict[str, Any]:
    from featsieve import graphs, registry
    from featsieve.kernel_space.reconstruction import kernel_reconstruction_cost

    found = {"methods": registry.methods, "get_method": registry.get_method, "Method": registry.Method}
    found["kernel_reconstruction_cost"] = kernel_reconstruction_cost
    found |= {name: getattr(graphs, name) for name in graphs.__all__ if name[0].isupper()}
    found |= {m.estimator.__name__: m.estimator for m in registry.methods(role=None)}
    return found


def __dir__() -> list[str]:
    """Public names, for completion."""
    return sorted([*_public(), *_MODULES, "__version__"])
