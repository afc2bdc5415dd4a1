"""From a name or a file to a matrix of numbers, labels, and the names of the columns."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.datasets.arrays import read_arrays
from featsieve.datasets.embedded import read_embedded
from featsieve.datasets.errors import DataError, did_you_mean, listing
from featsieve.datasets.locate import locate
from featsieve.datasets.missing import complete
from featsieve.datasets.tables import SEPARATORS, numbers, read_table


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data ready to be ranked.

    Attributes
    ----------
    name : str
        Name of the file or of the embedded dataset.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Numbers, none of them missing or infinite.
    y : ndarray of shape (n_samples,) or None
        Labels, None where none are known.
    feature_names : list of str
        Names of the columns of X.
    target_name : str or None
        Where the labels come from.
    """

    name: str
    X: Any
    y: np.ndarray | None
    feature_names: list[str]
    target_name: str | None


def load(
    source: str | os.PathLike[str], target: str | None = None, drop: Iterable[str] = (), impute: bool = False
) -> Dataset:
    """Read data from a file, or from one of the datasets that scikit-learn ships.

    Parameters
    ----------
    source : str or path
        A .csv or .tsv file with a row of column names; a .mat or .npz file with an array X and, for the
        labels, Y or y; a .npy file; a name of :func:`featsieve.datasets.names`; or a file of the folder
        that the environment variable FEATSIEVE_DATA names, with or without its extension.
    target : str, default=None
        Column, or array of a .mat or .npz file, that holds the labels. None takes the column called
        "target", in any case, or the array Y or y, where there is one.
    drop : iterable of str, default=()
        Columns to leave out.
    impute : bool, default=False
        Fill missing values with the median of their column.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        A ValueError whose message is one line that names the file, the column and the remedy.

    Examples
    --------
    >>> import featsieve.datasets
    >>> wine = featsieve.datasets.load("wine", drop=["alcohol"])
    >>> wine.X.shape, wine.feature_names[0], wine.target_name
    ((178, 12), 'malic_acid', 'target')
    """
    found = locate(source)
    name = found if isinstance(found, str) else found.name
    try:
        table = _Table(name, *_read(found, target))
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}.") from error
    table.drop([drop] if isinstance(drop, str) else list(drop))
    y, target_name = table.take_labels(target)
    if not table.columns:
        raise DataError(f"{name}: no columns are left to rank.")
    X = numbers(table.values, name, y is not None) if hasattr(table.values, "iloc") else table.values
    return Dataset(name, complete(X, table.columns, name, impute), y, table.columns, target_name)


def _read(found: Path | str, target: str | None) -> tuple[Any, list[str], dict[str, Any]]:
    if isinstance(found, str):
        return read_embedded(found)
    if not found.stat().st_size:
        raise DataError(f"{found.name} is empty.")
    if found.suffix.lower() in SEPARATORS:
        frame = read_table(found)
        return frame, list(frame.columns), {}
    return read_arrays(found, target)


class _Table:
    """Columns, some of which may turn out to be labels, and labels kept apart from them."""

    def __init__(self, name: str, values: Any, columns: list[str], labels: dict[str, Any]) -> None:
        self.name = name
        self.values = values
        self.columns = columns
        self.labels = labels

    def drop(self, names: list[str]) -> None:
        known = [*self.columns, *self.labels]
        # a,b is two columns unless a column is called that
        names = [each for name in names for each in ([name] if name in known else name.split(","))]
        for name in names:
            if name not in known:
                raise DataError(
                    f"{self.name} has no column {name!r} to drop. {did_you_mean(name, known, 'columns')}"
                )
        gone = set(names)
        self.labels = {name: values for name, values in self.labels.items() if name not in gone}
        self._keep([place for place, column in enumerate(self.columns) if column not in gone])

    def take_labels(self, target: str | None) -> tuple[np.ndarray | None, str | None]:
        """Labels and their name; a column of labels is a feature no longer."""
        name = self._usual_target() if target is None else target
        if name is None:
            return None, None
        if name in self.labels:
            return _labels(self.labels[name], name, self.name), name
        if name not in self.columns:
            known = [*self.columns, *self.labels]
            raise DataError(f"{self.name} has no column {name!r}. {did_you_mean(name, known, 'columns')}")
        place = self.columns.index(name)
        y = _labels(self._column(place), name, self.name)
        self._keep([other for other in range(len(self.columns)) if other != place])
        return y, name

    def _usual_target(self) -> str | None:
        if self.labels:
            return next(iter(self.labels))
        found = [column for column in self.columns if column.lower() == "target"]
        if len(found) > 1:
            raise DataError(
                f"{self.name}: {listing(found)} could be labels: choose with --target, and --drop the others."
            )
        return found[0] if found else None

    def _column(self, place: int) -> Any:
        if hasattr(self.values, "iloc"):
            return self.values.iloc[:, place]
        column = self.values[:, [place]]
        return np.ravel(column.toarray() if hasattr(column, "toarray") else column)

    def _keep(self, places: list[int]) -> None:
        if len(places) == len(self.columns):
            return
        self.values = self.values.iloc[:, places] if hasattr(self.values, "iloc") else self.values[:, places]
        self.columns = [self.columns[place] for place in places]


def _labels(values: Any, column: str, name: str) -> np.ndarray:
    import pandas as pd

    missing = int(pd.isna(values).sum())
    if missing:
        raise DataError(
            f"{name}: {missing} of the {len(values)} labels in {column!r} are missing: complete those rows "
            f"or delete them, or rank without labels with --drop {column}."
        )
    y = np.asarray(values)
    return y.astype(str) if y.dtype.kind == "O" else y
