"""Which columns of a table are features, labels, names of samples, and groups."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from featsieve.datasets.errors import DataError, quote
from featsieve.datasets.identifiers import contains_sample_names
from featsieve.datasets.labels import check_labels, missing_labels, read_label_numbers, texts_between_numbers
from featsieve.datasets.numeric import notes_on_texts
from featsieve.datasets.options import TableOptions
from featsieve.datasets.orientation import looks_transposed, transpose_note
from featsieve.datasets.survival import refuse_survival
from featsieve.datasets.table import Table


@dataclass
class Roles:
    """The columns of a table by their use.

    Attributes
    ----------
    table : Table
        Contents of the file, without the samples that were dropped.
    features : Table
        Columns that may be features.
    y : ndarray or None
        Labels.
    target_name : str or None
        Name of the labels; several names are separated by commas.
    sample_names : ndarray or None
        Names of the samples.
    groups : ndarray or None
        Groups of the samples.
    extra_columns : tuple of str
        Columns of the names and of the groups.
    notes : list of str
        What was decided, as sentences.
    """

    table: Table
    features: Table
    y: np.ndarray | None = None
    target_name: str | None = None
    sample_names: np.ndarray | None = None
    groups: np.ndarray | None = None
    extra_columns: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)


def assign_roles(
    table: Table, target: str | None, drop: list[str], options: TableOptions, source: str, strict: bool
) -> Roles:
    """Assign the columns of a table to their roles; DataError if a name is wrong."""
    notes: list[str] = []
    apart = {name for name in (options.id, options.groups) if name is not None}
    remaining = table.drop(drop, source)
    default = replace(
        remaining.without(*apart),
        labels={name: values for name, values in remaining.labels.items() if name not in apart},
    )
    targets = _target_names(remaining, target) if target else [default.default_target(source)]
    names = [name for name in targets if name is not None]
    if target is not None:
        _check_not_row_names(remaining, names, source)
        refuse_survival(remaining, names, source)
    y, missing = _read_targets(remaining, names, source, notes)
    if y is not None and missing.any() and not options.keep_unlabeled:
        remaining, table, y = remaining.take(~missing), table.take(~missing), y[~missing]
        notes.append(_dropped_note(missing, names))
    elif y is not None and missing.any():
        y = np.where(missing, "-1" if y.dtype.kind == "U" else -1, y)
    features = remaining.without(*names)
    groups = None
    if options.groups is not None:
        groups = _read_groups(remaining, options.groups, source)
        features = features.without(options.groups)
    id_column = options.id or _find_id_column(features, table, strict, notes)
    sample_names = table.row_names
    if id_column is not None:
        sample_names = np.asarray(remaining.find_labels(id_column, source)).astype(str)
        features = features.without(id_column)
        if target is None and y is None and looks_transposed(remaining, id_column, features.columns):
            notes.append(transpose_note(sample_names, features.columns))
    extra = tuple(name for name in (id_column, options.groups) if name in table.columns)
    target_name = ",".join(names) if names else None
    return Roles(table, features, y, target_name, sample_names, groups, extra, notes)


def split_names(names: str | None) -> list[str]:
    """Return the name and, if it is a list with commas, its parts."""
    if not names or "," not in names:
        return [names] if names else []
    parts = names.split(",")
    return list(dict.fromkeys([names, *parts, *(part.strip() for part in parts)]))


def _target_names(table: Table, target: str) -> list[str]:
    """Return the names in ``a,b`` or ``a, b``; names of columns may contain commas themselves."""
    known, names, parts = {*table.columns, *table.labels}, [], target.split(",")
    while parts:
        joined = [",".join(parts[:length]) for length in range(len(parts), 0, -1)]
        name = next((text for text in joined if text in known or text.strip() in known), parts[0])
        names.append(name if name in known else name.strip())
        parts = parts[name.count(",") + 1 :]
    return names


def _read_targets(
    table: Table, names: list[str], source: str, notes: list[str]
) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the labels and which are missing; several targets become the columns of a matrix of numbers."""
    if not names:
        return None, np.zeros(0, dtype=bool)
    columns, missing = [], []
    for name in names:
        values = table.find_labels(name, source)
        absent = missing_labels(values, name, source)
        texts = texts_between_numbers(values, absent)
        if texts.any():
            notes += notes_on_texts({name: np.asarray(values)[texts].astype(str).tolist()})
        missing.append(absent | texts)
        columns.append(_read_target(values, missing[-1], name, table, source, notes, bool(texts.any())))
    if len(names) == 1:
        return columns[0], missing[0]
    numbers = [np.unique(y, return_inverse=True)[1] if y.dtype.kind == "U" else y for y in columns]
    return np.column_stack(numbers).astype(np.float64), np.any(missing, axis=0)


def _check_not_row_names(table: Table, names: list[str], source: str) -> None:
    """Raise DataError if a name is not that of a column but of a row."""
    unknown = [name for name in names if name not in {*table.columns, *table.labels}]
    if not unknown or not table.is_frame or not table.columns:
        return
    first = table.column(table.columns[0])
    if first.dtype.kind not in "buif" and (first.astype(str).str.strip() == unknown[0]).any():
        raise DataError(
            f"{source} has no column {quote(unknown[0])}, but a row with this name: if the samples are in "
            "columns, use --transpose."
        )


def _read_target(
    values: object,
    missing: np.ndarray,
    name: str,
    table: Table,
    source: str,
    notes: list[str],
    are_numbers: bool,
) -> np.ndarray:
    """Return the labels with arbitrary values where they are missing."""
    known = pd.Series(np.asarray(values)).infer_objects()[~missing] if missing.any() else values
    y, label_notes = read_label_numbers(check_labels(known, name, source), name, table.decimal, are_numbers)
    notes += label_notes
    if not missing.any():
        return y
    if y.dtype.kind == "f" and np.array_equal(y, np.rint(y)):  # integers, which cannot be missing in pandas
        y = y.astype(np.int64)
    return y[np.maximum(np.cumsum(~missing) - 1, 0)]


def _dropped_note(missing: np.ndarray, names: list[str]) -> str:
    count = int(missing.sum())
    labels = " or ".join(map(quote, names))
    verb, whose = ("was", "its label") if count == 1 else ("were", "their label")
    return f"{count} of {missing.size} samples {verb} dropped because {whose} in {labels} is missing."


def _read_groups(table: Table, name: str, source: str) -> np.ndarray:
    values = table.find_labels(name, source)
    missing = np.asarray(pd.isna(values))
    if missing.any():
        raise DataError(
            f"{source}: {int(missing.sum())} of the {missing.size} groups in {quote(name)} are missing: "
            "complete them, or give each of these samples a group of its own."
        )
    codes, groups = pd.factorize(np.asarray(values), sort=False)
    if len(groups) < 2:
        raise DataError(f"{source}: --groups needs at least 2 groups; {quote(name)} has 1.")
    return codes


def _find_id_column(features: Table, table: Table, strict: bool, notes: list[str]) -> str | None:
    """Return the first column of the file if it contains names of samples."""
    if strict or not table.is_frame or len(features.columns) < 2 or features.columns[0] != table.columns[0]:
        return None
    column = features.columns[0]
    if not contains_sample_names(features.column(column), column):
        return None
    notes.append(f"Column {quote(column)} contains the names of the samples and is not ranked.")
    return column
