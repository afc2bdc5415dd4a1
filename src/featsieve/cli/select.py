"""``featsieve select``: a file with the best columns alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli.data import AsJson, Data, Drop, MethodName, Samples, Scale, Strict, Target
from featsieve.datasets.formats import extensions

if TYPE_CHECKING:
    from featsieve.datasets import Dataset

EXAMPLES = """\b
Examples:
  featsieve select wine --method fisher --top 5 --output wine.csv
  featsieve select patients.csv --target diagnosis --top 20 -o reduced.parquet
  featsieve select faces.mat --top 100 -o faces.npz --force
  featsieve select genes.h5ad --target cell_type --method lle --top 200 -o genes.mat
"""


def select(
    data: Data,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"File to write ({', '.join(extensions(writable=True))}).",
        ),
    ],
    top: Annotated[int, typer.Option("--top", "-k", metavar="K", min=1, help="How many columns to keep.")],
    target: Target = None,
    method: MethodName = "laplacian",
    drop: Drop = None,
    samples: Samples = None,
    strict: Strict = False,
    scale: Scale = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the K best columns of DATA, and its labels, to a file.

    Columns are written as they are in DATA and in their order there. A column of text or dates is as good as
    the best feature made of it. The file appears when it is complete; DATA itself is never replaced.
    """
    from featsieve.cli.console import note, print_json, short_warnings, user_errors
    from featsieve.cli.data import fit_method, read_data, summary
    from featsieve.datasets import save
    from featsieve.datasets.saving import check_output
    from featsieve.registry import get_ranker

    with user_errors(), short_warnings():
        record = get_ranker(method)
        dataset = read_data(data, target, drop, samples, strict)
        path = check_output(output, dataset, force)
        _check_top(top, dataset)
        estimator = fit_method(record, dataset, scale, top)
        best = list(dataset.best_columns(estimator.order_.tolist()))[:top]
        kept = [column for column in dataset.columns if column in set(best)]
        save(dataset, kept, path, force)
    if path.suffix == ".npy" and dataset.y is not None:
        note("a .npy file has no place for labels, so they are not in it.")
    if as_json:
        print_json(summary(record, dataset) | {"output": str(path), "columns": kept, "best_first": best})
    else:
        typer.echo(_said(path, kept, dataset))


def _check_top(top: int, dataset: Dataset) -> None:
    count = len(set(dataset.origins))
    if top > count:
        raise ValueError(f"--top {top} is more than the {count} columns of {dataset.name}: lower it.")


def _said(path: Any, kept: list[str], dataset: Dataset) -> str:
    from featsieve.cli.console import printable

    count = len(set(dataset.origins))
    shown = ", ".join(map(printable, kept[:10])) + (f" and {len(kept) - 10} more" if len(kept) > 10 else "")
    return f"{path}: {dataset.X.shape[0]} samples, {len(kept)} of {count} columns: {shown}"
