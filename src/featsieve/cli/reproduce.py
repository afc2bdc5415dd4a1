"""``featsieve reproduce``: the experiments of a paper, number by number."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from featsieve.cli.data import AsJson

EXAMPLES = """\b
Examples:
  featsieve reproduce lle --table VI --data DIR
  featsieve reproduce lle --figure 2 --report lle.html
  featsieve reproduce takes --full --jobs 4
  featsieve reproduce --all --json > ledger.json
"""

STORE = "featsieve-reproduce.sqlite"


def _known_papers(incomplete: str) -> Iterator[str]:
    from featsieve.papers import papers

    yield from (paper.key for paper in papers() if paper.key.startswith(incomplete))


def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(
            metavar="PAPER", help="lkr, iterative, leave-one-out, takes or lle.", autocompletion=_known_papers
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every paper, one after the other.")] = False,
    table: Annotated[str | None, typer.Option(metavar="T", help="This table alone, such as VI.")] = None,
    figure: Annotated[str | None, typer.Option(metavar="F", help="This figure alone, such as 2.")] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder of the datasets; else what FEATSIEVE_DATA names."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write it all to this page, with the figures.")
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", help="All repeats and samples of the paper (hours), or what minutes allow."
        ),
    ] = False,
    store: Annotated[
        str,
        typer.Option(metavar="FILE", help="Keep every result here as it comes; the same command goes on."),
    ] = STORE,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="How many to compute at a time; -1 is all cores.")
    ] = -1,
    as_json: AsJson = False,
) -> None:
    """Run the experiments of a paper, and show its numbers beside ours.

    Tables show the paper's number, ours and the difference; figures are redrawn in the page that --report
    writes. Claims are judged by what was measured, with random selection and all features beside. Where a
    dataset is missing, the rest is run all the same.
    """
    from featsieve.cli.console import make_console, print_json, print_note, short_warnings, user_errors
    from featsieve.cli.data import check_report
    from featsieve.reproduction.summary import summarize
    from featsieve.reproduction.terminal import tables

    with user_errors(), short_warnings():
        chosen = _papers(paper, every, table, figure)
        if data is not None and not Path(data).expanduser().is_dir():
            raise ValueError(f"--data {data}: there is no such folder.")
        check_report(report)
        summaries = []
        for each, experiments in chosen:
            with _folder(data), _session(store, not full, jobs) as session:
                outcomes = {one.key: session.carry_out(one) for one in experiments}
            summaries.append(summarize(each, outcomes, quick=not full))
        ran = any(each["runs"] for summary in summaries for each in summary["experiments"])
        if ran:
            print_note(f"{store} keeps the results; the same command reads them again")
        if any(each["missing"] for summary in summaries for each in summary["experiments"]):
            print_note("some data is missing: --data DIR, or the variable FEATSIEVE_DATA, says where it is")
        if as_json:
            print_json(summaries if every else summaries[0])
        else:
            console = make_console()
            for part in (part for summary in summaries for part in tables(summary, console.width)):
                console.print(part, soft_wrap=isinstance(part, str))
        if report is not None:
            from featsieve.reproduction.page import write_page

            write_page(summaries, report)
            print_note(f"the page is in {report}")
    if not ran:
        raise typer.Exit(1)


def _papers(paper: str | None, every: bool, table: str | None, figure: str | None) -> list[tuple[Any, Any]]:
    from featsieve.papers import get_paper, papers

    if every and (paper or table or figure):
        raise ValueError("--all is every experiment of every paper: leave out the others.")
    if every:
        return [(each, each.experiments) for each in papers()]
    if paper is None:
        known = ", ".join(each.key for each in papers())
        raise ValueError(f"name a paper ({known}), or give --all.")
    found = get_paper(paper)
    wanted = [f"table-{table}"] if table else []
    wanted += [f"figure-{figure}"] if figure else []
    return [(found, [found.experiment(key) for key in wanted] or found.experiments)]


@contextmanager
def _folder(data: str | None) -> Iterator[None]:
    """Look for datasets in this folder, and afterwards where they were looked for before."""
    before = os.environ.get("FEATSIEVE_DATA")
    if data is not None:
        os.environ["FEATSIEVE_DATA"] = data
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("FEATSIEVE_DATA", None)
        else:
            os.environ["FEATSIEVE_DATA"] = before


@contextmanager
def _session(store: str, quick: bool, jobs: int) -> Iterator[Any]:
    """A session that tells on stderr how far it is: a bar in a terminal, else a line for each run."""
    from featsieve.cli.progress import make_progress_bar, resume_hint
    from featsieve.reproduction.session import Session

    terminal = sys.stderr.isatty()
    bar = make_progress_bar()
    task = bar.add_task("", total=None)

    def progress(run: Any, cell: Any, total: int) -> None:
        name = f"{run.dataset or 'synthetic'} {run.key}"
        if cell is None:
            bar.reset(task, description=name)
            if not terminal:
                typer.echo(name, err=True)
        else:
            bar.update(task, advance=1, total=total, description=f"{name}: {cell.method}")

    with resume_hint(store), bar:
        yield Session(store, quick, jobs, progress)
