"""The process that :mod:`featsieve.datasets.isolated` starts: read one file, send what it holds, end."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from featsieve.datasets.errors import DataError, brief
from featsieve.datasets.formats import call_reader

_CHUNK = 1 << 24


def main() -> None:
    """Read the file that stdin names and write the answer to what was stdout."""
    call, limit = pickle.load(sys.stdin.buffer)
    end_with_parent(limit)
    answer = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries may print what they like
    try:
        value, error = call_reader(*call), None
    except Exception as caught:
        value, error = None, _portable(caught, call[1].name)
    send(answer, value, error)
    os._exit(0)  # nothing is left to do, and a library may crash at its exit


def end_with_parent(limit: float) -> None:
    """Have the system end this process when the parent ends, or some time after the limit.

    A library that loops for ever may never let Python run again, so neither a thread nor a signal handler
    would do. The parent keeps the other end of stdin open: the signal SIGIO, which tells that this end has
    become readable, means that the parent is gone, and ends a process that does not handle it.
    """
    try:
        import fcntl
        import select
        import signal
    except ImportError:  # Windows
        return
    if limit < 10**8:
        signal.alarm(int(limit) + 10)
    if hasattr(os, "O_ASYNC"):
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:  # it is gone already
        os._exit(1)


def send(file: int, value: Any, error: Any) -> None:
    """Write the sizes of what follows, then the pickle, then the arrays of the value, none of them copied.

    The memory of an array is given back while it is sent, so that both processes together need it once.
    """
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps((value, error), protocol=5, buffer_callback=buffers.append)
    arrays = [np.frombuffer(buffer.raw(), dtype=np.uint8) for buffer in buffers]
    sizes = [len(content), *map(len, arrays)]
    _write(file, struct.pack(f"<{len(sizes) + 1}q", len(sizes), *sizes))
    _write(file, content)
    give_back = _giver() if _apart(arrays) else None
    for array in arrays:
        for start in range(0, len(array), _CHUNK):
            chunk = array[start : start + _CHUNK]
            _write(file, chunk)
            if give_back is not None:
                give_back(chunk)


def _write(file: int, data: Any) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _apart(arrays: list[np.ndarray]) -> bool:
    """Whether no two arrays share memory."""
    spans = sorted((array.ctypes.data, array.ctypes.data + len(array)) for array in arrays if len(array))
    return all(end <= start for (_, end), (start, _) in pairwise(spans))


def _giver() -> Callable[[np.ndarray], None] | None:
    """What gives the pages of an array back to the system, where that can be done; its values are lost."""
    if sys.platform != "linux":
        return None
    import ctypes
    import mmap

    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def give_back(array: np.ndarray) -> None:
        start = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE  # whole pages alone
        end = (array.ctypes.data + len(array)) // mmap.PAGESIZE * mmap.PAGESIZE
        if start < end:
            advise(start, end - start, mmap.MADV_DONTNEED)

    return give_back


def _portable(error: Exception, name: str) -> Exception:
    """The error, or a DataError that says the same where it cannot be sent."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # constructors of exceptions take what they like
        pass
    return DataError(f"{name} could not be read ({type(error).__name__}: {brief(error)}).")
