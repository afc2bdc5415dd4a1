"""Datasets of openml.org: ``openml:NAME`` or ``openml:ID``, fetched by scikit-learn and kept in its cache."""

from __future__ import annotations

import warnings
from http.client import HTTPException
from typing import Any

import numpy as np

from featsieve.datasets.errors import DataError, brief, quoted
from featsieve.datasets.table import Table

PREFIX = "openml:"


def read_openml(source: str) -> Table:
    """A dataset by name or number, with the labels that its page names."""
    wanted = source.removeprefix(PREFIX).strip()
    if not wanted:
        raise DataError("openml: needs a name or a number, as in openml:sonar or openml:40.")
    bunch, several = _fetch(wanted)
    notes = ("several versions are active; the oldest is taken",) if several else ()
    values, labels = bunch.data, bunch.target
    columns = [str(name) for name in bunch.feature_names]
    if hasattr(values, "iloc"):
        values = values.reset_index(drop=True)
        values.columns = columns
    if labels is None or getattr(labels, "ndim", 1) != 1:
        return Table(values, columns, notes=notes)
    name = str((bunch.target_names or ["target"])[0])
    return Table(values, columns, {name: np.asarray(labels)}, notes=notes)


def _fetch(wanted: str) -> tuple[Any, bool]:
    from sklearn.datasets import fetch_openml

    which = {"data_id": int(wanted)} if wanted.isascii() and wanted.isdigit() else {"name": wanted}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            try:
                bunch = fetch_openml(**which, parser="auto")
            except TypeError:  # categories that are numbers, where scikit-learn is older than pandas
                bunch = fetch_openml(**which, parser="liac-arff")
        except MemoryError:
            raise DataError(f"{PREFIX}{wanted} does not fit into memory.") from None
        except ValueError as error:  # a name or number that is not there, data in a form that is not read
            raise DataError(f"openml.org has no dataset {quoted(wanted)} to use: {brief(error)}.") from error
        except (OSError, HTTPException) as error:
            raise DataError(
                f"openml.org cannot be reached for {quoted(wanted)} ({brief(error)}): check the network, "
                "or save the data as a file."
            ) from error
    return bunch, any("ultiple active versions" in str(warning.message) for warning in caught)
