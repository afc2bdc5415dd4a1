"""``featsieve select``: write the best columns of a dataset to a file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from featsieve.cli import data as arguments
from featsieve.datasets.formats import extensions
from featsieve.datasets.options import TableOptions
from featsieve.wording import counted

EXAMPLES = """\b
Examples:
  featsieve select wine --output wine.csv
  featsieve select wine --method fisher --top 5 --output wine.csv
  featsieve select patients.csv --target diagnosis --top 20 -o reduced.parquet
  featsieve select faces.mat --top 100 -o faces.npz --force
  featsieve select genes.h5ad --target cell_type --method lle --top 200 -o genes.mat
"""


def select(
    data: arguments.Data,
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
    target: arguments.Target = None,
    method: arguments.MethodName = None,
    diverse: arguments.Diverse = False,
    drop: arguments.Drop = None,
    id_column: arguments.Id = None,
    groups: arguments.Groups = None,
    transpose: arguments.Transpose = False,
    samples: arguments.Samples = None,
    strict: arguments.Strict = False,
    scale: arguments.Scale = None,
    target_type: arguments.TargetType = "auto",
    rows: arguments.Rows = 0,
    seed: arguments.Seed = 0,
    working_memory: arguments.Memory = None,
    dry_run: arguments.DryRun = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Write the best columns of DATA, and its labels, to a file.

    The columns keep their values and their order. A column of text or dates is ranked by the best feature
    derived from it. FILE appears only when it is complete, and DATA is never overwritten.

    With --method NAME, the columns are the first ones that featsieve rank --method NAME prints. Without
    it, the method is chosen for the number of columns.
    """
    from featsieve.cli.console import print_json, print_note, printable, short_warnings, user_errors
    from featsieve.cli.fit import (
        Settings,
        column_ranking,
        default_method,
        describe_method,
        find_method,
        fit_method,
        print_estimate,
        summarize_fit,
        takes_chunks,
    )
    from featsieve.datasets import save
    from featsieve.datasets.anndata import is_annotated
    from featsieve.datasets.saving import check_output
    from featsieve.engines.chunked import is_chunked

    with user_errors(), short_warnings():
        arguments.check_target_type(target_type)
        arguments.set_memory(working_memory)
        requested = find_method(method, diverse)
        options = TableOptions(id_column, groups, transpose, chunks=takes_chunks(requested))
        dataset = arguments.read_data(data, target, drop, samples, strict, options)
        if dry_run:
            print_estimate(requested or default_method(dataset), dataset, as_json)
            return
        path = check_output(output, dataset, force)
        n_columns = len(set(dataset.origins))
        if top is None and is_chunked(dataset.X):
            raise ValueError("--top must be given for data that is larger than the working memory.")
        if top is not None and top > n_columns:
            raise ValueError(
                f"--top must be at most {n_columns}, the number of columns of {dataset.name}; got {top}."
            )
        candidate = requested or default_method(dataset)
        size: Any = "auto"
        if top is not None:  # the ranking of a requested method does not depend on --top
            size = min(top, dataset.X.shape[1]) if requested is None else None
        estimator = fit_method(candidate, dataset, Settings(scale, target_type, rows, seed, size))
        order = estimator.order_.tolist()
        if top is None:
            order = order[: estimator.n_features_]
        best = list(dataset.best_columns(order))[:top]
        selected = [column for column in dataset.columns if column in set(best)]
        save(dataset, selected, path, force, column_ranking(dataset, estimator, selected))
    if path.suffix == ".npy" and dataset.y is not None:
        print_note(f"{path.name} contains no labels because .npy files store a single array.")
    if as_json:
        description = summarize_fit(candidate, dataset, estimator)
        print_json(description | {"output": str(path), "columns": selected, "best_first": best})
    else:
        names = ", ".join(map(printable, selected[:10]))
        more = f" and {len(selected) - 10} more" if len(selected) > 10 else ""
        # a copy of an .h5ad file also keeps cells without a label
        is_copy = is_annotated(path) and is_annotated(dataset.path)
        samples_kept = "all cells" if is_copy else counted(dataset.X.shape[0], "sample")
        shape = f"{samples_kept}, {len(selected)} of {counted(n_columns, 'column')}"
        typer.echo(f"{path}: {shape} by {describe_method(candidate, dataset)}: {names}{more}")
        if hasattr(estimator, "report_"):
            typer.echo(estimator.report_)
