"""The contents of a file as they are read: columns, and labels that are stored apart from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from featsieve.datasets.errors import DataError, list_names, unknown_name
from featsieve.datasets.notation import Mark

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, eq=False)
class Table:
    """Contents of a file.

    Attributes
    ----------
    values : DataFrame, ndarray, sparse matrix or Chunked of shape (n_samples, n_columns)
        Values of the file, not converted; chunked if they do not fit in the working memory.
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
    row_names : ndarray of str or None
        Names of the samples that are stored apart from the columns.
    """

    values: Any
    columns: list[str]
    labels: dict[str, Any] = field(default_factory=dict)
    usual_labels: tuple[str, ...] = ("target",)
    label_candidates: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decimal: Mark = "."
    row_names: np.ndarray | None = None

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

    def take(self, rows: np.ndarray) -> Table:
        """Return the table with these rows only, given as a mask or as indices."""
        import numpy as np

        values = self.values.iloc[rows].reset_index(drop=True) if self.is_frame else self.values[rows]
        labels = {name: np.asarray(column)[rows] for name, column in self.labels.items()}
        names = None if self.row_names is None else self.row_names[rows]
        return replace(self, values=values, labels=labels, row_names=names)

    def find_labels(self, name: str, source: str) -> Any:
        """Return the values of the labels with this name; DataError if there are none."""
        if name in self.labels:
            return self.labels[name]
        if name not in self.columns:
            known = [*self.columns, *self.labels, *self.label_candidates]
            raise unknown_name(source, name, known, "column")
        return self.column(name)

    def without(self, *names: str | None) -> Table:
        """Return the table without these columns, as far as it has them."""
        return self.keep([column for column in self.columns if column not in names])

    def column(self, name: str) -> Any:
        """Return the values of a column."""
        index = self.columns.index(name)
        if self.is_frame:
            return self.values.iloc[:, index]
        column = self.values[:, [index]]
        column = column.load() if hasattr(column, "load") else column
        return (column.toarray() if hasattr(column, "toarray") else column).ravel()

    def default_target(self, source: str) -> str | None:
        """Return the name of the labels that are used by default, None if there are none."""
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


def number_duplicates(names: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Make names unique by numbering repeated ones, because genes often share a name."""
    duplicates = duplicate_names(names)
    if not duplicates:
        return names, ()
    taken, seen, unique = set(names), set[str](), []
    numbered = {name: (f"{name}-{number}" for number in count(1)) for name in duplicates}
    for name in names:
        new_name = next(new for new in numbered[name] if new not in taken) if name in seen else name
        seen.add(name)
        taken.add(new_name)
        unique.append(new_name)
    note = f"Several columns have the name {list_names(duplicates)}; the later ones were numbered."
    return unique, (note,)


def check_unique(names: list[str], file_name: str) -> None:
    """Raise DataError if several columns have the same name."""
    duplicates = duplicate_names(names)
    if duplicates:
        raise DataError(f"{file_name}: several columns have the name {list_names(duplicates)}: rename them.")
