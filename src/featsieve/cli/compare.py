"""``featsieve compare``: which features, by which method, and does it help at all."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli.data import AsJson, Data, Drop, Samples, Strict, Target

if TYPE_CHECKING:
    from featsieve.datasets import Dataset
    from featsieve.evaluation import Comparison

EXAMPLES = """\b
Examples:
  featsieve compare breast_cancer --report report.html
  featsieve compare patients.csv --target diagnosis --methods fisher,mcfs,mcfs+labels
  featsieve compare faces.mat --methods unsupervised --protocol clustering --repeats 5
  featsieve compare faces.mat --protocol splits.mat --store faces.sqlite --jobs 4
  featsieve compare wine --json > wine.json
"""

# How many features the answer names.
_NAMED = 10


def compare(
    data: Data,
    target: Target = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="A,B|GROUP",
            help="Names, or all, unsupervised or supervised; NAME+labels gives labels to a method that can "
            "do without. If not given: every method that the data allows, the quick ones for large data.",
        ),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.mat",
            help="splits, folds, seen (choose on all samples, then split), clustering, or a file of "
            "published splits.",
        ),
    ] = "splits",
    repeats: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Splits, rounds of folds, or runs of k-means.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Keep every result here as it comes; the same command goes on."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write a report of it all to this file.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="How many to compute at a time; -1 is all cores.")
    ] = -1,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop a method on a split after so long.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what failed in the store.")] = False,
    rows: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Use at most N samples, drawn at random; 0 uses all of them."),
    ] = 4000,
    drop: Drop = None,
    samples: Samples = None,
    strict: Strict = False,
    scale: Annotated[
        bool | None,
        typer.Option(
            "--scale/--no-scale", help="Standardize the columns; if not said, where their units differ."
        ),
    ] = None,
    target_type: Annotated[
        str, typer.Option(metavar="KIND", help="What the labels are: auto, classes or numeric.")
    ] = "auto",
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all that is random.")] = 0,
    image_shape: Annotated[
        str | None,
        typer.Option(
            metavar="ROWSxCOLUMNS[F]",
            help="For the report: the features are pixels; F for images stored by columns.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare methods on DATA: which features to keep, and do they beat features picked at random.

    Each method ranks the features on one part of the samples, and its first 1, 2, ... features are tried on
    the other part: nearest neighbor, nearest class mean and a linear classifier for classes, regression for
    numbers, neighborhoods where there are no labels. Random selection, all features and variance are
    always there.
    """
    from featsieve.cli.console import note, print_json, results, short_warnings, user_errors
    from featsieve.cli.data import check_report, read_data
    from featsieve.evaluation import Execution, Plan
    from featsieve.evaluation import compare as run
    from featsieve.evaluation.protocols import get_protocol
    from featsieve.report import write_report
    from featsieve.report.pixels import shape_of

    with user_errors(), short_warnings():
        check_report(report)
        plan = Plan(
            get_protocol(protocol, repeats, isolated=True),
            target=target_type,  # type: ignore[arg-type]
            scale="auto" if scale is None else scale,
            seed=seed,
        )
        dataset = _subsample(read_data(data, target, drop, samples, strict), rows, seed)
        shape = shape_of(image_shape or dataset.image_shape, dataset.feature_names)
        with _progress(store) as progress:
            execution = Execution(store, jobs, timeout, retry, progress, _command())
            found = run(dataset, methods=_names(methods), plan=plan, execution=execution)
        _tell_notes(found, dataset)
        if as_json:
            print_json(_summary(found))
        else:
            console = results()
            console.print(_title(found), soft_wrap=True)
            console.print(_table(found))
            console.print(_answer(found), soft_wrap=True)
        if report is not None:
            write_report(found, report, X=dataset.X, image_shape=shape)
            note(f"the report is in {report}")
    if not any(found.areas().values()):
        raise typer.Exit(1)


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise ValueError("--methods names no method: see featsieve methods.")
    return names


def _subsample(dataset: Dataset, max_samples: int, seed: int) -> Dataset:
    from featsieve.cli.console import note

    if max_samples == 0:
        return dataset
    subsample = dataset.subsample(max_samples, seed)
    if subsample is not dataset:
        note(f"{subsample.notes[-1]}; --rows 0 uses all samples.")
    return subsample


@contextmanager
def _progress(store: str | None) -> Iterator[Any]:
    """A bar with the time left on stderr, if it is a terminal; a word on what is kept when interrupted."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from featsieve.cli.console import note

    shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*shown, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    task = bar.add_task("comparing", total=None)

    def advance(cell: Any, total: int) -> None:
        bar.update(task, advance=1, total=total, description=cell.method)

    try:
        with bar:
            yield advance
    except KeyboardInterrupt:
        if store is not None:
            note(f"{store} keeps what is done; the same command goes on from there.")
        raise


def _command() -> str:
    import shlex

    return shlex.join(["featsieve", *sys.argv[1:]])


def _tell_notes(found: Comparison, dataset: Dataset) -> None:
    """What the comparison decided; what reading decided has been said."""
    from featsieve.cli.console import note

    for each in found.notes:
        if each not in dataset.notes:
            note(each)


def _title(found: Comparison) -> str:
    data = found.info["dataset"]
    classes = f", {data['n_classes']} classes" if data["n_classes"] else ""
    shape = f"{data['n_samples']} samples, {data['n_features']} features{classes}"
    return f"{data['name']}: {shape}. {found.info['protocol']['description']}"


def _main_names(found: Comparison) -> str:
    return ", ".join(found.measures[key]["name"] for key in found.main)


def _table(found: Comparison) -> Any:
    from rich import box
    from rich.table import Table

    from featsieve.cli.console import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    percent = all(found.measures[key]["percent"] for key in found.main)
    table.add_column("Method", overflow="fold")
    table.add_column("Labels")
    table.add_column("Mean" + (" %" if percent else ""), justify="right")
    table.add_column("Verdict", overflow="fold")
    table.add_column("p", justify="right")
    table.add_column("Seconds", justify="right")
    seconds = found.seconds()
    for row in found.summary().to_dict("records"):
        mean = row["auc"] * (100 if percent else 1)
        table.add_row(
            printable(row["method"]),
            "yes" if found.info["methods"][row["method"]]["uses_labels"] else "",
            "" if math.isnan(mean) else f"{mean:.{1 if percent else 3}f}",
            printable(row["verdict"]),
            "" if math.isnan(row["p_holm"]) else f"{row['p_holm']:.2g}",
            "" if row["method"] not in seconds else f"{seconds[row['method']]:.2g}",
        )
    return table


def _answer(found: Comparison) -> str:
    """What the numbers are, and what to keep."""
    from featsieve.cli.console import printable

    sizes = found.sizes
    explained = (
        f"Mean: {_main_names(found)}, averaged over {len(sizes)} sizes from {sizes[0]} to {sizes[-1]} "
        "features (log scale). p is corrected for the number of methods, intervals are not. Seconds: one fit."
    )
    if found.info["protocol"]["transductive"]:
        explained += (
            " Features were chosen on the samples that are measured: methods that use labels have seen those "
            "they are measured by."
        )
    explained += _told_failures(found)
    best = found.best()
    if not any(found.areas().values()):
        return f"{explained}\nNothing was measured."
    if best is None:
        return f"{explained}\nNo method clearly beats features picked at random on this data."
    names = _first(found).get(best, [])
    return f"{explained}\nBest: {best}. Its first features: {', '.join(printable(name) for name in names)}."


def _told_failures(found: Comparison) -> str:
    """A line that names the methods that failed or ran out of time, and why."""
    from featsieve.cli.console import printable

    bad = [
        f"{printable(row['method'])} on {row['failed']} of {row['failed'] + row['splits']} splits "
        f"({printable(found.errors(row['method'])[0]).rstrip('.')})"
        for row in found.summary().to_dict("records")
        if row["failed"]
    ]
    return f"\nDid not finish: {'; '.join(bad)}." if bad else ""


def _first(found: Comparison) -> dict[str, list[str]]:
    """The first columns of each method."""
    ranking = found.ranking()
    return {
        label: ranking[label].sort_values().index[:_NAMED].tolist()
        for label in found.labels
        if label in ranking
    }


def _summary(found: Comparison) -> dict[str, Any]:
    data = found.info["dataset"]
    return {
        "run": found.run_id,
        "data": {key: data[key] for key in data if key not in ("feature_names", "columns", "origins")},
        "protocol": found.info["protocol"],
        "scale": found.info["scale"],
        "seed": found.info["seed"],
        "sizes": found.sizes,
        "measures": found.info["measures"],
        "best": found.best(),
        "methods": _plain(found.summary()),
        "table": _plain(found.table()),
        "first_features": _first(found),
        "failures": [
            {"method": cell.method, "split": cell.split, "status": cell.status, "error": cell.error}
            for cell in found.cells
            if cell.status != "ok"
        ],
    }


def _plain(frame: Any) -> list[dict[str, Any]]:
    """The rows, with None where JSON has no number."""
    return [
        {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row.items()
        }
        for row in frame.to_dict("records")
    ]
