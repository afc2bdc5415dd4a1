"""The loop over many files and workers, and the summary of the findings."""

import itertools
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.cases import Case, case
from fuzz.corpus import FORMATS, ISOLATED
from fuzz.judge import Verdict
from fuzz.report import save
from fuzz.worker import Task, Worker, serve, verdicts

# Time limits in seconds for fragile formats: in the worker, and in the separate process that confirms a hang.
BRIEF_LIMIT, ISOLATED_LIMIT = 5.0, 90.0
# Factor of the time limit when another file that took too long is read again.
RETRY_FACTOR = 3
# Number of findings per cause that are minimized and saved.
MAX_SAVED = 3


@dataclass(frozen=True)
class Settings:
    """Settings of a run.

    Attributes
    ----------
    seed : int
    first, files : int
        Number of the first file, and number of files; None for as many as the time allows.
    minutes : float
        Time limit of the run.
    workers : int
    limit : float
        Time limit per file in seconds.
    formats : tuple of str
    folder : Path
        Folder for findings.
    """

    seed: int
    first: int = 0
    files: int | None = None
    minutes: float = float("inf")
    workers: int = 2
    limit: float = 20.0
    formats: tuple[str, ...] = tuple(FORMATS)
    folder: Path = Path("reports/fuzz")


@dataclass
class Findings:
    """Results of all files.

    Attributes
    ----------
    counts : Counter of (format, kind)
        A crash or hang that a separate process contained is a "contained crash" or "contained hang".
    causes : dict of (format, kind, reason) to list of (Task, Verdict)
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    causes: dict[tuple[str, str, str], list[tuple[Task, Verdict]]] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, task: Task, verdict: Verdict) -> None:
        """Count the result of a file."""
        name = task.case.sample.format
        is_contained = task.isolated and task.before and verdict.is_correct
        self.counts[name, f"contained {task.before.kind}" if is_contained else verdict.kind] += 1
        if verdict.is_correct:
            return
        self.causes.setdefault((name, verdict.kind, verdict.reason), []).append((task, verdict))

    def lines(self) -> Iterator[str]:
        """Yield the number of files, a table of formats, and the causes."""
        kinds = sorted({kind for _, kind in self.counts})
        yield f"{self.counts.total()} files in {self.seconds:.0f} s."
        yield _row("format", *kinds)
        for name in dict.fromkeys(name for name, _ in sorted(self.counts)):
            yield _row(name, *(str(self.counts[name, kind]) for kind in kinds))
        for (name, kind, reason), failed in self.causes.items():
            numbers = ", ".join(str(task.case.number) for task, _ in failed[:MAX_SAVED])
            yield f"{name}: {kind}, {reason}: {len(failed)} files ({numbers})"
        if not self.causes:
            yield "No findings."


def _row(name: str, *cells: str) -> str:
    return name.ljust(10) + "".join(cell.rjust(17) for cell in cells)


def run(settings: Settings, target: Any = serve) -> Findings:
    """Read files, and minimize and save those that fail. Workers run ``target``, which tests replace."""
    findings = Findings()
    start = time.monotonic()
    numbers = itertools.islice(itertools.count(settings.first), settings.files)
    to_confirm: deque[Task] = deque()

    def next_task() -> Task | None:
        if to_confirm:
            return to_confirm.popleft()
        is_late = time.monotonic() - start > 60 * settings.minutes
        number = None if is_late else next(numbers, None)
        return (
            None
            if number is None
            else _first_task(case(settings.seed, number, settings.formats), settings.limit)
        )

    workers = [Worker(target=target) for _ in range(settings.workers)]
    try:
        for task, verdict in verdicts(workers, next_task):
            retry = None if task.before else _confirmation(task, verdict)
            if retry:
                to_confirm.append(retry)
            else:
                findings.add(task, verdict)
                _progress(findings, task, verdict)
        findings.seconds = time.monotonic() - start
        for failed in findings.causes.values():
            for task, verdict in failed[:MAX_SAVED]:
                save(settings.folder, settings.seed, settings.formats, workers[0], task, verdict)
    finally:
        for worker in workers:
            worker.close()
    return findings


def _first_task(case: Case, limit: float) -> Task:
    """Return the first task for a file; the command isolates its reader itself."""
    if case.sample.format in ISOLATED:
        return Task(case, ISOLATED_LIMIT if case.way == "rank" else BRIEF_LIMIT)
    return Task(case, limit)


def _confirmation(task: Task, verdict: Verdict) -> Task | None:
    """Return the task that confirms a possible finding, None if there is nothing to confirm."""
    if verdict.kind in ("crash", "hang") and task.case.sample.format in ISOLATED and task.case.way != "rank":
        return Task(task.case, ISOLATED_LIMIT, isolated=True, before=verdict)
    if verdict.kind == "hang":  # the machine may have been busy
        return Task(task.case, RETRY_FACTOR * task.limit, before=verdict)
    return None


def _progress(findings: Findings, task: Task, verdict: Verdict) -> None:
    done = findings.counts.total()
    if not verdict.is_correct:
        print(f"number {task.case.number}: {verdict.kind}, {verdict.reason}", file=sys.stderr, flush=True)
    if done % 1000 == 0:
        failed = sum(map(len, findings.causes.values()))
        print(f"{done} files, {failed} findings", file=sys.stderr, flush=True)
