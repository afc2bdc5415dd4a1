"""Limits of what is read into memory at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from sklearn import get_config

_limit: ContextVar[float] = ContextVar("limit", default=inf)


def exceeds_memory(n_bytes: int) -> bool:
    """Return whether an array does not fit in the working memory of ``sklearn.config_context``."""
    return bool(n_bytes > get_config()["working_memory"] * 2**20)


def file_limit() -> float:
    """Return the size in bytes from which the arrays of files are read in chunks."""
    return _limit.get()


@contextmanager
def chunked_files(limit: float | None = None) -> Iterator[None]:
    """Read arrays of files that exceed a limit in chunks, by default those that exceed the working memory."""
    token = _limit.set(get_config()["working_memory"] * 2**20 if limit is None else limit)
    try:
        yield
    finally:
        _limit.reset(token)
