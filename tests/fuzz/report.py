"""A finding on disk: the file, the smallest form of it, and what it is and how to repeat it."""

import time
from dataclasses import replace
from pathlib import Path

from fuzz.cases import Case
from fuzz.corpus import FORMATS
from fuzz.judge import Verdict
from fuzz.minimize import minimize
from fuzz.worker import Task, Worker

_SECONDS = 60  # for minimizing one file


def save(
    folder: Path, seed: int, formats: tuple[str, ...], worker: Worker, task: Task, verdict: Verdict
) -> None:
    """Minimize a file that failed and write it with its description."""
    end = time.monotonic() + _SECONDS

    def fails(case: Case) -> bool:
        if time.monotonic() > end:
            return False
        again = worker.ask(replace(task, case=case))
        return (again.kind, again.reason) == (verdict.kind, verdict.reason)

    case = task.case
    repeats = fails(case)
    small = minimize(case, fails) if repeats else case
    place = folder / f"seed{seed}-{case.number}"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"whole{case.sample.ending}").write_bytes(case.content)
    (place / f"small{case.sample.ending}").write_bytes(small.content)
    chosen = "" if formats == tuple(FORMATS) else f" FORMATS={','.join(formats)}"
    lines = [
        f"{verdict.kind}: {verdict.reason}",
        f"file {case.number} of seed {seed}, format {case.sample.format}, read by {case.way!r}",
        f"repeat: make fuzz SEED={seed} NUMBER={case.number}{chosen}",
        *([] if repeats else ["It did not happen again when the same file was read once more."]),
        "",
        "Changed:",
        *case.describe(),
        "",
        f"Smallest change found ({len(small.content)} bytes):",
        *small.describe(),
        "",
        verdict.detail,
    ]
    (place / "finding.txt").write_text("\n".join(lines))
