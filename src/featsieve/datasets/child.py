"""The process that :mod:`featsieve.datasets.isolated` starts: read one file, send its contents, exit."""

from __future__ import annotations

import importlib
import os
import pickle
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from featsieve.datasets.errors import DataError, error_reason

CHUNK_SIZE = 1 << 24
# Time that the parent has to enforce the limit itself, in seconds.
GRACE_PERIOD = 10
MAX_ALARM = 10**8


def call_reader(reader: str, path: Any, *arguments: Any) -> Any:
    """Call a reader, given as ``package.module:function``."""
    module, function = reader.split(":")
    return getattr(importlib.import_module(module), function)(path, *arguments)


def main() -> None:
    """Read the file that the request on stdin names, and write the result to stdout."""
    call, limit = pickle.load(sys.stdin.buffer)
    exit_with_parent(limit)
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries may print
    try:
        value, error = call_reader(*call), None
    except Exception as caught:
        value, error = None, _picklable(caught, call[1].name)
    send(output, value, error)
    os._exit(0)  # without cleanup, in which a library may crash


def exit_with_parent(limit: float) -> None:
    """Let the system end this process when the parent ends, or some time after the limit.

    A library that loops forever may never let Python run again, so neither a thread nor a signal handler
    would work. The parent keeps the other end of stdin open. When that end closes, this end becomes readable
    and the system sends the signal SIGIO, which ends a process that does not handle it.
    """
    try:
        import fcntl
        import select
        import signal
    except ImportError:  # Windows
        return
    if limit < MAX_ALARM:
        signal.alarm(int(limit) + GRACE_PERIOD)
    if hasattr(os, "O_ASYNC"):
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:  # the parent has ended already
        os._exit(1)


def send(file: int, value: Any, error: Any) -> None:
    """Write the sizes of the arrays of the value, the arrays without copying them, and the pickle.

    The memory of an array is released while it is sent, so that both processes together need it once.
    """
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps((value, error), protocol=5, buffer_callback=buffers.append)
    arrays = [np.frombuffer(buffer.raw(), dtype=np.uint8) for buffer in buffers]
    release = None if _share_memory(arrays) else _page_release()
    with open(file, "wb") as stream:
        stream.write(pickle.dumps([len(array) for array in arrays]))
        for array in arrays:
            for start in range(0, len(array), CHUNK_SIZE):
                chunk = array[start : start + CHUNK_SIZE]
                stream.write(memoryview(chunk))  # type: ignore[arg-type]
                if release is not None:
                    release(chunk)
        stream.write(content)


def _share_memory(arrays: list[np.ndarray]) -> bool:
    """Return whether any two arrays overlap in memory."""
    spans = sorted((array.ctypes.data, array.ctypes.data + len(array)) for array in arrays if len(array))
    return any(end > start for (_, end), (start, _) in pairwise(spans))


def _page_release() -> Callable[[np.ndarray], None] | None:
    """Return a function that returns the pages of an array to the system, which erases its values."""
    if sys.platform != "linux":
        return None
    import ctypes
    import mmap

    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

    def release(array: np.ndarray) -> None:
        start = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE  # only whole pages
        end = (array.ctypes.data + len(array)) // mmap.PAGESIZE * mmap.PAGESIZE
        if start < end:
            advise(start, end - start, mmap.MADV_DONTNEED)

    return release


def _picklable(error: Exception, file_name: str) -> Exception:
    """Return the error, or a DataError with its message if it cannot be pickled."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # the constructor may need other arguments
        pass
    return DataError(f"{file_name} could not be read ({type(error).__name__}: {error_reason(error)}).")
