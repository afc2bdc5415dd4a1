"""Workbooks of Excel."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from fuzz.corpus.sample import WORDS, Sample, X, Y, archive_sample

NUMBERS = [[*"abcde", "target"], *([*map(float, row), int(label)] for row, label in zip(X, Y, strict=True))]


def xlsx() -> Iterator[Sample]:
    """Yield numbers, words with missing cells, and several sheets."""
    yield _workbook("xlsx-numbers", {"data": NUMBERS})
    words = [
        ["name", "word", "share"],
        *([f"s{i}x", word, None if i == 3 else i / 8] for i, word in enumerate(WORDS)),
    ]
    yield _workbook("xlsx-words", {"words": words, "numbers": NUMBERS})


def _workbook(name: str, sheets: dict[str, list[list[Any]]]) -> Sample:
    import openpyxl

    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, rows in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    workbook.save(buffer)
    return archive_sample(name, ".xlsx", _without_times(buffer.getvalue()))


def _without_times(content: bytes) -> bytes:
    """Return the archive with the same times always."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            text = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2020-01-01T00:00:00Z", old.read(info))
            new.writestr(zipfile.ZipInfo(info.filename), text)
    return buffer.getvalue()
