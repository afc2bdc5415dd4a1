"""Worker processes, each of which computes one cell after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from featsieve.evaluation import worker

# Longer timeouts overflow the poll of a pipe; they mean no limit.
MAX_TIMEOUT_SECONDS = 10**6


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
        with _without_main():
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
def _without_main() -> Iterator[None]:
    """Hide the main module, so that new processes do not run the user's script again."""
    main_module = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main_module
