"""Reading in a separate process: a reader that crashes or never ends does not affect this one.

The libraries for HDF5, MATLAB and Arrow files are compiled. A damaged file may make them crash, abort or loop
forever, which no exception handler in this process could stop.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

import numpy as np

from featsieve.datasets.child import call_reader
from featsieve.datasets.errors import DAMAGED, MAX_REASON_LENGTH, DataError

TIMEOUT = "FEATSIEVE_READ_TIMEOUT"

# Default time limit: a constant, and an addition for the size of the file.
SECONDS, SECONDS_PER_MB = 60, 1
# The search path comes first, because this package may be imported from an archive on it.
START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from featsieve.datasets.child import main; main()"
)
PIPE_SIZE = 1 << 20


def read_isolated(reader: str, path: Path, *arguments: Any) -> Any:
    """Call a reader in a separate process; DataError if it crashes or takes too long.

    Parameters
    ----------
    reader : str
        Function as ``package.module:function``.
    path : Path
        First argument of the function.
    arguments : objects
        Further arguments of the function.
    """
    if not sys.executable or getattr(sys, "frozen", False):  # there is no interpreter to start
        return call_reader(reader, path, *arguments)
    limit = time_limit(path.stat().st_size)
    with tempfile.TemporaryFile() as errors, _start_process(errors) as process:
        timer = threading.Timer(min(limit, threading.TIMEOUT_MAX), process.kill)
        timer.daemon = True
        start = time.monotonic()
        try:
            timer.start()
            answer = _request(process, [(reader, path.absolute(), *arguments), limit])
        finally:
            timer.cancel()
            process.kill()
            process.wait()
        if answer is not None:
            value, error = answer
            if error is not None:
                raise error
            return value
        if time.monotonic() - start >= limit:
            raise DataError(
                f"{path.name} could not be read within {limit:g} seconds; the file is probably damaged. "
                f"If it is only large, set the environment variable {TIMEOUT} to more seconds."
            )
        raise DataError(_describe_exit(path.name, process.returncode, errors))


def time_limit(n_bytes: int) -> float:
    """Return the seconds that reading a file of this size may take."""
    text = os.environ.get(TIMEOUT, "").strip()
    if not text:
        return SECONDS + SECONDS_PER_MB * n_bytes // 10**6
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        raise DataError(f"{TIMEOUT} must be a positive number of seconds; got {text!r}.")
    return limit


def _start_process(errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the process that reads, in a new session so that only this process receives interrupts."""
    return subprocess.Popen(
        [sys.executable, "-P", "-W", "ignore", "-c", START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # threads would only take time to start
        start_new_session=True,
        pipesize=PIPE_SIZE,
        bufsize=0,
    )


def _request(process: subprocess.Popen[bytes], request: Any) -> tuple[Any, Exception | None] | None:
    """Send a request and return the result and the error, None if the process ends without an answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(pickle.dumps(sys.path) + pickle.dumps(request))
        with open(process.stdout.fileno(), "rb", closefd=False) as stream:
            arrays = [np.empty(size, dtype=np.uint8) for size in pickle.load(stream)]
            views = [memoryview(array) for array in arrays]  # type: ignore[arg-type]
            if all(stream.readinto(view) == len(view) for view in views):
                return pickle.load(stream, buffers=arrays)
    except (BrokenPipeError, EOFError, pickle.UnpicklingError):  # the process has ended
        pass
    return None


def _describe_exit(file_name: str, code: int, errors: IO[bytes]) -> str:
    if code == -getattr(signal, "SIGKILL", 9):
        return (
            f"{file_name} could not be read: the reader was killed, probably for lack of memory. "
            "Free some memory."
        )
    if code < 0:
        reason = (signal.strsignal(-code) or f"signal {-code}").lower()
    else:
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
        reason = f"exit code {code}" + (f": {lines[-1][:MAX_REASON_LENGTH]}" if lines else "")
    return f"{file_name} could not be read: the reader crashed ({reason}). {DAMAGED}"
