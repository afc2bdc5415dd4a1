"""A change of bytes, written so that it can be repeated, left out, and made smaller."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """Put ``data`` in the place of the bytes from ``start`` to ``stop``."""

    start: int
    stop: int
    data: bytes
    label: str = ""

    def apply(self, content: bytes) -> bytes:
        """The changed bytes."""
        return content[: self.start] + self.data + content[self.stop :]

    def __str__(self) -> str:
        gone = self.stop - self.start
        shown = (
            self.data.hex(" ")
            if len(self.data) <= 16
            else f"{self.data[:16].hex(' ')} ... ({len(self.data)})"
        )
        return f"{self.label}: {gone} bytes at {self.start} -> {shown or 'nothing'}"

    def halves(self) -> list["Edit"]:
        """Each half of the change alone, where it does not move what follows."""
        size = self.stop - self.start
        if len(self.data) != size or size < 2:
            return []
        half = size // 2
        first = Edit(self.start, self.start + half, self.data[:half], self.label)
        return [first, Edit(self.start + half, self.stop, self.data[half:], self.label)]


def apply_all(edits: Iterable[Edit], content: bytes) -> bytes:
    """The bytes after one edit after the other."""
    for edit in edits:
        content = edit.apply(content)
    return content
