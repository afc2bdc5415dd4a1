"""Labels of the samples: types, numbers in text, and missing labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from featsieve.datasets.errors import DataError, format_option, quote
from featsieve.datasets.notation import Mark, decimal_mark, notation_notes, read_numerals
from featsieve.datasets.numeric import MIN_NUMBER_SHARE
from featsieve.targets import MAX_CLASSES


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


def texts_between_numbers(values: Any, missing: np.ndarray) -> np.ndarray:
    """Return which labels are texts such as "n.d." in a column of many different numbers."""
    mask = np.zeros(len(missing), dtype=bool)
    if getattr(values.dtype, "kind", "O") in "buif" or isinstance(values.dtype, pd.CategoricalDtype):
        return mask
    known = np.flatnonzero(~missing)
    numerals = read_numerals(str(value).strip() for value in np.asarray(values)[known])
    numbers = numerals.known
    many = len({number.value for number in numbers}) > MAX_CLASSES
    if numerals.others and many and len(numbers) >= MIN_NUMBER_SHARE * known.size:
        mask[known] = [number is None for number in numerals.numbers]
    return mask


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


def read_label_numbers(
    y: np.ndarray, column: str, decimal: Mark, always: bool = False
) -> tuple[np.ndarray, list[str]]:
    """Convert labels of text that are numbers with separators or limits, such as 1.234,5 and <0.1.

    Plain numbers in text may be names of classes; they are converted if ``always``.
    """
    if y.dtype.kind != "U":
        return y, []
    numerals = read_numerals(np.char.strip(y).tolist())
    if numerals.others or not numerals.n_exact or not (always or numerals.example or numerals.censored):
        return y, []
    mark = decimal_mark([numerals], decimal)
    return np.array(numerals.values(mark)), notation_notes({column: numerals}, {column: mark})
