"""Labels of the samples: types, numbers in text, and missing labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from featsieve.datasets.errors import DataError, format_option, quote
from featsieve.datasets.notation import Mark, decimal_mark, notation_notes, read_numerals


def missing_labels(values: Any, column: str, source: str) -> np.ndarray:
    """Return which labels are missing; DataError if all are, or if their type is not that of labels."""
    if getattr(values.dtype, "kind", "O") in "mMcV":
        raise DataError(
            f"{source}: the labels in {quote(column)} must be numbers or text; got the type {values.dtype}."
        )
    missing = np.asarray(pd.isna(values))
    if missing.all():
        raise DataError(
            f"{source}: all labels in {quote(column)} are missing: name another column with --target, or "
            f"rank without labels with {format_option('--drop', [column])}."
        )
    return missing


def check_labels(values: Any, column: str, source: str) -> np.ndarray:
    """Return labels that are not missing as an array of numbers or text; DataError if that is impossible."""
    labels = f"{source}: the labels in {quote(column)}"
    nested = {type(value).__name__ for value in values if isinstance(value, (list, tuple, dict, np.ndarray))}
    if nested:
        raise DataError(f"{labels} must be numbers or text; got {' and '.join(sorted(nested))}.")
    y = np.asarray(values)
    if y.dtype.kind == "S":
        return np.char.decode(y, "utf-8", "backslashreplace")
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise DataError(f"{labels} contain infinite values: replace them in the file.")
    return y.astype(str) if y.dtype.kind == "O" else y


def read_label_numbers(y: np.ndarray, column: str, decimal: Mark) -> tuple[np.ndarray, list[str]]:
    """Convert labels of text that are numbers with separators or limits, such as 1.234,5 and <0.1."""
    if y.dtype.kind != "U":
        return y, []
    numerals = read_numerals(np.char.strip(y).tolist())
    if numerals.others or not numerals.n_exact or not (numerals.example or numerals.censored):
        return y, []
    mark = decimal_mark([numerals], decimal)
    return np.array(numerals.values(mark)), notation_notes({column: numerals}, {column: mark})
