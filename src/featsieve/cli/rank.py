"""``featsieve rank``: the features of a dataset, best first."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from featsieve.datasets import Dataset
    from featsieve.registry import Method

# What people call the column of labels.
_USUAL_LABELS = (
    "target",
    "label",
    "class",
    "y",
    "outcome",
    "diagnosis",
    "species",
    "category",
    "type",
    "group",
)

_DATA = "A .csv, .tsv, .mat, .npz or .npy file, or iris, wine, breast_cancer, digits or diabetes."
EXAMPLES = """\b
Examples:
  featsieve rank iris
  featsieve rank wine --method fisher --top 5
  featsieve rank patients.csv --target diagnosis --drop id --impute --scale
  featsieve rank faces.mat --method lkr --json > ranking.json
"""


def rank(
    data: Annotated[str, typer.Argument(metavar="DATA", help=_DATA)],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column, or array of a .mat or .npz file, that holds the labels."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", metavar="NAME", help="How to rank; see featsieve methods.")
    ] = "laplacian",
    top: Annotated[
        int, typer.Option("--top", "-k", metavar="K", min=1, help="How many features to show.")
    ] = 10,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column to leave out; may be given many times, or as a,b,c."),
    ] = None,
    impute: Annotated[
        bool, typer.Option("--impute", help="Fill missing values with the median of their column.")
    ] = False,
    scale: Annotated[
        bool,
        typer.Option("--scale", help="Standardise the columns first, where their units do not compare."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Rank the features of DATA, best first.

    Tables have a row of column names; a column called target is taken for the labels unless --target names
    another. In .mat and .npz files X holds the samples in rows, and Y or y the labels. DATA is also looked
    for in the folder that the environment variable FEATSIEVE_DATA names.
    """
    from featsieve.cli.console import print_json, results, short_warnings, user_errors
    from featsieve.datasets import load
    from featsieve.registry import get_method

    with user_errors(), short_warnings():
        record = get_method(method)
        dataset = load(data, target=target, drop=drop or (), impute=impute)
        _note_labels(dataset, target)
        estimator = _fit(record, _scaled(dataset) if scale else dataset)
    rows = _rows(estimator, dataset, top)
    if as_json:
        features = [row | {"score": _finite(row["score"])} for row in rows]
        print_json(_summary(record, dataset) | {"features": features})
    else:
        console = results()
        console.print(_title(record, dataset), soft_wrap=True)
        console.print(_table(rows))


def _fit(method: Method, dataset: Dataset) -> Any:
    """The fitted estimator; ValueError that says what to do where the data does not suit the method."""
    from scipy.sparse import issparse

    from featsieve.cli.progress import show_progress

    if dataset.y is None and method.supervised == "yes":
        raise ValueError(f"{method.name} needs labels, and {dataset.name} has none: {_name_labels(dataset)}")
    if issparse(dataset.X) and "sparse" not in method.inputs:
        raise ValueError(f"{method.name} takes no sparse data: see featsieve methods for those that do.")
    y = None if method.supervised == "no" else dataset.y
    estimator = method.estimator()
    if method.supervised == "yes":
        _note_many_classes(estimator, method, y)
    show_progress(estimator)
    try:
        return estimator.fit(dataset.X, y)
    except ValueError as error:
        if y is None and method.supervised == "optional" and re.search(r"\by\b", str(error)):
            raise ValueError(f"{method.name} needs labels here: {_name_labels(dataset)}") from error
        raise ValueError(f"{method.name} cannot rank {dataset.name}: {error}") from error


def _scaled(dataset: Dataset) -> Dataset:
    from dataclasses import replace

    from scipy.sparse import issparse
    from sklearn.preprocessing import StandardScaler

    return replace(dataset, X=StandardScaler(with_mean=not issparse(dataset.X)).fit_transform(dataset.X))


def _name_labels(dataset: Dataset) -> str:
    from featsieve.datasets.errors import close

    found = {column: None for usual in _USUAL_LABELS for column in close(usual, dataset.feature_names)}
    perhaps = f" (perhaps {' or '.join(list(found)[:3])})" if found else ""
    return f"name them with --target COLUMN{perhaps}, or choose a method that needs none."


def _note_labels(dataset: Dataset, target: str | None) -> None:
    """Say what became of a column that looks like labels, where the user has not said it."""
    from featsieve.cli.console import note
    from featsieve.datasets import names

    if target is None and dataset.target_name is not None and dataset.name not in names():
        note(f"{dataset.target_name!r} is taken for the labels, so it is not ranked.")
    for column in dataset.feature_names:
        if column.lower() == "target":
            remedy = f"--drop {column} leaves it out"
            note(f"{column!r} is ranked as a feature, because --target is {target!r}; {remedy}.")


def _note_many_classes(estimator: Any, method: Method, y: Any) -> None:
    """Tell a method that can use quantities of whole numbers that look so; say so where it cannot."""
    import numpy as np
    from sklearn.utils.multiclass import type_of_target

    from featsieve.cli.console import note

    count = np.unique(y).size
    if 5 * count > len(y) and type_of_target(y) == "multiclass":
        if "target" in estimator.get_params() and np.asarray(y).dtype.kind in "iuf":
            estimator.set_params(target="numeric")
            note(f"the labels have {count} values in {len(y)} samples; {method.name} takes them as numbers.")
            return
        note(f"the labels have {count} values in {len(y)} samples; {method.name} takes each for a class.")


def _rows(estimator: Any, dataset: Dataset, top: int) -> list[dict[str, Any]]:
    best = estimator.order_[:top].tolist()
    scores = estimator.scores_.tolist()
    return [
        {"rank": place, "index": index, "feature": dataset.feature_names[index], "score": scores[index]}
        for place, index in enumerate(best, start=1)
    ]


def _finite(score: float) -> float | None:
    """The score, None where JSON has no number for it."""
    return score if math.isfinite(score) else None


def _summary(method: Method, dataset: Dataset) -> dict[str, Any]:
    return {
        "data": dataset.name,
        "shape": list(dataset.X.shape),
        "target": dataset.target_name,
        "method": method.name,
        "direction": method.direction,
    }


def _title(method: Method, dataset: Dataset) -> str:
    n_samples, n_features = dataset.X.shape
    data = f"{dataset.name}: {n_samples} samples, {n_features} features"
    return f"{data}. {method.name}: {method.direction} is better."


def _table(rows: list[dict[str, Any]]) -> Any:
    from rich import box
    from rich.table import Table

    from featsieve.cli.console import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Rank", justify="right")
    table.add_column("Feature", overflow="fold")
    table.add_column("Score", justify="right")
    for row in rows:
        table.add_row(str(row["rank"]), printable(row["feature"]), f"{row['score']:.6g}")
    return table
