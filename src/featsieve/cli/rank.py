"""``featsieve rank``: the features of a dataset, best first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli.data import AsJson, Data, Drop, MethodName, Samples, Scale, Strict, Target

if TYPE_CHECKING:
    from featsieve.datasets import Dataset
    from featsieve.registry import Method

EXAMPLES = """\b
Examples:
  featsieve rank iris
  featsieve rank wine --method fisher --top 5
  featsieve rank patients.csv --target diagnosis --drop visit --scale
  featsieve rank faces.mat --samples fea --target gnd --method lkr
  featsieve rank faces.mat --json > ranking.json
"""


def rank(
    data: Data,
    target: Target = None,
    method: MethodName = "laplacian",
    top: Annotated[
        int, typer.Option("--top", "-k", metavar="K", min=1, help="How many features to show.")
    ] = 10,
    drop: Drop = None,
    samples: Samples = None,
    strict: Strict = False,
    scale: Scale = False,
    as_json: AsJson = False,
) -> None:
    """Rank the features of DATA, best first.

    A column called target is taken for the labels unless --target names another; in .mat and .npz files X or
    fea holds the samples in rows, and Y, y or gnd the labels. Tables may hold text, dates and gaps: what is
    done about them is said, and a column is ranked by the best of the features made of it.
    """
    from featsieve.cli.console import print_json, results, short_warnings, user_errors
    from featsieve.cli.data import fit_method, read_data, summary
    from featsieve.registry import get_ranker

    with user_errors(), short_warnings():
        record = get_ranker(method)
        dataset = read_data(data, target, drop, samples, strict)
        estimator = fit_method(record, dataset, scale)
    rows = _rows(estimator, dataset, top)
    if as_json:
        features = [row | {"score": _finite(row["score"])} for row in rows]
        print_json(summary(record, dataset) | {"features": features})
    else:
        console = results()
        console.print(_title(record, dataset), soft_wrap=True)
        console.print(_table(rows))


def _rows(estimator: Any, dataset: Dataset, top: int) -> list[dict[str, Any]]:
    """A row for each column of the file, with the feature that is the best made of it."""
    scores = estimator.scores_.tolist()
    best = list(dataset.best_columns(estimator.order_.tolist()).items())[:top]
    return [
        {"rank": place, "index": index, "feature": column}
        | ({"encoded": dataset.feature_names[index]} if dataset.encoded else {})
        | {"score": scores[index]}
        for place, (column, index) in enumerate(best, start=1)
    ]


def _finite(score: float) -> float | None:
    """The score, None where JSON has no number for it."""
    return score if math.isfinite(score) else None


def _title(method: Method, dataset: Dataset) -> str:
    n_samples, n_features = dataset.X.shape
    count = len(set(dataset.origins))
    features = f"{count} columns as {n_features} features" if dataset.encoded else f"{n_features} features"
    return f"{dataset.name}: {n_samples} samples, {features}. {method.name}: {method.direction} is better."


def _table(rows: list[dict[str, Any]]) -> Any:
    from rich import box
    from rich.table import Table

    from featsieve.cli.console import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Rank", justify="right")
    table.add_column("Feature", overflow="fold")
    encoded = "encoded" in rows[0]
    if encoded:
        table.add_column("Best part", overflow="fold")
    table.add_column("Score", justify="right")
    for row in rows:
        parts = [printable(_part(row))] if encoded else []
        table.add_row(str(row["rank"]), printable(row["feature"]), *parts, f"{row['score']:.6g}")
    return table


def _part(row: dict[str, Any]) -> str:
    return "" if row["encoded"] == row["feature"] else row["encoded"]
