"""``featsieve rank``: rank the features of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli import data as arguments
from featsieve.datasets.options import TableOptions
from featsieve.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

    from featsieve.datasets import Dataset
    from featsieve.evaluation.candidates import Candidate

EXAMPLES = """\b
Examples:
  featsieve rank iris
  featsieve rank wine --method fisher --diverse --top 5
  featsieve rank patients.csv --target diagnosis --drop visit --scale
  featsieve rank faces.mat --samples fea --target gnd --method lkr
  featsieve rank faces.mat --json > ranking.json
  featsieve rank patients.csv --target diagnosis -o ranking.csv
"""


def rank(
    data: arguments.Data,
    target: arguments.Target = None,
    method: arguments.MethodName = None,
    diverse: arguments.Diverse = False,
    top: Annotated[
        int, typer.Option("--top", "-k", metavar="K", min=1, help="Number of features to show.")
    ] = 10,
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
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the complete ranking to a .csv file, or a copy of an .h5ad file with the rank and "
            "score of each gene in var.",
        ),
    ] = None,
    working_memory: arguments.Memory = None,
    dry_run: arguments.DryRun = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Rank the features of DATA from best to worst.

    Text, dates and missing values are converted to numbers, and every conversion is reported. A column that
    is converted to several features is ranked by the best of them.
    """
    from featsieve.cli.console import make_console, print_json, print_note, short_warnings, user_errors
    from featsieve.cli.fit import (
        Settings,
        column_ranking,
        default_method,
        find_method,
        fit_method,
        print_estimate,
        summarize_fit,
        takes_chunks,
    )
    from featsieve.datasets import save
    from featsieve.datasets.saving import check_output
    from featsieve.evaluation.store import replace_nonfinite

    with user_errors(), short_warnings():
        arguments.check_target_type(target_type)
        arguments.set_memory(working_memory)
        requested = find_method(method, diverse)
        options = TableOptions(id_column, groups, transpose, chunks=takes_chunks(requested))
        dataset = arguments.read_data(data, target, drop, samples, strict, options)
        if dry_run:
            print_estimate(requested or default_method(dataset), dataset, as_json)
            return
        path = None if output is None else check_output(output, dataset, force, (".csv", ".h5ad"))
        candidate = requested or default_method(dataset)
        estimator = fit_method(candidate, dataset, Settings(scale, target_type, rows, seed))
        features = _rank_columns(estimator, dataset)
        if path is not None and path.suffix.lower() == ".csv":
            _write_table(features, path)
        elif path is not None:
            best = [row["feature"] for row in features[:top]]
            save(dataset, dataset.columns, path, force, column_ranking(dataset, estimator, best))
        if path is not None:
            print_note(f"The ranking of {counted(len(features), 'column')} was written to {path}")
    features = features[:top]
    if as_json:
        description = summarize_fit(candidate, dataset, estimator)
        print_json(description | {"features": replace_nonfinite(features)})
    else:
        console = make_console()
        console.print(_make_title(candidate, dataset, estimator), soft_wrap=True)
        console.print(_make_table(features))


def _write_table(features: list[dict[str, Any]], path: Path) -> None:
    import pandas as pd

    from featsieve.datasets.saving import write_atomically

    text = pd.DataFrame(features).drop(columns="index").to_csv(index=False, lineterminator="\n")
    with write_atomically(path) as file:
        file.write(text.encode("utf-8"))


def _rank_columns(estimator: Any, dataset: Dataset) -> list[dict[str, Any]]:
    """Return the best columns of the file, each with the best feature that was derived from it."""
    scores = estimator.scores_.tolist()
    best = list(dataset.best_columns(estimator.order_.tolist()).items())
    return [
        {"rank": rank, "index": index, "feature": column}
        | ({"encoded": dataset.feature_names[index]} if dataset.encoded else {})
        | {"score": scores[index]}
        for rank, (column, index) in enumerate(best, start=1)
    ]


def _make_title(candidate: Candidate, dataset: Dataset, estimator: Any) -> str:
    from featsieve.cli.fit import describe_method

    n_samples, n_features = dataset.X.shape
    n_columns = len(set(dataset.origins))
    columns = f"{counted(n_columns, 'column')} as " * dataset.encoded
    shape = f"{counted(n_samples, 'sample')}, {columns}{counted(n_features, 'feature')}"
    chosen = f" chose {estimator.chosen_method_}" if hasattr(estimator, "chosen_method_") else ""
    method = describe_method(candidate, dataset) + chosen
    return f"{dataset.name}: {shape}. {method}: {_describe_scores(candidate, estimator)}."


def _describe_scores(candidate: Candidate, estimator: Any) -> str:
    """Say which scores are better, unless those of the steps of a method do not follow the order."""
    import numpy as np

    scores = np.asarray(estimator.scores_)[estimator.order_]
    before, after = scores[:-1], scores[1:]
    improves = after < before if estimator._direction == "smaller" else after > before
    if candidate.record.family == "subset" and (improves & ~np.isclose(after, before)).any():
        return "the score is that of the step at which a feature was ranked, so that it may rise and fall"
    return f"{estimator._direction} scores are better"


def _make_table(features: list[dict[str, Any]]) -> Table:
    from featsieve.cli.console import make_table, printable

    encoded = "encoded" in features[0]
    headings = ("Column", "Best feature of the column") if encoded else ("Feature",)
    table = make_table("Rank", *headings, "Score", right=("Rank", "Score"))
    for row in features:
        derived = [printable("" if row["encoded"] == row["feature"] else row["encoded"])] if encoded else []
        table.add_row(str(row["rank"]), printable(row["feature"]), *derived, f"{row['score']:.6g}")
    return table
