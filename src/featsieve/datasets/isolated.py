"""Reading in a process of its own: a reader that crashes or never ends takes nothing else with it.

The libraries behind HDF5, MATLAB and Arrow files are compiled. On a damaged file they may crash, abort or
loop for ever, which no exception handler of this process could stop.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

import numpy as np

from featsieve.datasets.errors import DataError
from featsieve.datasets.formats import call_reader

TIMEOUT = "FEATSIEVE_READ_TIMEOUT"

# Seconds that reading may take, unless the environment variable says otherwise: so many, and so many per MB.
_SECONDS, _SECONDS_PER_MB = 60, 1
# The search path comes first, because it tells where this package is; it may be an archive.
_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from featsieve.datasets.child import main; main()"
)
_PIPE_BYTES = 1 << 20


def read_isolated(reader: str, path: Path, *arguments: Any) -> Any:
    """What the reader makes of the file; DataError if it crashes or takes too long.

    Parameters
    ----------
    reader : str
        ``package.module:function``.
    path : Path
    arguments : objects
        What the function takes besides the path.
    """
    if not sys.executable or getattr(sys, "frozen", False):  # there is no interpreter to start
        return call_reader(reader, path, *arguments)
    limit = time_limit(path.stat().st_size)
    with tempfile.TemporaryFile() as errors, _process(errors) as process:
        stopped = threading.Event()
        timer = threading.Timer(min(limit, threading.TIMEOUT_MAX), _stop, (process, stopped))
        timer.daemon = True
        try:
            timer.start()
            answer = _ask(process, [(reader, path.absolute(), *arguments), limit])
        finally:
            timer.cancel()
            process.kill()
            process.wait()
        if answer is not None:
            return _opened(answer)
        if stopped.is_set():
            raise DataError(
                f"{path.name} could not be read within {limit:g} seconds; the file is probably damaged. "
                f"If it is only large, set the environment variable {TIMEOUT} to more seconds."
            )
        raise DataError(_about_end(path.name, process.returncode, errors))


def time_limit(n_bytes: int) -> float:
    """Seconds that reading a file of this size may take."""
    text = os.environ.get(TIMEOUT, "").strip()
    if not text:
        return _SECONDS + _SECONDS_PER_MB * n_bytes // 10**6
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        raise DataError(f"{TIMEOUT} must be a positive number of seconds; got {text!r}.")
    return limit


def _process(errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """The process that reads. It has a session of its own: an interrupt is for this process to handle."""
    return subprocess.Popen(
        [sys.executable, "-P", "-W", "ignore", "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # threads would only take time to start
        start_new_session=True,
        pipesize=_PIPE_BYTES,
        bufsize=0,
    )


def _stop(process: subprocess.Popen[bytes], stopped: threading.Event) -> None:
    stopped.set()
    process.kill()


def _ask(process: subprocess.Popen[bytes], request: Any) -> tuple[bytes, list[Any]] | None:
    """The answer of the process, None if it ends without one."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(pickle.dumps(sys.path) + pickle.dumps(request))
    except BrokenPipeError:  # it has ended already
        return None
    count = _receive(process.stdout, 8)
    sizes = None if count is None else _receive(process.stdout, 8 * struct.unpack("<q", count)[0])
    if sizes is None:
        return None
    parts = [_receive(process.stdout, int(size)) for size in np.frombuffer(sizes, dtype="<i8")]
    return None if any(part is None for part in parts) else (parts[0], parts[1:])


def _receive(stream: IO[bytes], size: int) -> Any:
    """So many bytes, in memory that is written to once; None if the stream ends before."""
    buffer: Any = np.empty(size, dtype=np.uint8)
    view, place = memoryview(buffer), 0
    while place < size:
        count = stream.readinto(view[place:])  # type: ignore[attr-defined]
        if not count:
            return None
        place += count
    return buffer


def _opened(answer: tuple[bytes, list[Any]]) -> Any:
    value, error = pickle.loads(answer[0], buffers=answer[1])
    if error is not None:
        raise error
    return value


def _about_end(name: str, code: int, errors: IO[bytes]) -> str:
    if code == -getattr(signal, "SIGKILL", 9):
        return (
            f"{name} could not be read: the reader was killed, probably for lack of memory. Free some memory."
        )
    if code < 0:
        reason = (signal.strsignal(-code) or f"signal {-code}").lower()
    else:
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
        reason = f"exit code {code}" + (f": {lines[-1][:160]}" if lines else "")
    return (
        f"{name} could not be read: the reader crashed ({reason}); the file is probably damaged. "
        "Write it again from its source."
    )
