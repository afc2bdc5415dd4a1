"""The types of numbers in MATLAB 5 files, which SciPy looks up unchecked: it crashes on an unknown one."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

from featsieve.datasets.errors import DAMAGED, DataError

_MATRIX, _COMPRESSED = 14, 15  # types of elements
_CHAR, _SPARSE, _LAST = (
    4,
    5,
    15,
)  # classes of arrays; those below hold other arrays, those above are no arrays
_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18})
_CHUNK = 1 << 16


def check_types(path: Path) -> None:
    """Raise DataError if an array of numbers or text is of a type that MATLAB does not have.

    Cells and structures are not looked into. What is wrong in another way is for SciPy to find.
    """
    with path.open("rb") as handle:
        order = {b"IM": "<", b"MI": ">"}.get(handle.read(128)[126:])
        while order is not None and len(tag := handle.read(8)) == 8:
            kind, size = struct.unpack(f"{order}II", tag)
            end = handle.tell() + size
            stream: Any = handle
            if kind == _COMPRESSED:
                stream = _Inflated(handle, size)
                kind = struct.unpack(f"{order}II", stream.read(8).ljust(8, b"\0"))[0]
            if kind == _MATRIX:
                wrong = _unknown_type(stream, order)
                if wrong is not None:
                    raise DataError(
                        f"{path.name} has numbers of the type {wrong}, which MATLAB does not have. {DAMAGED}"
                    )
            handle.seek(end)


def _unknown_type(stream: Any, order: str) -> int | None:
    """The type of a part of the array that no numbers have; None if there is none."""
    flags = stream.read(16)
    if len(flags) < 16:
        return None
    word = struct.unpack(f"{order}I", flags[8:12])[0]
    kind, is_complex = word & 0xFF, bool(word & 0x800)
    if not _CHAR <= kind <= _LAST:
        return None
    n_parts = 1 + is_complex + 2 * (kind == _SPARSE)
    for place in range(2 + n_parts):  # dimensions and name come first
        tag = stream.read(8)
        if len(tag) < 8:
            return None
        number, size = struct.unpack(f"{order}II", tag)
        short = number >> 16  # a short part is inside of its tag
        number = number & 0xFFFF if short else number
        if place > 1 and number not in _NUMBERS:
            return number
        if place < n_parts + 1 and not short:
            stream.seek(size + -size % 8, 1)
    return None


class _Inflated:
    """A compressed part of a file, to be read once from its beginning."""

    def __init__(self, handle: Any, size: int) -> None:
        self.handle, self.remaining, self.inflater = handle, size, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        """So many bytes, less where there are no more."""
        found = b""
        while len(found) < size:
            chunk = self.inflater.unconsumed_tail or self.handle.read(min(self.remaining, _CHUNK))
            self.remaining -= 0 if self.inflater.unconsumed_tail else len(chunk)
            try:
                piece = self.inflater.decompress(chunk, size - len(found))
            except zlib.error:
                return found
            if not chunk and not piece:
                return found
            found += piece
        return found

    def seek(self, size: int, whence: int) -> None:
        """Go on by so many bytes."""
        assert whence == 1
        while size > 0 and (found := self.read(min(size, _CHUNK))):
            size -= len(found)
