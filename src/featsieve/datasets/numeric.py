"""Conversion of the columns of a data frame to numbers: text, categories, dates, identifiers, empty columns.

The conversion does not use labels. It depends on the other samples only through the type of a column and its
categories; medians are computed elsewhere (:mod:`featsieve.datasets.missing`), so that each split can compute
its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import Any

import numpy as np

from featsieve.datasets.errors import (
    DataError,
    advise_drop,
    column_error,
    columns_note,
    describe_columns,
    error_reason,
    format_option,
    list_names,
    quote,
    require,
)
from featsieve.datasets.identifiers import MIN_VALUES, is_number_identifier, is_text_identifier
from featsieve.datasets.notation import Mark, Numerals, decimal_mark, is_number, notation_notes, read_numerals
from featsieve.datasets.sniff import UNNAMED

EMPTY = "{is} entirely missing and {was} left out"
# Texts for a missing number, in addition to those of pandas.
MISSING_TEXTS = {"-", "--", ".", "..", "*", "na", "n.a.", "none", "nil", "missing", "unknown", "?", "#"}
# Share of numbers above which the remaining texts of a column are mistakes.
MIN_NUMBER_SHARE = 0.9
# Categories up to this number are one-hot encoded, as in skrub; more are hashed.
MAX_CATEGORIES = 40
N_HASHES = 8
# Longer texts are cut and distinguished by a digest, because parsing dates takes time for each character.
MAX_TEXT_LENGTH = 500
# A number before or after a unit or a sign, as in "3.4 mg", "45%" and "$1,200".
NUMBER_WITH_UNIT = r"[-+]?\d[\d.,]*\s?(?:%|[^\W\d_]\S{0,9})|[$\u20ac\u00a3]\s?[-+]?\d[\d.,]*"
# Notes of the same kind, each on one column; more columns share a note.
MAX_SEPARATE_NOTES = 3
# Kind of column in the TableVectorizer -> note.
ENCODINGS = {
    "low_cardinality": "{is} categorical and {was} one-hot encoded",
    "high_cardinality": f"{{has}} many different texts and {{was}} hashed ({N_HASHES} features per column)",
    "datetime": "{contains} dates and {was} split into year, month, day and seconds",
}


@dataclass
class Features:
    """Numeric features, with NaN for missing values.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Values of the features.
    names : list of str
        Names of the features.
    origins : sequence of int
        Index of the column that each feature was computed from.
    notes : list of str
        Conversions, as sentences.
    """

    X: Any
    names: list[str]
    origins: Sequence[int]
    notes: list[str] = field(default_factory=list)


def to_numeric(frame: Any, source: str, decimal: Mark = ".") -> Features:
    """Convert the columns of a data frame to numeric features.

    Numbers and truth values are unchanged. Numbers in text may have thousands separators and decimal commas;
    ``decimal`` is the mark of the file. Other text is encoded by the TableVectorizer of skrub: categories,
    including missing ones, are one-hot encoded; columns with many different texts are hashed; dates become
    year, month, day and seconds. Identifiers and empty columns are left out.
    """
    notes: list[str] = []
    features = _ordinary_numbers(frame)
    remaining = frame.columns.difference(list(features), sort=False)
    empty = [column for column, (values, _) in features.items() if np.isnan(values).all()]
    empty += list(remaining[frame[remaining].isna().to_numpy().all(axis=0)])
    identifiers = [
        column for column, (values, _) in features.items() if is_number_identifier(values[:, 0], column)
    ]
    text_columns = []
    parsed: dict[str, Any] = {
        column: _parse_numbers(frame[column], column, source, notes)
        for column in remaining.difference(empty, sort=False)
    }
    numerals = {column: read for column, read in parsed.items() if isinstance(read, Numerals)}
    notes += notes_on_texts({name: read.others for name, read in numerals.items() if read.others})
    if numerals and not _has_fractions(features):  # otherwise the other columns show the mark
        decimal = decimal_mark(numerals.values(), decimal)
    parsed |= _resolve_numerals(numerals, frame, decimal, notes)
    for column, values in parsed.items():
        if values is None:
            text_columns.append(column)
        elif is_number_identifier(values, column):
            identifiers.append(column)
        else:
            features[column] = (values[:, None], [column])
    if text_columns:
        encoded, text_identifiers, blank = _encode_text(frame[text_columns], source, notes)
        features |= encoded
        identifiers += text_identifiers
        empty += blank
    for column in (*empty, *identifiers):
        features.pop(column, None)
    if empty:
        notes.append(columns_note(empty, EMPTY))
    notes += [columns_note([column], "looks like an identifier and was left out") for column in identifiers]
    if not features:
        raise DataError(f"{source}: no columns remain to rank. {' '.join(notes)}")
    return _concatenate(features, list(frame.columns), notes)


def to_numeric_strict(frame: Any, source: str, is_labeled: bool) -> np.ndarray:
    """Return the columns unchanged if all are numbers; DataError that names those with text otherwise."""
    unnamed = [column for column in frame.columns if column.startswith(UNNAMED)]
    if unnamed:
        raise DataError(
            f"{source}: the header has no name for {describe_columns(unnamed)}. If the column contains row "
            f"numbers, leave it out with {format_option('--drop', unnamed)}; otherwise name it in the file."
        )
    texts = {column: text for column in frame.columns if (text := first_text(frame[column])) is not None}
    if texts:
        columns = list(texts)
        example = f"({'such as ' if len(texts) > 1 else ''}{quote(texts[columns[0]])})"
        target = "--target COLUMN" if len(texts) > 1 else format_option("--target", columns)
        labels = "" if is_labeled else f", or use as labels with {target}"
        raise DataError(
            f"{source}: {describe_columns(columns, '{contains}')} text {example}, but with --strict "
            f"features must be numbers: {advise_drop(columns)}{labels}."
        )
    return _as_floats(frame)


def first_text(column: Any) -> str | None:
    """Return the first value that is not a number, None if all are numbers."""
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column.dtype):
        return None
    texts = [str(value) for value in column.dropna() if not isinstance(value, (bool, int, float))]
    return next((text for text in texts if not is_number(text)), texts[0] if texts else None)


def _ordinary_numbers(frame: Any) -> dict[str, tuple[np.ndarray, list[str]]]:
    """Return the columns with NumPy number types, converted at once because there may be thousands."""
    columns = [column for column, dtype in frame.dtypes.items() if getattr(dtype, "kind", "O") in "buif"]
    values = frame[columns].to_numpy(dtype=np.float64)
    return {column: (values[:, index : index + 1], [column]) for index, column in enumerate(columns)}


def _parse_numbers(series: Any, column: str, source: str, notes: list[str]) -> np.ndarray | Numerals | None:
    """Return the values as float64, or as numerals if they are text; None if they are not numbers."""
    import pandas as pd
    from pandas.api import types

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype) or types.is_datetime64_any_dtype(dtype):
        return None
    if types.is_timedelta64_dtype(dtype):
        notes.append(f"Column {quote(column)} is a duration and was converted to seconds.")
        return series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
    if types.is_complex_dtype(dtype):
        raise column_error(source, [column], "{contains} complex numbers")
    if types.is_numeric_dtype(dtype):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    value_types = {type(value) for value in series.dropna()}
    date_types = {value_type for value_type in value_types if hasattr(value_type, "isoformat")}
    for value_type in value_types - date_types:
        if not issubclass(value_type, (str, int, float, Decimal, np.generic)):
            raise column_error(source, [column], f"{{contains}} values of type {value_type.__name__}")
    if str not in value_types:  # truth values or decimal numbers with missing values, or dates
        return None if date_types else _as_floats(series)
    return _read_numerals(series.astype(object))


def _as_floats(numbers: Any) -> np.ndarray:
    """Convert a series or frame to float64; integers that are too large become infinite, as 1e999 does."""
    try:
        return numbers.astype("float64").to_numpy(na_value=np.nan)
    except OverflowError:
        return numbers.astype(object).map(_as_float, na_action="ignore").astype("float64").to_numpy()


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _read_numerals(series: Any) -> Numerals | None:
    """Read the numbers of a column of text; None if more than a few values are not numbers.

    Uses lists instead of pandas operations, which cost a millisecond for each of many thousand columns.
    """
    numerals = read_numerals(str(value).strip() for value in series.to_numpy()[series.notna().to_numpy()])
    others = sorted(set(numerals.others))
    n_others = len(numerals.others)
    n_numbers = len(numerals.numbers) - n_others
    all_missing = all(text.lower() in MISSING_TEXTS for text in others)
    mostly_numbers = n_numbers >= MIN_NUMBER_SHARE * len(numerals.numbers) and n_numbers >= MIN_VALUES
    if not numerals.n_exact or not (all_missing or mostly_numbers):
        return None
    return numerals


def notes_on_texts(columns: dict[str, list[str]]) -> list[str]:
    """Report the texts between numbers: one sentence per column, or one for all if there are many."""
    if len(columns) > MAX_SEPARATE_NOTES:
        texts = sorted({text for others in columns.values() for text in others})
        clause = f"{{contains}} numbers and other values ({list_names(texts)}), which were read as missing"
        return [columns_note(list(columns), clause)]
    notes = []
    for column, others in columns.items():
        noun, verb = ("values", "were") if len(others) > 1 else ("value", "was")
        notes.append(
            f"Column {quote(column)} contains numbers and {len(others)} other {noun} "
            f"({list_names(sorted(set(others)))}), which {verb} read as missing."
        )
    return notes


def _has_fractions(features: dict[str, tuple[np.ndarray, list[str]]]) -> bool:
    return any((np.nan_to_num(values, posinf=0, neginf=0) % 1 != 0).any() for values, _ in features.values())


def _resolve_numerals(
    numerals: dict[str, Numerals], frame: Any, decimal: Mark, notes: list[str]
) -> dict[str, np.ndarray]:
    """Return the values of the columns of text that contain numbers.

    ``decimal`` is the mark of columns whose values do not show it.
    """
    marks = {column: decimal_mark([read], decimal) for column, read in numerals.items()}
    notes += notation_notes(numerals, marks)
    resolved = {}
    for column, read in numerals.items():
        resolved[column] = np.full(len(frame), np.nan)
        resolved[column][frame[column].notna()] = read.values(marks[column])
    return resolved


def _encode_text(
    frame: Any, source: str, notes: list[str]
) -> tuple[dict[str, tuple[np.ndarray, list[str]]], list[str], list[str]]:
    """Encode text and dates; return the features, the identifiers and the columns without values."""
    columns = list(frame.columns)
    skrub = require("skrub", "tables", f"{source} has text or dates ({list_names(columns)}), and encoding it")
    if len(frame) == 1:  # a file without line breaks has a single row with many columns
        raise DataError(
            f"{source}: encoding text needs at least 2 rows, and the table has 1 row with text in "
            f"{describe_columns(columns)}. Check the line breaks and the header of the file."
        )
    texts = frame.copy()
    for column in columns:
        if texts[column].dtype.kind not in "mM":
            known = texts[column].notna()
            texts[column] = texts[column].astype(object).map(_shorten, na_action="ignore").where(known, None)
    vectorizer = skrub.TableVectorizer(
        cardinality_threshold=MAX_CATEGORIES, high_cardinality=skrub.MinHashEncoder(n_components=N_HASHES)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            encoded = vectorizer.fit_transform(texts)
        except (ValueError, OverflowError) as error:  # dates outside the range of the calendar
            raise column_error(source, columns, "cannot be encoded", f"{error_reason(error)}; ") from error
    kinds = vectorizer.column_to_kind_
    blank = [column for column in columns if column not in kinds]  # skrub drops columns of spaces
    identifiers, features = [], {}
    for column in texts.columns.drop(blank):
        kind = kinds[column]
        if "cardinality" in kind and is_text_identifier(texts[column]):
            identifiers.append(column)
            continue
        outputs = vectorizer.input_to_outputs_[column]
        values = encoded[outputs].to_numpy(dtype=np.float64, na_value=np.nan)
        if kind == "high_cardinality":
            values = values / 2.0**31  # scale 32-bit hashes to [-1, 1]
        features[column] = (values, [str(output) for output in outputs])
    for kind, clause in ENCODINGS.items():
        encoded_columns = [column for column in features if kinds[column] == kind]
        if encoded_columns:
            notes.append(columns_note(encoded_columns, clause))
    many_texts = [column for column in columns if column in identifiers or "high" in kinds.get(column, "")]
    notes += _notes_on_units(texts[many_texts])
    return features, identifiers, blank


def _notes_on_units(texts: Any) -> list[str]:
    """Say which columns would be numbers without their units."""
    examples = {}
    for column in texts.columns:
        known = texts[column].dropna().astype(str).str.strip()
        with_unit = known[known.str.fullmatch(NUMBER_WITH_UNIT)]
        if known.size and with_unit.size >= MIN_NUMBER_SHARE * known.size:
            examples[column] = with_unit.iloc[0]
    if not examples:
        return []
    example = quote(next(iter(examples.values())))
    clause = f"{{contains}} numbers with units, such as {example}; delete the units to use the numbers"
    return [columns_note(list(examples), clause)]


def _shorten(value: Any) -> str:
    """Return the value as text; long texts are cut, but remain different from each other."""
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    if len(text) <= MAX_TEXT_LENGTH:
        return text
    return f"{text[:MAX_TEXT_LENGTH]}... {sha256(text.encode()).hexdigest()[:16]}"


def _concatenate(
    features: dict[str, tuple[np.ndarray, list[str]]], columns: list[str], notes: list[str]
) -> Features:
    """Join the features in the order of the columns they were computed from, with unique names."""
    names: list[str] = []
    origins: list[int] = []
    taken = {column for column, (_, outputs) in features.items() if outputs == [column]}
    for index, column in enumerate(columns):
        for output in features[column][1] if column in features else ():
            name, count = output, 2
            while output != column and name in taken:  # the file may have a column steel_A too
                name, count = f"{output}_{count}", count + 1
            taken.add(name)
            names.append(name)
            origins.append(index)
    X = np.concatenate([features[column][0] for column in columns if column in features], axis=1)
    return Features(X, names, origins, notes)
