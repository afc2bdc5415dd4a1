"""Number types of MATLAB 5 files: SciPy looks them up without a check and crashes on unknown ones."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

from featsieve.datasets.errors import DAMAGED, DataError

# Types of elements.
MATRIX, COMPRESSED = 14, 15
# Array classes with numbers or text: from char to the last integer type. Smaller classes are containers.
FIRST_CLASS, SPARSE_CLASS, LAST_CLASS = 4, 5, 15
NUMBER_TYPES = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18})
CHUNK_SIZE = 1 << 16


def check_types(path: Path) -> None:
    """Raise DataError if an array of numbers or text has a type that MATLAB does not define.

    Cells and structures are not checked. SciPy reports all other faults itself.
    """
    with path.open("rb") as handle:
        byte_order = {b"IM": "<", b"MI": ">"}.get(handle.read(128)[126:])
        while byte_order is not None and len(tag := handle.read(8)) == 8:
            element_type, size = struct.unpack(f"{byte_order}II", tag)
            end = handle.tell() + size
            stream: Any = handle
            if element_type == COMPRESSED:
                stream = _Inflated(handle, size)
                element_type = struct.unpack(f"{byte_order}II", stream.read(8).ljust(8, b"\0"))[0]
            if element_type == MATRIX:
                unknown = _find_unknown_type(stream, byte_order)
                if unknown is not None:
                    raise DataError(
                        f"{path.name} has numbers of the type {unknown}, which MATLAB does not define. "
                        f"{DAMAGED}"
                    )
            handle.seek(end)


def _find_unknown_type(stream: Any, byte_order: str) -> int | None:
    """Return the first unknown number type of an array, or None."""
    flags = stream.read(16)
    if len(flags) < 16:
        return None
    word = struct.unpack(f"{byte_order}I", flags[8:12])[0]
    array_class, is_complex = word & 0xFF, bool(word & 0x800)
    if not FIRST_CLASS <= array_class <= LAST_CLASS:
        return None
    n_elements = 1 + is_complex + 2 * (array_class == SPARSE_CLASS)
    for index in range(2 + n_elements):  # dimensions and name come first
        tag = stream.read(8)
        if len(tag) < 8:
            return None
        number_type, size = struct.unpack(f"{byte_order}II", tag)
        is_short = bool(number_type >> 16)  # a short element is stored in its tag
        number_type = number_type & 0xFFFF if is_short else number_type
        if index > 1 and number_type not in NUMBER_TYPES:
            return number_type
        if index < n_elements + 1 and not is_short:
            stream.seek(size + -size % 8, 1)
    return None


class _Inflated:
    """A compressed element of a file, read once from its start."""

    def __init__(self, handle: Any, size: int) -> None:
        self.handle, self.remaining, self.inflater = handle, size, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        """Read up to ``size`` bytes; fewer at the end or after damage."""
        content = b""
        while len(content) < size:
            chunk = self.inflater.unconsumed_tail or self.handle.read(min(self.remaining, CHUNK_SIZE))
            self.remaining -= 0 if self.inflater.unconsumed_tail else len(chunk)
            try:
                inflated = self.inflater.decompress(chunk, size - len(content))
            except zlib.error:
                return content
            if not chunk and not inflated:
                return content
            content += inflated
        return content

    def seek(self, size: int, whence: int) -> None:
        """Skip ``size`` bytes."""
        assert whence == 1
        while size > 0 and (skipped := self.read(min(size, CHUNK_SIZE))):
            size -= len(skipped)
