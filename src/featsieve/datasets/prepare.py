"""Messy tables made numbers: text, categories, dates, identifiers, empty columns.

Nothing here depends on labels, and nothing but the medians of :mod:`featsieve.datasets.missing` is estimated:
the value of a sample does not depend on the other samples, only on which kinds and categories there are.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from featsieve.datasets.errors import DataError, brief, columns, listing, need, option, quoted
from featsieve.datasets.sniff import UNNAMED, is_number

# What people write for a missing number, besides what pandas knows.
_GAPS = {"-", "--", ".", "..", "*", "na", "n.a.", "none", "nil", "missing", "unknown", "?", "#"}
# A column of text is numbers with mistakes in it if so many of its values are.
_MOSTLY = 0.9
# A name that tells of an identifier: id, patient_id, PatientID, hospital_number, index.
_ID = re.compile(r"(?i:(?:^|[\W_])(?:id|uid|uuid|guid|index|idx|row|number|nr|no))$|[a-z]I[dD]$")
# So many values are needed to tell an identifier from a category or a measurement.
_FEW = 10
# Categories up to here become a column each, as in skrub; more are hashed into a few columns.
_CATEGORIES = 40
_HASHES = 8
# Texts are compared by so many characters and a digest: what parses dates takes them one by one.
_LONG = 500


@dataclass
class Encoded:
    """Columns as numbers, NaN where a value is missing.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_encoded)
    names : list of str
        Names of the encoded columns.
    origins : sequence of int
        Place of the column that each encoded column comes from.
    notes : list of str
        What was done, a sentence each.
    """

    X: np.ndarray
    names: list[str]
    origins: Sequence[int]
    notes: list[str] = field(default_factory=list)


def encode(frame: Any, name: str) -> Encoded:
    """The frame as numbers.

    Numbers and truth values stay as they are. Text goes through skrub's TableVectorizer: categories become a
    column of 0 and 1 each, a missing one included; many different texts become hashes of their letters; dates
    become year, month, day and seconds. Identifiers and columns without any value are left out.
    """
    notes: list[str] = []
    parts = _plain_numbers(frame)
    others = frame.columns.difference(list(parts), sort=False)
    empty = [column for column, (values, _) in parts.items() if np.isnan(values).all()]
    empty += list(others[frame[others].isna().to_numpy().all(axis=0)])
    ids = [column for column, (values, _) in parts.items() if _is_identifier(values[:, 0], column)]
    text = []
    for column in others.difference(empty, sort=False):
        values = _as_numbers(frame[column], column, name, notes)
        if values is None:
            text.append(column)
        elif _is_identifier(values, column):
            ids.append(column)
        else:
            parts[column] = (values[:, None], [column])
    if text:
        encoded, strange, blank = _vectorize(frame[text], name, notes)
        ids += strange
        empty += blank
        parts |= encoded
    for column in (*empty, *ids):
        parts.pop(column, None)
    if empty:
        notes.append(f"{columns(empty)} {_are(empty)} entirely missing and left out")
    notes += [f"column {quoted(each)} looks like an identifier and is left out" for each in ids]
    if not parts:
        raise DataError(f"{name}: no columns are left to rank: {'; '.join(notes)}.")
    return _joined(parts, list(frame.columns), notes)


def strict_numbers(frame: Any, name: str, labeled: bool) -> np.ndarray:
    """The columns as they are, if they are numbers; DataError that names those with text."""
    unnamed = [column for column in frame.columns if column.startswith(UNNAMED)]
    if unnamed:
        raise DataError(
            f"{name}: the header row leaves {columns(unnamed)} without a name. "
            f"If it is a row number, leave it out with {option('--drop', unnamed)}; else name it in the file."
        )
    text = {column: bad for column in frame.columns if (bad := text_value(frame[column])) is not None}
    if text:
        raise DataError(_about_text(text, name, labeled))
    return _floats(frame)


def _plain_numbers(frame: Any) -> dict[str, tuple[np.ndarray, list[str]]]:
    """The columns of ordinary numbers, all at once: there may be many thousands."""
    plain = [column for column, kind in frame.dtypes.items() if getattr(kind, "kind", "O") in "buif"]
    values = frame[plain].to_numpy(dtype=np.float64)
    return {column: (values[:, place : place + 1], [column]) for place, column in enumerate(plain)}


def _as_numbers(series: Any, column: str, name: str, notes: list[str]) -> np.ndarray | None:
    """The values as float64, None where they are text or dates."""
    import pandas as pd
    from pandas.api import types

    if isinstance(series.dtype, pd.CategoricalDtype) or types.is_datetime64_any_dtype(series.dtype):
        return None
    if types.is_timedelta64_dtype(series.dtype):
        notes.append(f"column {quoted(column)} is taken in seconds")
        return series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
    if types.is_complex_dtype(series.dtype):
        raise DataError(f"{name}: column {quoted(column)} holds complex numbers: leave it out with --drop.")
    if types.is_numeric_dtype(series.dtype) or types.is_bool_dtype(series.dtype):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    kinds = {type(value) for value in series.dropna()}
    strange = [kind.__name__ for kind in kinds if not _is_plain(kind)]
    if strange:
        remedy = option("--drop", [column])
        raise DataError(
            f"{name}: column {quoted(column)} holds values of type {strange[0]}: leave it out with {remedy}."
        )
    if str not in kinds:  # truth values with gaps, decimal numbers; dates are left to skrub
        dates = any(hasattr(kind, "isoformat") for kind in kinds)
        return None if dates else _floats(series)
    return _numbers_in_text(series.astype(object), column, notes)


def _floats(numbers: Any) -> np.ndarray:
    """A series or frame as float64; whole numbers that are too large for it are infinite, as 1e999 is."""
    try:
        return numbers.astype("float64").to_numpy(na_value=np.nan)
    except OverflowError:
        return numbers.astype(object).map(_float, na_action="ignore").astype("float64").to_numpy()


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _is_plain(kind: type) -> bool:
    from decimal import Decimal

    return issubclass(kind, (str, bool, int, float, Decimal, np.generic)) or hasattr(kind, "isoformat")


def _numbers_in_text(series: Any, column: str, notes: list[str]) -> np.ndarray | None:
    """The numbers of a column of text, or None where more than a few values are not numbers.

    Plain lists rather than pandas operations, which cost a millisecond for each of many thousand columns.
    """
    known = np.flatnonzero(series.notna().to_numpy())
    texts = [str(value).strip() for value in series.to_numpy()[known]]
    numeric = [is_number(text) for text in texts]
    count = sum(numeric)
    others = sorted({text for text, is_numeric in zip(texts, numeric, strict=True) if not is_numeric})
    gaps = all(text.lower() in _GAPS for text in others)
    if not count or not (gaps or (count >= _MOSTLY * len(texts) and count >= _FEW)):
        return None
    if others:
        n_others = len(texts) - count
        notes.append(
            f"column {quoted(column)} holds numbers and {n_others} other value{'s' if n_others > 1 else ''} "
            f"({listing(others)}), taken for missing"
        )
    values = np.full(len(series), np.nan)
    values[known[numeric]] = [
        float(text) for text, is_numeric in zip(texts, numeric, strict=True) if is_numeric
    ]
    return values


def _is_identifier(values: np.ndarray, column: str) -> bool:
    """Whether whole numbers, nearly all different, are called like an identifier, or not at all."""
    if not (_ID.search(column) or column.startswith(UNNAMED)):
        return False
    known = values[~np.isnan(values)]
    if known.size < values.size or known.size < 2 or (known != np.round(known)).any():
        return False
    distinct = np.unique(known).size
    in_a_row = bool((np.diff(known) == 1).all())
    return in_a_row or (known.size >= _FEW and distinct >= _MOSTLY * known.size)


def _vectorize(
    frame: Any, name: str, notes: list[str]
) -> tuple[dict[str, tuple[np.ndarray, list[str]]], list[str], list[str]]:
    """Columns of text and dates, encoded, those that are identifiers, and those without any value."""
    skrub = need(
        "skrub", "tables", f"{name} has text or dates ({listing(list(frame.columns))}), and encoding it"
    )
    if (
        len(frame) == 1
    ):  # categories of one sample mean nothing, and a file without line breaks has many columns
        raise DataError(
            f"{name}: encoding text needs at least 2 rows, and the table has 1 row with text in "
            f"{columns(list(frame.columns))}. Check the line breaks and the header row of the file."
        )
    texts = frame.copy()
    for column in texts.columns:
        if texts[column].dtype.kind not in "mM":
            texts[column] = texts[column].astype(object).where(texts[column].notna(), None)
            texts[column] = texts[column].map(_plain, na_action="ignore").astype(object)
    vectorizer = skrub.TableVectorizer(
        cardinality_threshold=_CATEGORIES, high_cardinality=skrub.MinHashEncoder(n_components=_HASHES)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            encoded = vectorizer.fit_transform(texts)
        except (ValueError, OverflowError) as error:  # dates that no calendar has
            text = list(frame.columns)
            remedy = option("--drop", text)
            raise DataError(
                f"{name}: {columns(text)} cannot be encoded ({brief(error)}): leave out with {remedy}."
            ) from error
    kinds = vectorizer.column_to_kind_
    blank = [
        each for each in texts.columns if each not in kinds
    ]  # spaces and words for a gap, dropped by skrub
    texts = texts.drop(columns=blank)
    ids = [each for each in texts.columns if "cardinality" in kinds[each] and _names_samples(texts[each])]
    found = {}
    for column in texts.columns:
        if column in ids:
            continue
        outputs = vectorizer.input_to_outputs_[column]
        values = encoded[outputs].to_numpy(dtype=np.float64, na_value=np.nan)
        if kinds[column] == "high_cardinality":
            values = values / 2.0**31  # hashes of 32 bits, brought to the size of the other columns
        found[column] = (values, [str(each) for each in outputs])
    _note_kinds(found, kinds, notes)
    return found, ids, blank


def _plain(value: Any) -> str:
    """The value as text of moderate length; long ones differ as before."""
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}... {sha256(text.encode()).hexdigest()[:16]}"


def _names_samples(column: Any) -> bool:
    """Whether each sample has a short text of its own."""
    texts = column.dropna()
    if len(texts) < len(column) or len(texts) < _FEW or texts.nunique() < len(texts):
        return False
    return bool(texts.str.len().max() <= 60 and texts.str.split().str.len().median() <= 2)


def _note_kinds(found: dict[str, Any], kinds: dict[str, str], notes: list[str]) -> None:
    said = {
        "low_cardinality": "holds categories, a column of 0 and 1 each",
        "high_cardinality": f"holds many different texts, hashed into {_HASHES} columns each",
        "datetime": "holds dates, split into parts",
    }
    for kind, what in said.items():
        names = [column for column in found if kinds[column] == kind]
        if names:
            what = what if len(names) == 1 else what.replace("holds", "hold", 1)
            notes.append(f"{columns(names)} {what}".removesuffix(" each" if len(names) == 1 else ""))


def _joined(parts: dict[str, tuple[np.ndarray, list[str]]], order: list[str], notes: list[str]) -> Encoded:
    """The encoded columns side by side, in the order of the columns they come from."""
    names: list[str] = []
    origins: list[int] = []
    taken = {column for column, (_, outputs) in parts.items() if outputs == [column]}
    for place, column in enumerate(order):
        for output in parts[column][1] if column in parts else ():
            new, count = output, 2
            while output != column and new in taken:  # steel_A may be a column of the file as well
                new, count = f"{output}_{count}", count + 1
            taken.add(new)
            names.append(new)
            origins.append(place)
    X = np.concatenate([parts[column][0] for column in order if column in parts], axis=1)
    return Encoded(X, names, origins, notes)


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def text_value(column: Any) -> str | None:
    """The first value that is not a number, None when all are."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype):
        return None
    values = list(column.dropna())
    text = [str(value) for value in values if not isinstance(value, (bool, int, float))]
    return next((value for value in text if not is_number(value)), text[0] if text else None)


def _about_text(text: dict[str, str], name: str, labeled: bool) -> str:
    found = list(text)
    one = len(found) == 1
    shown = quoted(text[found[0]])
    example = f"holds text ({shown})" if one else f"hold text (such as {shown})"
    remedy = option("--target", found) if one else "--target COLUMN"
    labels = "" if labeled else f", or use as labels with {remedy}"
    return (
        f"{name}: {columns(found)} {example}, but with --strict features must be numbers: "
        f"leave out with {option('--drop', found, 40)}{labels}."
    )
