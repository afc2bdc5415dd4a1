"""``featsieve select``: write the best columns of a dataset to a file."""

from __future__ import annotations

from typing import Annotated

import typer

from featsieve.cli.data import (
    AsJson,
    Data,
    Diverse,
    Drop,
    Groups,
    Id,
    MethodName,
    Samples,
    Scale,
    Strict,
    Target,
    Transpose,
)
from featsieve.datasets.formats import extensions
from featsieve.datasets.options import TableOptions

EXAMPLES = """\b
Examples:
  featsieve select wine --output wine.csv
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
            help=f"File to write. Its extension selects the format: {', '.join(extensions(writable=True))}.",
        ),
    ],
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            "-k",
            metavar="K",
            min=1,
            help="Number of columns to keep. Default: the smallest number whose performance on held-out "
            "samples is within one standard error of the best.",
        ),
    ] = None,
    target: Target = None,
    method: MethodName = "auto",
    diverse: Diverse = False,
    drop: Drop = None,
    id_column: Id = None,
    groups: Groups = None,
    transpose: Transpose = False,
    samples: Samples = None,
    strict: Strict = False,
    scale: Scale = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the best columns of DATA, and its labels, to a file.

    The columns keep their values and their order. A column of text or dates is ranked by the best feature
    derived from it. FILE appears only when it is complete, and DATA is never overwritten.
    """
    from featsieve.cli.console import print_json, print_note, printable, short_warnings, user_errors
    from featsieve.cli.data import read_data
    from featsieve.cli.fit import (
        accepts_partial_labels,
        column_ranking,
        find_ranker,
        fit_method,
        summarize_fit,
    )
    from featsieve.datasets import save
    from featsieve.datasets.saving import check_output

    with user_errors(), short_warnings():
        record = find_ranker(method, diverse)
        options = TableOptions(id_column, groups, transpose, accepts_partial_labels(record))
        dataset = read_data(data, target, drop, samples, strict, options)
        path = check_output(output, dataset, force)
        n_columns = len(set(dataset.origins))
        if top is not None and top > n_columns:
            raise ValueError(
                f"--top must be at most {n_columns}, the number of columns of {dataset.name}; got {top}."
            )
        estimator = fit_method(record, dataset, scale, top or "auto")
        order = estimator.order_.tolist()
        if top is None:
            order = order[: estimator.n_features_]
        best = list(dataset.best_columns(order))[:top]
        selected = [column for column in dataset.columns if column in set(best)]
        save(dataset, selected, path, force, column_ranking(dataset, estimator, selected))
    if path.suffix == ".npy" and dataset.y is not None:
        print_note(f"{path.name} contains no labels because .npy files store a single array.")
    if as_json:
        description = summarize_fit(record, dataset, estimator)
        print_json(description | {"output": str(path), "columns": selected, "best_first": best})
    else:
        names = ", ".join(map(printable, selected[:10]))
        more = f" and {len(selected) - 10} more" if len(selected) > 10 else ""
        shape = f"{dataset.X.shape[0]} samples, {len(selected)} of {n_columns} columns"
        typer.echo(f"{path}: {shape}: {names}{more}")
        if hasattr(estimator, "report_"):
            typer.echo(estimator.report_)
