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

_FEATURE = re.compile(
    r"(?i)(?:^|[\W_])(?:genes?|gene_?(?:id|name|symbol)s?|symbols?|probes?|probe_?(?:id|set)s?|id_ref|proteins?|"
    r"transcripts?|metabolites?|features?|variables?|otus?|asvs?|tax(?:on|a)|peptides?|mirnas?|cpgs?|mz|snps?)$"
)
_SAMPLE = re.compile(
    r"(?i)(?:gsm|srr|err|tcga|samples?|patients?|subjects?|donors?|cells?|controls?|ctrl|cases?|tumou?rs?|normal|"
    r"treated|rep|mouse|mice|wt|ko|sa?m?p?|pt?)[\W_]?\w*\d\w*"
)


def transpose_table(table: Table, source: str) -> Table:
    """Return the table with rows and columns exchanged.

    The first column of a data frame has the names of the features if it contains text. Other columns of text
    describe the features and are left out.
    """
    if not table.is_frame:
        if table.labels:
            raise DataError(f"{source}: --transpose needs a table or a matrix without labels.")
        names = default_names(table.values.shape[0])
        return replace(table, values=table.values.T, columns=names, row_names=np.array(table.columns))
    first, *others = table.columns
    notes: tuple[str, ...] = ()
    if _contains_numbers(table.column(first)) and not contains_sample_names(table.column(first), first):
        names, samples = default_names(len(table.values)), table.columns
    else:
        names, notes = number_duplicates(table.column(first).astype(str).str.strip().tolist())
        samples = [column for column in others if _contains_numbers(table.column(column))]
    if not samples:
        raise DataError(f"{source}: --transpose needs columns with the numbers of each sample; it has none.")
    dropped = [column for column in others if column not in samples]
    if dropped:
        notes += (columns_note(dropped, "{contains} text about the features and {was} left out"),)
    values = table.keep(samples).values.to_numpy().T
    frame = pd.DataFrame(values, columns=names)
    if values.dtype.kind == "O":  # a row of text makes all columns text
        frame = frame.apply(_infer_numbers)
    notes += (f"Rows and columns were exchanged: {len(samples)} samples, {len(names)} columns.",)
    return replace(
        table, values=frame, columns=names, notes=(*table.notes, *notes), row_names=np.array(samples)
    )


def looks_transposed(table: Table, names: str, columns: list[str]) -> bool:
    """Return whether the rows of a table seem to be features, and its columns samples.

    ``names`` is the column with the names of the rows, ``columns`` are the other ones.
    """
    n_rows = len(table.values)
    if n_rows < max(MIN_ROWS, MIN_ROWS_PER_COLUMN * len(columns)) or len(columns) < MIN_COLUMNS:
        return False
    frame = table.keep(columns).values
    if table.column(names).dtype.kind in "iuf" or any(dtype.kind not in "iuf" for dtype in frame.dtypes):
        return False
    if _FEATURE.search(names) or all(map(_SAMPLE.fullmatch, columns)):
        return True
    correlations = frame.corr("spearman").to_numpy()[np.triu_indices(len(columns), 1)]
    return bool(np.median(np.nan_to_num(correlations)) > MIN_CORRELATION)


def transpose_note(names: Any, columns: list[str]) -> str:
    """Suggest to transpose the table."""
    return (
        f"The samples seem to be in the columns ({list_names(columns)}) and the features in the rows "
        f"({list_names([str(name) for name in names])}). If so, use --transpose"
    )


def _contains_numbers(series: Any) -> bool:
    """Return whether at least half of the known values are numbers."""
    if series.dtype.kind in "buif":
        return True
    texts = series.dropna().astype(str).str.strip().head(MAX_ROWS_TO_INSPECT).tolist()
    return 2 * len(read_numerals(texts).others) <= len(texts)


def _infer_numbers(series: Any) -> Any:
    try:
        return pd.to_numeric(series)
    except (ValueError, TypeError):
        return series
