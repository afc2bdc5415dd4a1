"""A change of bytes that can be repeated, omitted and reduced."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """Replace the bytes from ``start`` to ``stop`` with ``data``."""

    start: int
    stop: int
    data: bytes
    label: str = ""

    def apply(self, content: bytes) -> bytes:
        """Return the changed bytes."""
        return content[: self.start] + self.data + content[self.stop :]

    def __str__(self) -> str:
        n_removed = self.stop - self.start
        shown = (
            self.data.hex(" ")
            if len(self.data) <= 16
            else f"{self.data[:16].hex(' ')} ... ({len(self.data)})"
        )
        return f"{self.label}: {n_removed} bytes at {self.start} -> {shown or 'nothing'}"

    def halves(self) -> list["Edit"]:
        """Return each half of the change, if the change does not move the bytes after it."""
        size = self.stop - self.start
        if len(self.data) != size or size < 2:
            return []
        half = size // 2
        first = Edit(self.start, self.start + half, self.data[:half], self.label)
        return [first, Edit(self.start + half, self.stop, self.data[half:], self.label)]


def apply_all(edits: Iterable[Edit], content: bytes) -> bytes:
    """Apply edits one after the other."""
    for edit in edits:
        content = edit.apply(content)
    return content
