"""``featsieve report``: one HTML file that tells what a comparison found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from featsieve.evaluation.results import Comparison

EXAMPLES = """\b
Examples:
  featsieve compare breast_cancer --store results.sqlite
  featsieve report results.sqlite -o report.html
  featsieve report faces.sqlite -o faces.html --data faces.mat --image-shape 32x32F
  featsieve report results.sqlite --json > summary.json
"""


def report(
    store: Annotated[str, typer.Argument(metavar="STORE", help="File that compare --store made.")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE.html", help="Where to write; STORE.html if not given."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Which run of the store, by its first characters; the latest if not given."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DATA", help="The data that was compared, to draw the mean image under the pixels."
        ),
    ] = None,
    image_shape: Annotated[
        str | None,
        typer.Option(
            metavar="ROWSxCOLUMNS[F]",
            help="The features are the pixels of an image of this shape; F for images stored by columns.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print what the report tells as JSON; write the file only if --output is given."
        ),
    ] = False,
) -> None:
    """Write one HTML file that tells what a comparison found.

    The file holds all it needs: it opens in any browser, without a network, and can be mailed or printed.
    Needs the extra: pip install 'featsieve[report]'.
    """
    from featsieve.cli.console import note, print_json, short_warnings, user_errors
    from featsieve.evaluation.results import Comparison
    from featsieve.report import summarize, write_report

    with user_errors(), short_warnings():
        comparison = Comparison.read(store, run)
        X = None if data is None else _values(data, comparison)
        if as_json:
            print_json(summarize(comparison, X=X, image_shape=image_shape))
        if output is None and as_json:
            return
        target = output or str(Path(store).with_suffix(".html"))
        try:
            write_report(comparison, target, X=X, image_shape=image_shape)
        except ImportError as missing:
            raise ValueError(str(missing)) from missing
    if as_json:
        note(f"the report is in {target}")
    else:
        typer.echo(target)


def _values(data: str, comparison: Comparison) -> Any:
    """The values of the features that were compared; ValueError where they are not those."""
    from featsieve.datasets import load

    known = comparison.info["dataset"]
    dataset = load(data, target=known["target"], isolated=True)
    if dataset.X.shape[1] != known["n_features"]:
        shapes = f"{dataset.X.shape[1]} features, but {known['n_features']} were compared"
        raise ValueError(f"{dataset.name} has {shapes}: give the same data, or leave out --data.")
    return dataset.X
