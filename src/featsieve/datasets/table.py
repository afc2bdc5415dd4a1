"""What a file holds, as it is read: columns, and labels where they are kept apart."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from featsieve.datasets.errors import DataError, did_you_mean, listing, option, quoted

_NESTED = (list, tuple, dict, np.ndarray)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of a file.

    Attributes
    ----------
    values : DataFrame, ndarray or sparse matrix of shape (n_samples, n_columns)
        As they are in the file.
    columns : list of str
        Their names, unlike each other.
    labels : dict of str to array
        What may be used as labels and is not among the columns; the first is used unless another is named.
    usual : tuple of str
        Names, in small letters, of columns that are labels by custom.
    suggested : tuple of str
        What else may be named as labels, for the message when a name is wrong.
    notes : tuple of str
        What had to be decided to read the file, a sentence each.
    """

    values: Any
    columns: list[str]
    labels: dict[str, Any] = field(default_factory=dict)
    usual: tuple[str, ...] = ("target",)
    suggested: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_frame(self) -> bool:
        """Whether the values are a data frame, whose columns may hold anything."""
        return hasattr(self.values, "iloc")

    def keep(self, names: list[str]) -> Table:
        """The table with those columns alone, in the order they have here."""
        if len(names) == len(self.columns):
            return self
        wanted = set(names)
        places = [place for place, column in enumerate(self.columns) if column in wanted]
        values = self.values.iloc[:, places] if self.is_frame else self.values[:, places]
        return replace(self, values=values, columns=[self.columns[place] for place in places])

    def drop(self, names: list[str], source: str) -> Table:
        """The table without those columns and labels; ``a,b`` is two unless a column is called that."""
        known = [*self.columns, *self.labels]
        all_known = set(known)
        gone = {each for name in names for each in ([name] if name in all_known else name.split(","))}
        for name in gone - all_known:
            hint = did_you_mean(name, known, "columns")
            raise DataError(f"{source} has no column {quoted(name)} to drop. {hint}")
        labels = {name: values for name, values in self.labels.items() if name not in gone}
        return replace(self.keep([name for name in self.columns if name not in gone]), labels=labels)

    def split(self, target: str | None, source: str) -> tuple[Table, np.ndarray | None, str | None]:
        """The features, the labels and their name; a column of labels is a feature no longer."""
        name = self._usual_target(source) if target is None else target
        if name is None:
            return self, None, None
        if name in self.labels:
            return self, _labels(self.labels[name], name, source), name
        if name not in self.columns:
            hint = did_you_mean(name, [*self.columns, *self.labels, *self.suggested], "columns")
            raise DataError(f"{source} has no column {quoted(name)}. {hint}")
        y = _labels(self.column(name), name, source)
        return self.keep([column for column in self.columns if column != name]), y, name

    def column(self, name: str) -> Any:
        """The values of a column."""
        place = self.columns.index(name)
        if self.is_frame:
            return self.values.iloc[:, place]
        column = self.values[:, [place]]
        return np.ravel(column.toarray() if hasattr(column, "toarray") else column)

    def _usual_target(self, source: str) -> str | None:
        if self.labels:
            return next(iter(self.labels))
        found = [column for column in self.columns if column.lower() in self.usual]
        if len(found) > 1:
            raise DataError(
                f"{source}: {listing(found)} could be labels: choose with --target, and --drop the others."
            )
        return found[0] if found else None


def _labels(values: Any, column: str, name: str) -> np.ndarray:
    import pandas as pd

    kind = getattr(values.dtype, "kind", "O")
    if kind in "mMcV":
        raise DataError(
            f"{name}: the labels in {quoted(column)} are of type {values.dtype}: use numbers or text."
        )
    missing = int(pd.isna(values).sum())
    if missing:
        raise DataError(
            f"{name}: {missing} of the {len(values)} labels in {quoted(column)} are missing: complete those "
            f"rows or delete them, or rank without labels with {option('--drop', [column])}."
        )
    nested = {type(value).__name__ for value in values if isinstance(value, _NESTED)}
    if nested:
        found = " and ".join(sorted(nested))
        raise DataError(
            f"{name}: the labels in {quoted(column)} hold values of type {found}: use numbers or text."
        )
    y = np.asarray(values)
    if y.dtype.kind == "S":
        return np.char.decode(y, "utf-8", "backslashreplace")
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise DataError(f"{name}: the labels in {quoted(column)} hold infinite values: replace in the file.")
    return y.astype(str) if y.dtype.kind == "O" else y
