"""``featsieve compare``: compare methods with each other and with random selection."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli import data as arguments
from featsieve.cli.cluster import Scheduler, Workers, dask_cluster
from featsieve.datasets.options import TableOptions

if TYPE_CHECKING:
    from featsieve.datasets import Dataset

EXAMPLES = """\b
Examples:
  featsieve compare breast_cancer --report report.html
  featsieve compare patients.csv --target diagnosis --methods fisher,mcfs,mcfs+labels
  featsieve compare faces.mat --methods unsupervised --protocol clustering --repeats 5
  featsieve compare faces.mat --protocol splits.mat --store faces.sqlite --jobs 4
  featsieve compare faces.mat --store faces.sqlite --scheduler tcp://10.0.0.1:8786
  featsieve compare wine --json > wine.json
"""


def compare(
    context: typer.Context,
    data: arguments.Data,
    target: arguments.Target = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="A,B|GROUP",
            help="Names from featsieve methods, or all, unsupervised or supervised. NAME+labels passes the "
            "labels to a method in which they are optional. Default: all suitable methods within "
            "the --budget.",
        ),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.mat",
            help="How samples are held out: splits (random halves), folds (cross-validation), seen (select "
            "on all samples, then split), clustering (no samples held out), or a .mat file with the splits.",
        ),
    ] = "splits",
    repeats: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of random splits, rounds of folds, or k-means runs."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save every result in FILE; rerun the same command to resume."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write an HTML report of the comparison.")
    ] = None,
    jobs: arguments.Jobs = -1,
    scheduler: Scheduler = None,
    workers: Workers = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Time limit for one method on one split.")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time for ranking by all methods, such as 90s, 5m or 2h; the slowest methods that exceed it "
            "are left out. Default: 10m for large data. Named methods always run.",
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry the methods and splits that failed or timed out.")
    ] = False,
    rows: Annotated[
        int, typer.Option(metavar="N", min=0, help="Use at most N samples, drawn at random; 0 uses all.")
    ] = 4000,
    drop: arguments.Drop = None,
    id_column: arguments.Id = None,
    groups: arguments.Groups = None,
    transpose: arguments.Transpose = False,
    samples: arguments.Samples = None,
    strict: arguments.Strict = False,
    scale: arguments.Scale = None,
    target_type: arguments.TargetType = "auto",
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Seed of the random numbers; the same seed repeats a run.")
    ] = 0,
    image_shape: arguments.ImageShape = None,
    as_json: arguments.AsJson = False,
) -> None:
    """Compare methods with each other and with random selection.

    On each split of the samples, every method ranks the features using the training samples only. The top 1,
    2, 3, ... features are then tested on the held-out samples: with classifiers if the labels are classes,
    with regression if they are numbers, and by how well they preserve the neighbors of each sample if there
    are no labels. Random selection, all features and variance are always included as baselines.
    """
    from featsieve.cli.console import make_console, print_json, print_note, short_warnings, user_errors
    from featsieve.cli.results import (
        describe_recommendation,
        explain_table,
        make_results_table,
        make_title,
        summarize_results,
    )
    from featsieve.evaluation import Execution, Plan
    from featsieve.evaluation import compare as run
    from featsieve.evaluation.protocols import get_protocol
    from featsieve.report import write_report
    from featsieve.report.pixels import resolve_image_shape

    with user_errors(), short_warnings():
        arguments.check_report(report)
        arguments.check_target_type(target_type)
        plan = Plan(
            get_protocol(protocol, repeats, isolated=True),
            target=target_type,  # type: ignore[arg-type]
            scale="auto" if scale is None else scale,
            seed=seed,
        )
        names = None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
        if names == []:
            raise ValueError("--methods must name at least one method; featsieve methods lists all.")
        options = TableOptions(id_column, groups, transpose)
        full = arguments.read_data(data, target, drop, samples, strict, options)
        dataset = full.subsample(rows or full.X.shape[0], seed)
        if dataset is not full:
            print_note(f"{dataset.notes[-1].rstrip('.')}. Use --rows 0 to use all samples.")
        shape = resolve_image_shape(image_shape or dataset.image_shape, dataset.feature_names)
        with dask_cluster(scheduler, workers), _show_progress(store) as progress:
            command = shlex.join(["featsieve", *sys.argv[1:]])
            execution = Execution(
                store,
                jobs,
                timeout,
                retry,
                progress,
                command,
                selection=_make_selection(context, full),
                budget=None if budget is None else parse_time(budget),
                notify=print_note,
            )
            comparison = run(dataset, methods=names, plan=plan, execution=execution)
        for note in comparison.notes:
            if note not in dataset.notes:  # those have been printed
                print_note(note)
        if as_json:
            print_json(summarize_results(comparison))
        else:
            console = make_console()
            console.print(make_title(comparison), soft_wrap=True)
            console.print(make_results_table(comparison))
            for text in (explain_table(comparison), describe_recommendation(comparison)):
                console.print(f"\n{text}", soft_wrap=True)
        if report is not None:
            write_report(comparison, report, X=dataset.X, image_shape=shape)
            print_note(f"Report written to {report}")
    if not any(comparison.areas().values()):
        raise typer.Exit(1)


@contextmanager
def _show_progress(store: str | None) -> Iterator[Callable[[Any, int], None]]:
    """Yield a function that shows that a cell is finished: by a bar in a terminal, by lines elsewhere."""
    from featsieve.cli.progress import ProgressLines, make_progress_bar, resume_hint

    bar, lines = make_progress_bar(), ProgressLines()
    task = bar.add_task("comparing", total=None)

    def advance(cell: Any, total: int) -> None:
        bar.update(task, advance=1, total=total, description=cell.method)
        if bar.disable:
            lines.advance(total)

    with resume_hint(store), bar:
        yield advance


def parse_time(text: str) -> float:
    """Return the seconds of a time such as 90s, 5m or 2h."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if not match or not float(match[1]):
        raise ValueError(f"--budget must be a time such as 90s, 5m or 2h; got {text!r}.")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def _make_selection(context: typer.Context, dataset: Dataset) -> list[str]:
    """Return the arguments of ``select`` that read the data as this command does, and a file to write."""
    from pathlib import Path

    from typer.main import get_command

    from featsieve.cli.app import app
    from featsieve.datasets.formats import extensions

    commands: Any = get_command(app)
    known = {parameter.name for parameter in commands.commands["select"].params}
    words = [str(context.params["data"])]
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        is_given = context.get_parameter_source(name).name == "COMMANDLINE"  # type: ignore[union-attr]
        if is_given and name in known - {"data", "scale", "as_json"}:
            words += _as_words(parameter, value)
    source = Path(str(context.params["data"]).removeprefix("openml:"))
    suffix = source.suffix if source.suffix in extensions(writable=True) else ".csv"
    rows = context.params["rows"]
    if dataset.X.shape[0] > rows > 0 and "--rows" not in words:
        words += ["--rows", str(rows)]
    return [*words, "-o", f"{source.stem}_selected{suffix}"]


def _as_words(parameter: Any, value: Any) -> list[str]:
    option = parameter.opts[0]
    if isinstance(value, bool):
        return [option if value else parameter.secondary_opts[0]]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [text for item in values for text in (option, str(item))]
