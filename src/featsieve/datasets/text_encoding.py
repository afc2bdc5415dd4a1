"""The encoding of a text file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252.

Libraries that guess encodings are not used, because tables have too little text for them (measured in 2026 on
``tests/datasets/test_text_encoding.py``): charset-normalizer 3.5.2 and chardet 7.7.0 fail all tests of files
that are not Unicode. The Windows-1252 header "größe" is read as Urdu by the former and as Macintosh text by
the latter.
"""

from __future__ import annotations

import codecs
import io
from pathlib import Path

from featsieve.datasets.errors import DataError
from featsieve.datasets.formats import extension_hint, open_bytes

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
CONTROL_BYTES = bytes([*range(1, 9), *range(14, 27), 28, 29, 30, 31, 127])
MAX_CONTROL_SHARE = 0.01
UNDEFINED_IN_WINDOWS_1252 = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
CHUNK_SIZE = 1 << 20


def detect_encoding(path: Path) -> tuple[str, list[str]]:
    """Return the encoding, found from all bytes of the file, and notes; DataError if the file is not text."""
    not_text = DataError(f"{path.name} is not text{extension_hint(path)}")
    with open_bytes(path) as handle:
        chunk = handle.read(CHUNK_SIZE)
        marked = next((name for mark, name in BYTE_ORDER_MARKS.items() if chunk.startswith(mark)), None)
        decoder = codecs.getincrementaldecoder(marked or "utf-8")()
        is_unicode, is_windows_1252, n_controls, size = True, True, 0, 0
        while chunk:
            if marked != "utf-16" and b"\0" in chunk:
                raise not_text
            n_controls += len(chunk) - len(chunk.translate(None, CONTROL_BYTES))
            is_windows_1252 &= len(chunk) == len(chunk.translate(None, UNDEFINED_IN_WINDOWS_1252))
            size += len(chunk)
            is_unicode = is_unicode and _decodes(decoder, chunk)
            chunk = handle.read(CHUNK_SIZE)
    if is_unicode and _decodes(decoder, b"", final=True):
        return marked or "utf-8", []
    if marked == "utf-16" or n_controls > MAX_CONTROL_SHARE * size:
        raise not_text
    encoding, title = ("cp1252", "Windows-1252") if is_windows_1252 else ("latin-1", "Latin-1")
    return encoding, [f"The file is not UTF-8 text and was read as {title}."]


def open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    """Open a text file, decompressed according to its extension, with its line ends unchanged."""
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        return "\0" not in decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
