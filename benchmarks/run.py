"""Run all benchmarks and print one table of their ratios; the exit code is 1 if a bound is missed.

    python benchmarks/run.py [--data DIR]

Every script runs to its end in a separate process, whether or not others fail.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import MISSED, ROWS_FILE, Row

SCRIPTS = (
    "import_time",
    "threads",
    "graph_scores",
    "solvers",
    "subsets",
    "kernel_space",
    "evaluation",
    "answers",
    "verdicts",
)


def run(script: str, data: str | None) -> list[Row]:
    """The ratios that a script reports, as it prints them; a script that fails is a row as well."""
    path = Path(__file__).with_name(f"{script}.py")
    command = [sys.executable, str(path), *(["--data", data] if data else [])]
    print(f"== {script}", flush=True)
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as file:
        code = subprocess.run(command, env=os.environ | {ROWS_FILE: file.name}, check=False).returncode
        rows = [Row(**json.loads(line)) for line in file]
    if code not in (0, MISSED):
        rows.append(Row(f"ended with exit code {code} before its end", float("nan"), "at most", 0))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=os.environ.get("FEATSIEVE_DATA"))
    options = parser.parse_args()
    table = {script: run(script, options.data) for script in SCRIPTS}
    print("\n== All ratios")
    for script, rows in table.items():
        print(script)
        for row in rows:
            print(row)
    missed = sum(not row.holds for rows in table.values() for row in rows)
    print(f"{missed} of {sum(bool(row.sense) for rows in table.values() for row in rows)} bounds missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
