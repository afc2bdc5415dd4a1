"""Record the passes that a method makes over chunked data, to estimate the passes over larger data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Stage:
    """A pass over the blocks of a matrix.

    Attributes
    ----------
    kind : {"chunks", "columns", "pairs"}
        Over its chunks, over blocks of all rows, or over pairs of blocks of rows.
    shape : tuple of int
        Shape of the matrix.
    result_bytes : int
        Size of the array that the pass computes, 0 if it is small.
    pool : int
        Number of rows that the rows are compared with.
    symmetric : bool
        Whether these are the same rows.
    itemsize : int
        Bytes of a number while pairs are compared.
    """

    kind: Literal["chunks", "columns", "pairs"]
    shape: tuple[int, int]
    result_bytes: int = 0
    pool: int = 0
    symmetric: bool = False
    itemsize: int = 0


_stages: ContextVar[list[Stage] | None] = ContextVar("stages", default=None)


@contextmanager
def recorded_stages() -> Iterator[list[Stage]]:
    """Record the stages within this context."""
    stages: list[Stage] = []
    token = _stages.set(stages)
    try:
        yield stages
    finally:
        _stages.reset(token)


def is_recording() -> bool:
    """Return whether stages are recorded: on a small matrix, which needs no cluster."""
    return _stages.get() is not None


def record(stage: Any) -> None:
    """Add ``stage()`` to the record, if there is one."""
    stages = _stages.get()
    if stages is not None:
        stages.append(stage())
