"""``featsieve reproduce``: repeat the experiments of a paper."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from featsieve.cli.cluster import Scheduler, Workers, dask_cluster
from featsieve.cli.data import AsJson, Jobs

if TYPE_CHECKING:
    from featsieve.evaluation import Cell
    from featsieve.reproduction.schema import Computation, Experiment, Paper, Run
    from featsieve.reproduction.session import Session

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
        typer.Argument(metavar="PAPER", help="Name of a paper, such as lle.", autocompletion=_known_papers),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run every paper.")] = False,
    table: Annotated[str | None, typer.Option(metavar="T", help="Run only this table, such as VI.")] = None,
    figure: Annotated[str | None, typer.Option(metavar="F", help="Run only this figure, such as 2.")] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder of the datasets. [default: $FEATSIEVE_DATA]")
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write the results and the figures to this page.")
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", help="Use all repeats and samples of the paper (hours), or fewer (minutes)."
        ),
    ] = False,
    store: Annotated[
        str,
        typer.Option(metavar="FILE", help="Store for finished results. Rerun the same command to resume."),
    ] = STORE,
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Repeat the experiments of a paper and compare its numbers with ours.

    Tables show the number of the paper, ours and the difference. The page of --report also contains the
    figures. Claims are judged by the results, with random selection and all features for comparison.
    Experiments whose dataset is missing are skipped.
    """
    from featsieve.cli.console import make_console, print_json, print_note, short_warnings, user_errors
    from featsieve.cli.data import check_report
    from featsieve.reproduction.summary import summarize
    from featsieve.reproduction.terminal import render_tables

    with user_errors(), short_warnings():
        chosen = _choose_experiments(paper, every, table, figure)
        if data is not None and not Path(data).expanduser().is_dir():
            raise ValueError(f"--data must be a folder; {data} is not.")
        check_report(report)
        summaries = []
        with dask_cluster(scheduler, workers):
            for record, experiments in chosen:
                runs = list(dict.fromkeys(run for experiment in experiments for run in experiment.runs))
                with _data_folder(data), _open_session(store, not full, jobs, runs) as session:
                    outcomes = {part.key: session.run_experiment(part) for part in experiments}
                summaries.append(summarize(record, outcomes, quick=not full))
        summarized = [experiment for summary in summaries for experiment in summary["experiments"]]
        has_results = any(experiment["runs"] for experiment in summarized)
        if has_results:
            print_note(f"Results are stored in {store}; rerun the same command to show them again")
        if any(experiment["missing"] for experiment in summarized):
            print_note("Some datasets are missing; set their folder with --data DIR or FEATSIEVE_DATA")
        if as_json:
            print_json(summaries if every else summaries[0])
        else:
            console = make_console()
            for summary in summaries:
                for block in render_tables(summary, console.width):
                    console.print(block, soft_wrap=isinstance(block, str))
        if report is not None:
            from featsieve.reproduction.page import write_page

            write_page(summaries, report)
            print_note(f"The page was written to {report}")
    if not has_results:
        raise typer.Exit(1)


def _choose_experiments(
    paper: str | None, every: bool, table: str | None, figure: str | None
) -> list[tuple[Paper, tuple[Experiment, ...]]]:
    from featsieve.papers import get_paper, papers

    if every:
        if paper or table or figure:
            raise ValueError("--all cannot be combined with PAPER, --table or --figure.")
        return [(record, record.experiments) for record in papers()]
    if paper is None:
        known = ", ".join(record.key for record in papers())
        raise ValueError(f"Expected the name of a paper ({known}) or --all.")
    record = get_paper(paper)
    keys = [f"table-{table}"] * (table is not None) + [f"figure-{figure}"] * (figure is not None)
    return [(record, tuple(map(record.experiment, keys)) or record.experiments)]


@contextmanager
def _data_folder(data: str | None) -> Iterator[None]:
    """Set FEATSIEVE_DATA, and restore it at the end."""
    previous = os.environ.get("FEATSIEVE_DATA")
    if data is not None:
        os.environ["FEATSIEVE_DATA"] = data
    try:
        yield
    finally:
        if previous is None:
            os.environ.pop("FEATSIEVE_DATA", None)
        else:
            os.environ["FEATSIEVE_DATA"] = previous


@contextmanager
def _open_session(store: str, quick: bool, jobs: int, runs: Sequence[Run | Computation]) -> Iterator[Session]:
    """Open a session that shows the progress of the runs on stderr: as a bar in a terminal, else as lines."""
    from featsieve.cli.progress import make_progress_bar, resume_hint
    from featsieve.reproduction.session import Session

    is_terminal = sys.stderr.isatty()
    bar = make_progress_bar()
    task = bar.add_task("", total=None)

    def progress(run: Run | Computation, cell: Cell | None, n_cells: int) -> None:
        name = _name_run(run)
        if cell is None:
            bar.reset(task, description=name)
            if not is_terminal:
                typer.echo(f"Running {name} ({runs.index(run) + 1} of {len(runs)})", err=True)
        else:
            bar.update(task, advance=1, total=n_cells, description=f"{name}: {cell.method}")

    with resume_hint(store), bar:
        yield Session(store, quick, jobs, progress)


def _name_run(run: Run | Computation) -> str:
    dataset = run.dataset or "synthetic samples"
    return dataset if run.key.lower() == dataset.lower() else f"{dataset}, {run.key}"
