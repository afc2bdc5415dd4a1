"""Many files, read by many workers: the findings, and the summary."""

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

# Seconds for a format that is read in a process of its own: here, where a hang is read again, and there.
BRIEF_LIMIT, ISOLATED_LIMIT = 5.0, 90.0
# Another file that takes too long gets so many times the time before it is called a hang.
PATIENCE = 3
# Findings of one cause are counted; so many of them are minimized and saved.
SAVED = 3


@dataclass(frozen=True)
class Settings:
    """What to run.

    Attributes
    ----------
    seed : int
    first, files : int
        Number of the first file, and how many; None for as many as the time allows.
    minutes : float
        When to stop.
    workers : int
    limit : float
        Seconds that a file may take.
    formats : tuple of str
    folder : Path
        Where findings are saved.
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
    """What became of the files.

    Attributes
    ----------
    counts : Counter of (format, kind)
        A crash or hang that a process of its own turned into an error is a "contained crash" or "hang".
    causes : dict of (format, kind, reason) to list of (Task, Verdict)
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    causes: dict[tuple[str, str, str], list[tuple[Task, Verdict]]] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, task: Task, verdict: Verdict) -> None:
        """Count a file."""
        name = task.case.sample.format
        contained = task.isolated and task.before and verdict.right
        self.counts[name, f"contained {task.before.kind}" if contained else verdict.kind] += 1
        if verdict.right:
            return
        self.causes.setdefault((name, verdict.kind, verdict.reason), []).append((task, verdict))

    def lines(self) -> Iterator[str]:
        """How many files, a table of formats, and the causes."""
        kinds = sorted({kind for _, kind in self.counts})
        yield f"{self.counts.total()} files in {self.seconds:.0f} s."
        yield _row("format", *kinds)
        for name in dict.fromkeys(name for name, _ in sorted(self.counts)):
            yield _row(name, *(str(self.counts[name, kind]) for kind in kinds))
        for (name, kind, reason), failed in self.causes.items():
            numbers = ", ".join(str(task.case.number) for task, _ in failed[:SAVED])
            yield f"{name}: {kind}, {reason}: {len(failed)} files ({numbers})"
        if not self.causes:
            yield "No findings."


def _row(name: str, *cells: str) -> str:
    return name.ljust(10) + "".join(cell.rjust(17) for cell in cells)


def run(settings: Settings, target: Any = serve) -> Findings:
    """Read the files; what fails is minimized and saved. ``target`` is what workers run, for tests."""
    findings = Findings()
    start = time.monotonic()
    numbers = itertools.islice(itertools.count(settings.first), settings.files)
    to_confirm: deque[Task] = deque()

    def next_task() -> Task | None:
        if to_confirm:
            return to_confirm.popleft()
        late = time.monotonic() - start > 60 * settings.minutes
        number = None if late else next(numbers, None)
        return (
            None if number is None else _first(case(settings.seed, number, settings.formats), settings.limit)
        )

    workers = [Worker(target=target) for _ in range(settings.workers)]
    try:
        for task, verdict in verdicts(workers, next_task):
            again = None if task.before else _second(task, verdict)
            if again:
                to_confirm.append(again)
            else:
                findings.add(task, verdict)
                _progress(findings, task, verdict)
        findings.seconds = time.monotonic() - start
        for failed in findings.causes.values():
            for task, verdict in failed[:SAVED]:
                save(settings.folder, settings.seed, settings.formats, workers[0], task, verdict)
    finally:
        for worker in workers:
            worker.close()
    return findings


def _first(case: Case, limit: float) -> Task:
    """How a file is read; the command isolates its reader itself."""
    if case.sample.format in ISOLATED:
        return Task(case, ISOLATED_LIMIT if case.way == "rank" else BRIEF_LIMIT)
    return Task(case, limit)


def _second(task: Task, verdict: Verdict) -> Task | None:
    """How a file is read once more before it is a finding, if it is."""
    if verdict.kind in ("crash", "hang") and task.case.sample.format in ISOLATED and task.case.way != "rank":
        return Task(task.case, ISOLATED_LIMIT, isolated=True, before=verdict)
    if verdict.kind == "hang":  # the machine may have been busy
        return Task(task.case, PATIENCE * task.limit, before=verdict)
    return None


def _progress(findings: Findings, task: Task, verdict: Verdict) -> None:
    done = findings.counts.total()
    if not verdict.right:
        print(f"number {task.case.number}: {verdict.kind}, {verdict.reason}", file=sys.stderr, flush=True)
    if done % 1000 == 0:
        failed = sum(map(len, findings.causes.values()))
        print(f"{done} files, {failed} findings", file=sys.stderr, flush=True)
