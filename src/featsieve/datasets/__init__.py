"""Data to rank: files in common formats, and the datasets that are included in scikit-learn."""

import importlib
from typing import TYPE_CHECKING, Any

from featsieve.datasets.catalog import Entry, catalog
from featsieve.datasets.embedded import names
from featsieve.datasets.errors import DataError, DataNotFoundError
from featsieve.datasets.formats import extensions
from featsieve.datasets.options import TableOptions

if TYPE_CHECKING:
    from featsieve.datasets.loading import Dataset, load
    from featsieve.datasets.saving import save

__all__ = [
    "DataError",
    "DataNotFoundError",
    "Dataset",
    "Entry",
    "TableOptions",
    "catalog",
    "extensions",
    "load",
    "names",
    "save",
]

_MODULES = {"Dataset": "loading", "load": "loading", "save": "saving"}


def __getattr__(name: str) -> Any:
    """Import what needs NumPy on first use, so that the command can list extensions quickly."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
