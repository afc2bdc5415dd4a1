"""A finding on disk: the file, the smallest file that fails, and how to repeat it."""

import time
from dataclasses import replace
from pathlib import Path

from fuzz.cases import Case
from fuzz.corpus import FORMATS
from fuzz.judge import Verdict
from fuzz.minimize import minimize
from fuzz.worker import Task, Worker

MAX_MINIMIZE_SECONDS = 60


def save(
    folder: Path, seed: int, formats: tuple[str, ...], worker: Worker, task: Task, verdict: Verdict
) -> None:
    """Minimize a file that failed, and write it with a description."""
    end = time.monotonic() + MAX_MINIMIZE_SECONDS

    def fails(case: Case) -> bool:
        if time.monotonic() > end:
            return False
        verdict_again = worker.ask(replace(task, case=case))
        return (verdict_again.kind, verdict_again.reason) == (verdict.kind, verdict.reason)

    case = task.case
    is_repeatable = fails(case)
    minimal = minimize(case, fails) if is_repeatable else case
    target = folder / f"seed{seed}-{case.number}"
    target.mkdir(parents=True, exist_ok=True)
    (target / f"original{case.sample.ending}").write_bytes(case.content)
    (target / f"minimal{case.sample.ending}").write_bytes(minimal.content)
    chosen = "" if formats == tuple(FORMATS) else f" FORMATS={','.join(formats)}"
    lines = [
        f"{verdict.kind}: {verdict.reason}",
        f"file {case.number} of seed {seed}, format {case.sample.format}, read by {case.way!r}",
        f"repeat: make fuzz SEED={seed} NUMBER={case.number}{chosen}",
        *([] if is_repeatable else ["It did not happen when the same file was read again."]),
        "",
        "Changes:",
        *case.describe(),
        "",
        f"Smallest changes ({len(minimal.content)} bytes):",
        *minimal.describe(),
        "",
        verdict.detail,
    ]
    (target / "finding.txt").write_text("\n".join(lines))
