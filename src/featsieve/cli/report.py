"""``featsieve report``: write the HTML report of a stored comparison."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli.data import ImageShape

if TYPE_CHECKING:
    from featsieve.evaluation import Comparison

EXAMPLES = """\b
Examples:
  featsieve compare breast_cancer --store results.sqlite
  featsieve report results.sqlite -o report.html
  featsieve report faces.sqlite -o faces.html --data faces.mat --image-shape 32x32F
  featsieve report results.sqlite --json > summary.json
"""


def report(
    store: Annotated[str, typer.Argument(metavar="STORE", help="File written by compare --store.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE.html", help="File to write. Default: STORE with extension .html."
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="ID", help="First characters of the ID of a run. Default: the latest run."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="The compared data, to show the mean image behind the pixels."),
    ] = None,
    image_shape: ImageShape = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the content of the report as JSON; write FILE.html only with --output."
        ),
    ] = False,
) -> None:
    """Write the HTML report of a comparison.

    The report is a single file that opens in any browser and needs no network. Writing it needs the extra
    packages that pip install 'featsieve[report]' installs.
    """
    from featsieve.cli.console import print_json, print_note, short_warnings, user_errors
    from featsieve.cli.data import check_report
    from featsieve.evaluation import Comparison
    from featsieve.report import summarize, write_report

    with user_errors(), short_warnings():
        comparison = Comparison.read(store, run)
        target = None if output is None and as_json else output or str(Path(store).with_suffix(".html"))
        check_report(target)
        X = None if data is None else _load_features(data, comparison)
        if as_json:
            print_json(summarize(comparison, X=X, image_shape=image_shape))
        if target is None:
            return
        write_report(comparison, target, X=X, image_shape=image_shape)
    if as_json:
        print_note(f"Report written to {target}")
    else:
        typer.echo(target)


def _load_features(source: str, comparison: Comparison) -> Any:
    """Return the compared features; ValueError if the data has another number of features."""
    from featsieve.datasets import load

    expected = comparison.info["dataset"]
    dataset = load(source, target=expected["target"], isolated=True)
    if dataset.X.shape[1] != expected["n_features"]:
        raise ValueError(
            f"--data must be the compared data with {expected['n_features']} features; "
            f"{dataset.name} has {dataset.X.shape[1]}."
        )
    return dataset.X
