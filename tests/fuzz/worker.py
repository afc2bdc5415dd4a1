"""The process that reads files, and its watchdog: a crash and a hang are verdicts too."""

import faulthandler
import functools
import multiprocessing as mp
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any
from unittest import mock

import featsieve
from fuzz.cases import WAYS, Case
from fuzz.corpus import FORMATS, samples
from fuzz.judge import Verdict, judge

PAGE_SIZE = resource.getpagesize()
MAX_START_SECONDS = 120  # for importing everything
SOURCE_FOLDERS = (Path(__file__).resolve().parents[1], Path(featsieve.__file__).resolve().parents[1])


@dataclass(frozen=True)
class Task:
    """A file to read.

    Attributes
    ----------
    case : Case
    limit : float
        Time limit in seconds.
    isolated : bool
        Read it in a separate process, as the command does.
    before : Verdict or None
        Verdict from the first attempt.
    """

    case: Case
    limit: float
    isolated: bool = False
    before: Verdict | None = None


@functools.cache
def processes() -> Any:
    """Return a context whose processes start quickly, from a server that has imported everything."""
    context = mp.get_context("forkserver")
    context.set_forkserver_preload(["fuzz.preload"])
    environment = {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # the default reserves a GiB
        "FEATSIEVE_READ_TIMEOUT": "15",
        "PYTHONPATH": os.pathsep.join(map(str, SOURCE_FOLDERS)),
    }
    with mock.patch.dict(os.environ, environment):
        forkserver.ensure_running()
    return context


def serve(connection: Connection, folder: str, memory: int) -> None:
    """Answer each (file name, content, way, isolated) with a verdict until the connection is closed."""
    os.setpgrp()  # so that processes started by a reader end with it
    errors = os.open(f"{folder}/stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    faulthandler.enable()
    warm_up(Path(folder))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE_SIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    connection.send(True)
    while True:
        try:
            name, content, way, isolated = connection.recv()
        except EOFError:
            return
        os.ftruncate(errors, 0)
        path = Path(folder, name)
        path.write_bytes(content)
        connection.send(judge(path, way, isolated))


def warm_up(folder: Path) -> None:
    """Read a file of each format, so that nothing must be imported under the memory limit."""
    for kind in FORMATS:
        sample = samples(kind)[0]
        path = folder / f"t{sample.ending}"
        path.write_bytes(sample.content)
        for way in WAYS if kind == "csv" else ("load",):  # the command only once
            verdict = judge(path, way)
            assert verdict.is_correct, f"{sample.name}: {verdict.detail}"


class Worker:
    """A process that reads one file at a time and is restarted when it crashes or hangs.

    Parameters
    ----------
    memory : int
        Memory limit in bytes, in addition to the memory used at the start.
    target : callable
        Function that the process runs, which tests replace.
    """

    def __init__(self, memory: int = 1 << 30, target: Any = serve) -> None:
        self.memory = memory
        self.target = target
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz")
        self._start()

    def _start(self) -> None:
        self.connection, child_end = mp.Pipe()
        self._process = processes().Process(
            target=self.target, args=(child_end, self._folder.name, self.memory)
        )
        self._process.start()
        child_end.close()
        try:
            started = self.connection.poll(MAX_START_SECONDS) and self.connection.recv()
        except EOFError:
            started = False
        if not started:
            errors = self._errors()
            self.close()
            raise RuntimeError(f"A worker did not start: {errors}")

    def submit(self, task: Task) -> None:
        """Start reading a file."""
        self.task = task
        self._deadline = time.monotonic() + task.limit
        case = task.case
        self.connection.send((case.file_name, case.content, case.way, task.isolated))

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit."""
        return max(self._deadline - time.monotonic(), 0)

    def poll(self, wait: float = 0) -> Verdict | None:
        """Return the verdict, None if there is none yet."""
        try:
            if self.connection.poll(min(wait, self.seconds_left)):
                return self.connection.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            return self._replace("crash", _signal_name(self._process.exitcode))
        return None if self.seconds_left else self._replace("hang", f"no answer within {self.task.limit:g} s")

    def ask(self, task: Task) -> Verdict:
        """Read a file and wait for the verdict."""
        self.submit(task)
        while (verdict := self.poll(task.limit)) is None:
            pass
        return verdict

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self._end(signal.SIGKILL)
        self._folder.cleanup()

    def _replace(self, kind: str, reason: str) -> Verdict:
        """Replace the process, and return the verdict on the old one."""
        self._end(signal.SIGABRT)  # faulthandler writes the traceback
        verdict = Verdict(kind, reason, self._errors())
        self.connection.close()
        self._start()
        return verdict

    def _end(self, number: int) -> None:
        """End the process with a signal, or by force, and all processes that it started."""
        with suppress(ProcessLookupError):
            if self._process.is_alive():
                os.kill(self._process.pid, number)
                self._process.join(1)
            if self._process.is_alive():
                self._process.kill()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()

    def _errors(self) -> str:
        path = Path(self._folder.name, "stderr")
        text = path.read_text(errors="replace") if path.exists() else ""
        return text.partition("Extension modules:")[0][:10_000]


def verdicts(workers: list[Worker], next_task: Callable[[], Task | None]) -> Iterator[tuple[Task, Verdict]]:
    """Yield verdicts until there is no next task."""
    idle, busy = list(workers), []
    while True:
        while idle and (task := next_task()) is not None:
            idle[-1].submit(task)
            busy.append(idle.pop())
        if not busy:
            return
        wait([worker.connection for worker in busy], min(worker.seconds_left for worker in busy))
        for worker in list(busy):
            if (verdict := worker.poll()) is not None:
                busy.remove(worker)
                idle.append(worker)
                yield worker.task, verdict


def _signal_name(code: int | None) -> str:
    return signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
