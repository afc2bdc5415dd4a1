"""``featsieve compare``: compare methods with each other and with random selection."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli.data import (
    AsJson,
    Data,
    Drop,
    Groups,
    Id,
    ImageShape,
    Jobs,
    Samples,
    Strict,
    Target,
    Transpose,
)
from featsieve.datasets.options import TableOptions

if TYPE_CHECKING:
    from rich.table import Table

    from featsieve.evaluation import Comparison

EXAMPLES = """\b
Examples:
  featsieve compare breast_cancer --report report.html
  featsieve compare patients.csv --target diagnosis --methods fisher,mcfs,mcfs+labels
  featsieve compare faces.mat --methods unsupervised --protocol clustering --repeats 5
  featsieve compare faces.mat --protocol splits.mat --store faces.sqlite --jobs 4
  featsieve compare wine --json > wine.json
"""

# Number of top features listed per method.
N_TOP_FEATURES = 10


def compare(
    data: Data,
    target: Target = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="A,B|GROUP",
            help="Names from featsieve methods, or all, unsupervised or supervised. NAME+labels passes the "
            "labels to a method in which they are optional. Default: all suitable methods; slow ones are "
            "skipped on large data.",
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
    jobs: Jobs = -1,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Time limit for one method on one split.")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry the methods and splits that failed or timed out.")
    ] = False,
    rows: Annotated[
        int, typer.Option(metavar="N", min=0, help="Use at most N samples, drawn at random; 0 uses all.")
    ] = 4000,
    drop: Drop = None,
    id_column: Id = None,
    groups: Groups = None,
    transpose: Transpose = False,
    samples: Samples = None,
    strict: Strict = False,
    scale: Annotated[
        bool | None,
        typer.Option(
            "--scale/--no-scale",
            help="Standardize every column to mean 0 and variance 1. "
            "Default: if the ranges of the columns differ widely.",
        ),
    ] = None,
    target_type: Annotated[
        str, typer.Option(metavar="KIND", help="Kind of the labels: auto, classes or numeric.")
    ] = "auto",
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Seed of the random numbers; the same seed repeats a run.")
    ] = 0,
    image_shape: ImageShape = None,
    as_json: AsJson = False,
) -> None:
    """Compare methods with each other and with random selection.

    On each split of the samples, every method ranks the features using the training samples only. The top 1,
    2, 3, ... features are then tested on the held-out samples: with classifiers if the labels are classes,
    with regression if they are numbers, and by how well they preserve the neighbors of each sample if there
    are no labels. Random selection, all features and variance are always included as baselines.
    """
    from featsieve.cli.console import make_console, print_json, print_note, short_warnings, user_errors
    from featsieve.cli.data import check_report, read_data
    from featsieve.evaluation import Execution, Plan
    from featsieve.evaluation import compare as run
    from featsieve.evaluation.protocols import get_protocol
    from featsieve.report import write_report
    from featsieve.report.pixels import resolve_image_shape

    with user_errors(), short_warnings():
        check_report(report)
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
        full = read_data(data, target, drop, samples, strict, options)
        dataset = full.subsample(rows or full.X.shape[0], seed)
        if dataset is not full:
            print_note(f"{dataset.notes[-1].rstrip('.')}. Use --rows 0 to use all samples.")
        shape = resolve_image_shape(image_shape or dataset.image_shape, dataset.feature_names)
        with _show_progress(store) as progress:
            command = shlex.join(["featsieve", *sys.argv[1:]])
            execution = Execution(store, jobs, timeout, retry, progress, command)
            comparison = run(dataset, methods=names, plan=plan, execution=execution)
        for note in comparison.notes:
            if note not in dataset.notes:  # those have been printed
                print_note(note)
        if as_json:
            print_json(_summarize(comparison))
        else:
            console = make_console()
            console.print(_make_title(comparison), soft_wrap=True)
            console.print(_make_table(comparison))
            console.print(_make_conclusion(comparison), soft_wrap=True)
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


def _make_title(comparison: Comparison) -> str:
    dataset = comparison.info["dataset"]
    classes = f", {dataset['n_classes']} classes" if dataset["n_classes"] else ""
    shape = f"{dataset['n_samples']} samples, {dataset['n_features']} features{classes}"
    return f"{dataset['name']}: {shape}. {comparison.info['protocol']['description']}"


def _make_table(comparison: Comparison) -> Table:
    from featsieve.cli.console import make_table, printable

    percent = all(comparison.measures[key]["percent"] for key in comparison.main)
    seconds = comparison.seconds()
    mean = "Mean %" if percent else "Mean"
    headings = ("Method", "Labels", mean, "Compared with random selection", "p", "Seconds")
    table = make_table(*headings, right=(mean, "p", "Seconds"))
    for row in comparison.summary().to_dict("records"):
        area = row["auc"] * (100 if percent else 1)
        table.add_row(
            printable(row["method"]),
            "yes" if comparison.info["methods"][row["method"]]["uses_labels"] else "",
            "" if math.isnan(area) else f"{area:.{1 if percent else 3}f}",
            printable(row["verdict"]),
            "" if math.isnan(row["p_holm"]) else f"{row['p_holm']:.2g}",
            "" if row["method"] not in seconds else f"{seconds[row['method']]:.2g}",
        )
    return table


def _make_conclusion(comparison: Comparison) -> str:
    """Explain the columns, list failures, and name the best selection method and its top features."""
    from featsieve.cli.console import printable

    sizes = comparison.sizes
    measures = ", ".join(comparison.measures[key]["name"] for key in comparison.main)
    lines = [
        "Labels: whether the method uses the labels.",
        f"Mean: {measures}, averaged over {len(sizes)} subset sizes from {sizes[0]} to {sizes[-1]} features "
        "(log scale).",
        "p: p-value of the t test, corrected for the number of methods. "
        "In parentheses: 95% interval of the difference.",
        "Seconds: median time of one fit.",
    ]
    if comparison.info["protocol"]["transductive"]:
        lines.append(
            "Features were selected and tested on the same samples, so methods that use labels have already "
            "seen the test labels."
        )
    failures = [
        f"{printable(row['method'])} on {row['failed']} of {row['failed'] + row['splits']} splits "
        f"({printable(comparison.errors(row['method'])[0]).rstrip('.')})"
        for row in comparison.summary().to_dict("records")
        if row["failed"]
    ]
    if failures:
        lines.append(f"Did not finish: {'; '.join(failures)}.")
    best = comparison.best()
    if not any(comparison.areas().values()):
        lines.append("There are no results because no method finished.")
    elif best is None:
        lines.append("No method is clearly better than random selection on this data.")
    else:
        features = ", ".join(map(printable, _top_features(comparison).get(best, [])))
        lines.append(f"Best selection method: {best}. Its top features: {features}.")
    return "\n".join(lines)


def _top_features(comparison: Comparison) -> dict[str, list[str]]:
    """Return the top columns of each method, fitted to all samples."""
    ranking = comparison.ranking()
    return {
        label: ranking[label].sort_values().index[:N_TOP_FEATURES].tolist()
        for label in comparison.labels
        if label in ranking
    }


def _summarize(comparison: Comparison) -> dict[str, Any]:
    """Return the results for JSON."""
    from featsieve.evaluation.store import replace_nonfinite

    dataset = comparison.info["dataset"]
    lists = ("feature_names", "columns", "origins")
    return replace_nonfinite(
        {
            "run": comparison.run_id,
            "data": {key: value for key, value in dataset.items() if key not in lists},
            "protocol": comparison.info["protocol"],
            "scale": comparison.info["scale"],
            "seed": comparison.info["seed"],
            "sizes": comparison.sizes,
            "measures": comparison.info["measures"],
            "best": comparison.best(),
            "methods": comparison.summary().to_dict("records"),
            "table": comparison.table().to_dict("records"),
            "top_features": _top_features(comparison),
            "failures": [
                {"method": cell.method, "split": cell.split, "status": cell.status, "error": cell.error}
                for cell in comparison.cells
                if cell.status != "ok"
            ],
        }
    )
