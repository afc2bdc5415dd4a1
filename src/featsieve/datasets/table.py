"""The contents of a file as they are read: columns, and labels that are stored apart from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from featsieve.datasets.errors import DataError, format_option, list_names, quote, unknown_name
from featsieve.datasets.notation import Mark

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, eq=False)
class Table:
    """Contents of a file.

    Attributes
    ----------
    values : DataFrame, ndarray or sparse matrix of shape (n_samples, n_columns)
        Values of the file, not converted.
    columns : list of str
        Unique names of the columns.
    labels : dict of str to array
        Possible labels that are not among the columns; the first is the default.
    usual_labels : tuple of str
        Names, in lower case, of columns that are used as labels by default.
    label_candidates : tuple of str
        Further names of labels, to suggest if a name is wrong.
    notes : tuple of str
        Conversions made while reading, as sentences.
    decimal : {".", ","}
        Decimal mark of numbers in text that could also be a thousands separator.
    """

    values: Any
    columns: list[str]
    labels: dict[str, Any] = field(default_factory=dict)
    usual_labels: tuple[str, ...] = ("target",)
    label_candidates: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decimal: Mark = "."

    @property
    def is_frame(self) -> bool:
        """Whether the values are a data frame, whose columns may have any type."""
        return hasattr(self.values, "iloc")

    def keep(self, names: Collection[str]) -> Table:
        """Return the table with these columns only, in the order of this table."""
        kept = set(names)
        indices = [index for index, column in enumerate(self.columns) if column in kept]
        if len(indices) == len(self.columns):
            return self
        values = self.values.iloc[:, indices] if self.is_frame else self.values[:, indices]
        return replace(self, values=values, columns=[self.columns[index] for index in indices])

    def drop(self, names: list[str], source: str) -> Table:
        """Return the table without these columns and labels; ``a,b`` is two unless a column has this name."""
        known = [*self.columns, *self.labels]
        known_set = set(known)
        dropped = {part for name in names for part in ([name] if name in known_set else name.split(","))}
        for name in dropped - known_set:
            raise unknown_name(source, name, known, "column")
        labels = {name: values for name, values in self.labels.items() if name not in dropped}
        return replace(self.keep([name for name in self.columns if name not in dropped]), labels=labels)

    def split(self, target: str | None, source: str) -> tuple[Table, np.ndarray | None, str | None]:
        """Return the features without the column of the labels, the labels, and their name."""
        name = self._default_target(source) if target is None else target
        if name is None:
            return self, None, None
        if name in self.labels:
            return self, _check_labels(self.labels[name], name, source), name
        if name not in self.columns:
            known = [*self.columns, *self.labels, *self.label_candidates]
            raise unknown_name(source, name, known, "column")
        y = _check_labels(self.column(name), name, source)
        return self.keep([column for column in self.columns if column != name]), y, name

    def column(self, name: str) -> Any:
        """Return the values of a column."""
        index = self.columns.index(name)
        if self.is_frame:
            return self.values.iloc[:, index]
        column = self.values[:, [index]]
        return (column.toarray() if hasattr(column, "toarray") else column).ravel()

    def _default_target(self, source: str) -> str | None:
        if self.labels:
            return next(iter(self.labels))
        candidates = [column for column in self.columns if column.lower() in self.usual_labels]
        if len(candidates) > 1:
            raise DataError(
                f"{source}: {list_names(candidates)} could be the labels: "
                "choose one with --target and leave out the rest with --drop."
            )
        return candidates[0] if candidates else None


def default_names(count: int) -> list[str]:
    """Return names for columns that have none: x0, x1, and so on."""
    return [f"x{index}" for index in range(count)]


def duplicate_names(names: list[str]) -> list[str]:
    """Return the names that occur several times."""
    return [name for name, count in Counter(names).items() if count > 1]


def check_unique(names: list[str], file_name: str) -> None:
    """Raise DataError if several columns have the same name."""
    duplicates = duplicate_names(names)
    if duplicates:
        raise DataError(f"{file_name}: several columns have the name {list_names(duplicates)}: rename them.")


def _check_labels(values: Any, column: str, source: str) -> np.ndarray:
    """Return the labels as an array of numbers or text; DataError if that is impossible or one is missing."""
    import numpy as np
    import pandas as pd

    labels = f"{source}: the labels in {quote(column)}"
    kind = getattr(values.dtype, "kind", "O")
    if kind in "mMcV":
        raise DataError(f"{labels} must be numbers or text; got the type {values.dtype}.")
    n_missing = int(pd.isna(values).sum())
    if n_missing:
        raise DataError(
            f"{source}: {n_missing} of the {len(values)} labels in {quote(column)} are missing: complete or "
            f"delete those rows, or rank without labels with {format_option('--drop', [column])}."
        )
    nested = {type(value).__name__ for value in values if isinstance(value, (list, tuple, dict, np.ndarray))}
    if nested:
        raise DataError(f"{labels} must be numbers or text; got {' and '.join(sorted(nested))}.")
    y = np.asarray(values)
    if y.dtype.kind == "S":
        return np.char.decode(y, "utf-8", "backslashreplace")
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise DataError(f"{labels} contain infinite values: replace them in the file.")
    return y.astype(str) if y.dtype.kind == "O" else y
