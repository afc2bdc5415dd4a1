"""Tables with the features in rows and the samples in columns."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from featsieve.datasets.errors import DataError, columns_note, list_names
from featsieve.datasets.identifiers import contains_sample_names
from featsieve.datasets.notation import read_numerals
from featsieve.datasets.table import Table, default_names, number_duplicates

# A table may have its samples in columns if it has at least this many rows, in all and per column.
MIN_ROWS, MIN_ROWS_PER_COLUMN = 50, 4
MIN_COLUMNS = 3
# Rows whose values show whether a column contains numbers or descriptions of the features.
MAX_ROWS_TO_INSPECT = 200
# Rank correlation between the columns above which they seem to be samples of the same kind.
MIN_CORRELATION = 0.6

# Share of numbers in a column of measurements; a row of labels makes the others text.
MIN_NUMBER_SHARE = 0.9

_FEATURE = re.compile(
    r"(?i)(?:^|[\W_])(?:id_ref|mz|symbols?|"
    r"(?:genes?|probes?|probe_?sets?|proteins?|transcripts?|metabolites?|features?|variables?|otus?|asvs?|"
    r"tax(?:on|a)|peptides?|mirnas?|cpgs?|snps?)[ _.]?(?:ids?|names?|symbols?)?)$"
)
# Numbers that describe the features, as in the tables of featureCounts and of mass spectrometers.
_DESCRIPTION = re.compile(
    r"(?i)(?:(?:gene|exon|transcript|chrom|tx)_?)?(?:start|end|stop|length|width|strand|pos|position|number)|"
    r"chr|chrom|chromosome|entrez_?(?:gene)?_?(?:id)?|m/?z|rt|retention[ _.]?time"
)
_SAMPLE = re.compile(
    r"(?i)(?:gsm|srr|err|tcga|samples?|patients?|subjects?|donors?|cells?|controls?|ctrl|cases?|tumou?rs?|normal|"
    r"treated|rep|mouse|mice|wt|ko|sa?m?p?|pt?)[\W_]?\w*\d\w*"
)


def transpose_table(table: Table, source: str) -> Table:
    """Return the table with rows and columns exchanged.

    The first column of a data frame has the names of the features if it contains text. Other columns of text,
    and numbers such as positions, describe the features and are left out.
    """
    if not table.is_frame:
        if table.labels:
            raise DataError(f"{source}: --transpose needs a table or a matrix without labels.")
        names = default_names(table.values.shape[0])
        return replace(table, values=table.values.T, columns=names, row_names=np.array(table.columns))
    first, *others = table.columns
    notes: tuple[str, ...] = ()
    if not _names_features(table):
        names, samples = default_names(len(table.values)), table.columns
    else:
        names, notes = number_duplicates(table.column(first).astype(str).str.strip().tolist())
        samples = _sample_columns(table, others)
    if not samples:
        raise DataError(f"{source}: --transpose needs columns with the numbers of each sample; it has none.")
    dropped = [column for column in others if column not in samples]
    if dropped:
        notes += (columns_note(dropped, "{contains} descriptions of the features and {was} left out"),)
    values = table.keep(samples).values.to_numpy().T
    frame = pd.DataFrame(values, columns=names)
    if values.dtype.kind == "O":  # a row of text makes all columns text
        frame = frame.apply(_infer_numbers)
    notes += (
        f"Rows and columns were exchanged: {len(samples)} samples ({list_names(samples)}), "
        f"{len(names)} columns ({list_names(names)}).",
    )
    return replace(
        table, values=frame, columns=names, notes=(*table.notes, *notes), row_names=np.array(samples)
    )


def looks_transposed(table: Table, names: str, columns: list[str]) -> bool:
    """Return whether the rows of a table seem to be features, and its columns samples.

    ``names`` is the column with the names of the rows, ``columns`` are the other ones.
    """
    samples = _sample_columns(table, columns, MIN_NUMBER_SHARE)
    n_rows = len(table.values)
    if n_rows < MIN_ROWS or len(samples) < MIN_COLUMNS or table.column(names).dtype.kind in "iuf":
        return False
    is_named = bool(_FEATURE.search(names))
    if is_named and _has_row_of_labels(table.keep(samples).values):
        return True
    if n_rows < MIN_ROWS_PER_COLUMN * len(samples):
        return False
    if is_named:
        return True
    if len(samples) < len(columns):  # text that describes the samples of an ordinary table
        return False
    if all(map(_SAMPLE.fullmatch, columns)):
        return True
    frame = table.keep(columns).values.apply(pd.to_numeric, errors="coerce")
    correlations = frame.corr("spearman").to_numpy()[np.triu_indices(len(columns), 1)]
    return bool(np.median(np.nan_to_num(correlations)) > MIN_CORRELATION)


def _names_features(table: Table) -> bool:
    """Return whether the first column has the names of the rows."""
    if not table.is_frame:
        return False
    first = table.columns[0]
    column = table.column(first)
    return not _contains_numbers(column) or contains_sample_names(column, first)


def _sample_columns(table: Table, columns: list[str], min_share: float = 0.5) -> list[str]:
    """Return the columns with numbers that do not describe the features."""
    return [
        column
        for column in columns
        if not _DESCRIPTION.fullmatch(column) and _contains_numbers(table.column(column), min_share)
    ]


def _has_row_of_labels(frame: Any) -> bool:
    """Return whether the first row has a text in each column, above numbers."""
    texts = [value for value in frame.iloc[0] if isinstance(value, str)]
    return len(texts) == frame.shape[1] == len(read_numerals(map(str.strip, texts)).others)


def drop_before_transposing(table: Table, drop: list[str]) -> tuple[Table, list[str]]:
    """Leave out the columns of the file, and return the names that it does not have.

    Generated names, such as x0, are those of the features.
    """
    dropped, remaining = set[str](), []
    generated = [] if _names_features(table) else default_names(table.values.shape[0])
    columns = set(table.columns).difference(generated)
    for name in drop:
        parts = [name] if name in columns else name.split(",")
        known = [part for part in parts if part in columns]
        dropped.update(known)
        remaining += [part for part in parts if part not in known] if known else [name]
    return table.without(*dropped), remaining


def transpose_note(names: Any, columns: list[str]) -> str:
    """Suggest to transpose the table."""
    columns = [column for column in columns if not _DESCRIPTION.fullmatch(column)]
    return (
        f"The samples seem to be in the columns ({list_names(columns)}) and the features in the rows "
        f"({list_names([str(name) for name in names])}). If so, use --transpose"
    )


def _contains_numbers(series: Any, min_share: float = 0.5) -> bool:
    """Return whether at least this share of the known values are numbers."""
    if series.dtype.kind in "buif":
        return True
    texts = series.dropna().astype(str).str.strip().head(MAX_ROWS_TO_INSPECT).tolist()
    return len(read_numerals(texts).others) <= (1 - min_share) * len(texts)


def _infer_numbers(series: Any) -> Any:
    try:
        return pd.to_numeric(series)
    except (ValueError, TypeError):
        return series
