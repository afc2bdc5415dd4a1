"""``featsieve rank``: rank the features of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

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
from featsieve.datasets.options import TableOptions

if TYPE_CHECKING:
    from rich.table import Table

    from featsieve.datasets import Dataset
    from featsieve.registry import Method

EXAMPLES = """\b
Examples:
  featsieve rank iris
  featsieve rank wine --method fisher --diverse --top 5
  featsieve rank patients.csv --target diagnosis --drop visit --scale
  featsieve rank faces.mat --samples fea --target gnd --method lkr
  featsieve rank faces.mat --json > ranking.json
"""


def rank(
    data: Data,
    target: Target = None,
    method: MethodName = "auto",
    diverse: Diverse = False,
    top: Annotated[
        int, typer.Option("--top", "-k", metavar="K", min=1, help="Number of features to show.")
    ] = 10,
    drop: Drop = None,
    id_column: Id = None,
    groups: Groups = None,
    transpose: Transpose = False,
    samples: Samples = None,
    strict: Strict = False,
    scale: Scale = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.h5ad",
            help="Write a copy of an .h5ad file with rank and score of each gene in var.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rank the features of DATA from best to worst.

    Text, dates and missing values are converted to numbers, and every conversion is reported. A column that
    is converted to several features is ranked by the best of them.
    """
    from featsieve.cli.console import make_console, print_json, short_warnings, user_errors
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
    from featsieve.evaluation.store import replace_nonfinite

    with user_errors(), short_warnings():
        record = find_ranker(method, diverse)
        options = TableOptions(id_column, groups, transpose, accepts_partial_labels(record))
        dataset = read_data(data, target, drop, samples, strict, options)
        path = None if output is None else check_output(output, dataset, force, (".h5ad",))
        estimator = fit_method(record, dataset, scale)
        features = _rank_columns(estimator, dataset, top)
        if path is not None:
            ranking = column_ranking(dataset, estimator, [row["feature"] for row in features])
            save(dataset, dataset.columns, path, force, ranking)
    if as_json:
        print_json(summarize_fit(record, dataset, estimator) | {"features": replace_nonfinite(features)})
    else:
        console = make_console()
        console.print(_make_title(record, dataset, estimator), soft_wrap=True)
        console.print(_make_table(features))


def _rank_columns(estimator: Any, dataset: Dataset, top: int) -> list[dict[str, Any]]:
    """Return the best columns of the file, each with the best feature that was derived from it."""
    scores = estimator.scores_.tolist()
    best = list(dataset.best_columns(estimator.order_.tolist()).items())[:top]
    return [
        {"rank": rank, "index": index, "feature": column}
        | ({"encoded": dataset.feature_names[index]} if dataset.encoded else {})
        | {"score": scores[index]}
        for rank, (column, index) in enumerate(best, start=1)
    ]


def _make_title(method: Method, dataset: Dataset, estimator: Any) -> str:
    n_samples, n_features = dataset.X.shape
    n_columns = len(set(dataset.origins))
    shape = f"{n_samples} samples, {f'{n_columns} columns as ' * dataset.encoded}{n_features} features"
    chosen = f" ({estimator.chosen_method_})" if hasattr(estimator, "chosen_method_") else ""
    return f"{dataset.name}: {shape}. {method.name}{chosen}: {method.direction} scores are better."


def _make_table(features: list[dict[str, Any]]) -> Table:
    from featsieve.cli.console import make_table, printable

    encoded = "encoded" in features[0]
    headings = ("Column", "Best feature of the column") if encoded else ("Feature",)
    table = make_table("Rank", *headings, "Score", right=("Rank", "Score"))
    for row in features:
        derived = [printable("" if row["encoded"] == row["feature"] else row["encoded"])] if encoded else []
        table.add_row(str(row["rank"]), printable(row["feature"]), *derived, f"{row['score']:.6g}")
    return table
