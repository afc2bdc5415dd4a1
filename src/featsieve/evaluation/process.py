"""Worker processes, each of which computes one cell after the other."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import joblib

from featsieve.evaluation import worker
from featsieve.evaluation.worker import Setting, Task

# Longer timeouts overflow the poll of a pipe; they mean no limit.
MAX_TIMEOUT_SECONDS = 10**6
# Up to this number of entries in X, threads of BLAS cost more than they save.
MAX_SINGLE_THREADED_SIZE = 5_000_000
_STARTING = threading.Lock()


def start_context(modules: Collection[str]) -> Any:
    """Return how processes are started. All run the code of the modules as it is now, if they are forked."""
    kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context: Any = multiprocessing.get_context(kind)
    if kind == "forkserver":
        context.set_forkserver_preload(["featsieve.evaluation._preload", *sorted(modules)])
    return context


def thread_limits(n_threads: int, n_entries: int) -> dict[str, int]:
    """Return the numbers of threads of a process whose X has ``n_entries`` entries."""
    return {"openmp": n_threads, "blas": n_threads if n_entries > MAX_SINGLE_THREADED_SIZE else 1}


def dump(value: Setting | Task) -> bytes:
    """Pickle a value for another process.

    Classes of a script are pickled by value, because the other process does not import the script.
    """
    return pickle.dumps(joblib.wrap_non_picklable_objects(value, keep_wrapper=False))


class ProcessPool:
    """Processes that compute the tasks of one setting; several threads may use them at once."""

    def __init__(self, context: Any, setting: Setting, limits: dict[str, int]) -> None:
        self.arguments = context, dump(setting), limits
        self.lock = threading.Lock()
        self.idle: list[tuple[int, WorkerProcess]] = []
        self.processes: set[WorkerProcess] = set()
        self.stopped = False

    def compute(self, task: bytes, number: int, timeout: float | None) -> dict[str, Any] | None:
        """Return the answer to a task of a split, None if the pool was stopped."""
        answer = None
        while answer is None:
            process = self._take(number)
            if process is None:
                return None
            answer = process.compute(task, timeout)
            self._give_back(number, process)
        return None if self.stopped else answer

    def _take(self, number: int) -> WorkerProcess | None:
        """Return an idle process, if possible the last one of the split, or a new one."""
        with self.lock:
            if self.stopped:
                return None
            if self.idle:
                last = [split for split, _ in self.idle]
                return self.idle.pop(last.index(number) if number in last else 0)[1]
            process = WorkerProcess(*self.arguments)
            self.processes.add(process)
            return process

    def _give_back(self, number: int, process: WorkerProcess) -> None:
        with self.lock:
            if process.is_usable and not self.stopped:
                self.idle.append((number, process))
            else:
                self.processes.discard(process)
                process.close()

    def stop(self) -> None:
        """Kill all processes: an interrupt must not leave any behind."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.process.kill()
            for _, process in self.idle:
                self.processes.discard(process)
                process.close()
            self.idle.clear()


class WorkerProcess:
    """A process that computes the tasks of one setting, see :func:`featsieve.evaluation.worker.serve`.

    Attributes
    ----------
    is_usable : bool
        Whether it can compute another task.
    """

    def __init__(self, context: Any, setting: bytes, limits: dict[str, int]) -> None:
        self.connection, connection = context.Pipe()
        arguments = (setting, limits, connection)
        self.process = context.Process(target=worker.serve, args=arguments, daemon=True)
        with _as_plain_script():
            self.process.start()
        connection.close()
        self.is_new = self.is_usable = True

    def compute(self, task: bytes, timeout: float | None) -> dict[str, Any] | None:
        """Return the answer to the task, or why there is none.

        Return None to repeat the task in a new process: this one died or ran out of memory, and earlier tasks
        may be the cause.
        """
        is_new, self.is_new = self.is_new, False
        limit = timeout if timeout is None or timeout < MAX_TIMEOUT_SECONDS else None
        try:
            self.connection.send_bytes(task)
            if not self.connection.poll(limit):
                self.is_usable = False
                return {"status": "timeout", "error": f"stopped after {timeout:g} seconds"}
            answer, self.is_usable = self.connection.recv()
        except (EOFError, OSError):
            self.is_usable = False
            self.process.join()
            answer = {"error": f"the process died ({_explain_exit(self.process.exitcode)})"}
        return answer if self.is_usable or is_new else None

    def close(self) -> None:
        """Kill the process."""
        self.process.kill()  # before the connection is closed, or it would end with an error
        self.connection.close()
        self.process.join()
        self.process.close()


def _explain_exit(code: int | None) -> str:
    if code == -9:
        return "killed, possibly because memory ran out"
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


@contextmanager
def _as_plain_script() -> Iterator[None]:
    """Hide the main module, so that new processes do not run the user's script again.

    The workers that Dask starts are daemons, which may not start processes. Those started here end with their
    parent in any case, so the flag is hidden too.
    """
    with _STARTING:
        process, main_module = multiprocessing.current_process(), sys.modules["__main__"]
        is_daemon = process.daemon
        sys.modules["__main__"] = ModuleType("__main__")
        process.daemon = False
        try:
            yield
        finally:
            process.daemon = is_daemon
            sys.modules["__main__"] = main_module
