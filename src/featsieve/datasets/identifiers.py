"""Columns that name the samples instead of describing them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from featsieve.datasets.notation import read_numerals
from featsieve.datasets.sniff import UNNAMED

# Share of distinct values above which a column may be an identifier.
MIN_DISTINCT_SHARE = 0.9
# Values that are needed to distinguish an identifier from a category or a measurement.
MIN_VALUES = 10
MAX_IDENTIFIER_LENGTH = 60

_IDENTIFIER_NAME = re.compile(r"(?i:(?:^|[\W_])(?:id|uid|uuid|guid|index|idx|row|number|nr|no))$|[a-z]I[dD]$")
_SAMPLE_NAME = re.compile(r"(?i)(?:^|[\W_])(?:samples?|names?|patients?|subjects?|donors?|cells?|barcodes?)$")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b.*")


def is_number_identifier(values: np.ndarray, column: str) -> bool:
    """Return whether a column has the name of an identifier, or none, and nearly distinct whole numbers."""
    if not _has_identifier_name(column):
        return False
    known = values[~np.isnan(values)]
    if known.size < values.size or known.size < 2 or (known != np.round(known)).any():
        return False
    is_consecutive = bool((np.diff(known) == 1).all())
    n_distinct = np.unique(known).size
    return is_consecutive or (known.size >= MIN_VALUES and n_distinct >= MIN_DISTINCT_SHARE * known.size)


def is_text_identifier(texts: Any, min_values: int = MIN_VALUES) -> bool:
    """Return whether each sample has a different short text."""
    known = texts.dropna()
    if len(known) < len(texts) or len(known) < min_values or known.nunique() < len(known):
        return False
    return bool(known.str.len().max() <= MAX_IDENTIFIER_LENGTH and known.str.split().str.len().median() <= 2)


def contains_sample_names(series: Any, column: str) -> bool:
    """Return whether the first column of a table names the samples: distinct texts or row numbers."""
    if series.dtype.kind in "iuf":
        return _has_identifier_name(column) and is_number_identifier(series.to_numpy(np.float64), column)
    if not series.map(lambda value: isinstance(value, str)).all():
        return False
    is_named = bool(_has_identifier_name(column) or _SAMPLE_NAME.search(column))
    texts = series.astype(object).str.strip()
    if not is_text_identifier(texts, 2 if is_named else MIN_VALUES):
        return False
    n_others = len(read_numerals(texts).others)
    return 2 * n_others > len(texts) and not texts.str.fullmatch(_DATE).all()


def _has_identifier_name(column: str) -> bool:
    return bool(_IDENTIFIER_NAME.search(column)) or column.startswith(UNNAMED)
