"""Change valid files at random, read them, and fail on any finding."""

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from fuzz.corpus import FORMATS
from fuzz.run import Settings, run


def main() -> int:
    """Run with the options of the command line; return 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, help="default: the time, which is printed")
    parser.add_argument("--minutes", type=float, default=5, help="default: 5, or no limit with --files")
    parser.add_argument("--files", type=int, help="number of files, without a time limit")
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--number", type=int, help="read only this file")
    parser.add_argument("--formats", default=",".join(FORMATS), help="such as csv,h5ad (default: all)")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=20, help="time limit per file in seconds")
    parser.add_argument("--folder", type=Path, default=Path("reports/fuzz"), help="folder for findings")
    options = parser.parse_args()
    settings = Settings(
        seed=int(time.time()) if options.seed is None else options.seed,
        first=options.first,
        files=options.files,
        minutes=options.minutes if options.files is None else float("inf"),
        workers=options.workers,
        limit=options.limit,
        formats=tuple(options.formats.split(",")),
        folder=options.folder,
    )
    if options.number is not None:
        settings = replace(settings, first=options.number, files=1, workers=1)
    print(f"Seed {settings.seed}.", flush=True)
    findings = run(settings)
    print("\n".join(findings.lines()))
    if findings.causes:
        print(f"Findings are saved in {settings.folder}.")
    return 1 if findings.causes else 0


if __name__ == "__main__":
    sys.exit(main())
