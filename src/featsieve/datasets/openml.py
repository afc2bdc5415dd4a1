"""Datasets of openml.org: ``openml:NAME`` or ``openml:ID``, downloaded and cached by scikit-learn."""

from __future__ import annotations

import warnings
from http.client import HTTPException
from typing import Any

import numpy as np

from featsieve.datasets.errors import DataError, error_reason, quote
from featsieve.datasets.table import Table

PREFIX = "openml:"


def read_openml(source: str) -> Table:
    """Load a dataset by name or number, with the labels that openml.org declares."""
    identifier = source.removeprefix(PREFIX).strip()
    if not identifier:
        raise DataError("openml: needs a name or a number, as in openml:sonar or openml:40.")
    bunch, has_versions = _fetch(identifier)
    notes = ("Several versions are active on openml.org; the oldest was used.",) if has_versions else ()
    values, labels = bunch.data, bunch.target
    columns = [str(name) for name in bunch.feature_names]
    if hasattr(values, "iloc"):
        values = values.reset_index(drop=True)
        values.columns = columns
    if labels is None or getattr(labels, "ndim", 1) != 1:
        return Table(values, columns, notes=notes)
    name = str((bunch.target_names or ["target"])[0])
    return Table(values, columns, {name: np.asarray(labels)}, notes=notes)


def _fetch(identifier: str) -> tuple[Any, bool]:
    """Download a dataset; return it and whether several versions are active."""
    from sklearn.datasets import fetch_openml

    is_number = identifier.isascii() and identifier.isdigit()
    query = {"data_id": int(identifier)} if is_number else {"name": identifier}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            try:
                bunch = fetch_openml(**query, parser="auto")
            except TypeError:  # numeric categories, if scikit-learn is older than pandas
                bunch = fetch_openml(**query, parser="liac-arff")
        except MemoryError:
            raise DataError(f"{PREFIX}{identifier} does not fit into memory.") from None
        except ValueError as error:  # an unknown name or number, or data that scikit-learn cannot parse
            raise DataError(
                f"openml.org has no usable dataset {quote(identifier)}: {error_reason(error)}."
            ) from error
        except (OSError, HTTPException) as error:
            raise DataError(
                f"openml.org cannot be reached for {quote(identifier)} ({error_reason(error)}): check the "
                "network, or save the data as a file."
            ) from error
    return bunch, any("ultiple active versions" in str(warning.message) for warning in caught)
