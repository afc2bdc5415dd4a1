"""What commands that take data share: options, reading, and a fit that says what to do when it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


def _known_data(incomplete: str) -> Iterator[str]:
    """Names for the shell to complete; files it completes itself."""
    from featsieve.datasets import catalog, names

    known = [*names(), *(entry.name for entry in catalog() if entry.path)]
    yield from (name for name in known if name.startswith(incomplete))


def _known_methods(incomplete: str) -> Iterator[tuple[str, str]]:
    from featsieve.registry import methods

    yield from ((each.name, each.summary) for each in methods() if each.name.startswith(incomplete))


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file (.csv, .tsv, .txt, .parquet, .feather, .arff, .mat, .npz, .npy, .svmlight, .h5ad), "
        "a name that featsieve datasets lists, or openml:NAME.",
        autocompletion=_known_data,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column, or array of a .mat or .npz file, that holds the labels."),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        metavar="NAME",
        help="How to rank; see featsieve methods.",
        autocompletion=_known_methods,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out; may be given many times, or as a,b,c."),
]
Samples = Annotated[
    str | None,
    typer.Option(metavar="ARRAY", help="Array of a .mat or .npz file that holds the samples in rows."),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Take columns as they are: refuse text and missing values, leave out no identifier."
    ),
]
Scale = Annotated[
    bool,
    typer.Option("--scale", help="Standardize the columns first, where their units do not compare."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def read_data(
    source: str, target: str | None, drop: list[str] | None, samples: str | None, strict: bool
) -> Dataset:
    """The dataset; what was decided on the way is said on stderr."""
    from featsieve.cli.console import note
    from featsieve.datasets import load

    dataset = load(source, target=target, drop=drop or (), samples=samples, strict=strict, isolated=True)
    for each in dataset.notes:
        note(f"{each}.")
    _note_labels(dataset, target)
    return dataset


def fit_method(method: Method, dataset: Dataset, scale: bool, top: int | None = None) -> Any:
    """The fitted estimator; ValueError that says what to do where the data does not suit the method.

    ``top`` is for methods whose choice depends on how many features are wanted.
    """
    from scipy.sparse import issparse

    from featsieve.cli.progress import show_progress
    from featsieve.evaluation.data import make_scaler

    if dataset.y is None and method.supervised == "yes":
        raise ValueError(f"{method.name} needs labels, and {dataset.name} has none: {_name_labels(dataset)}")
    if issparse(dataset.X) and "sparse" not in method.inputs:
        raise ValueError(f"{method.name} takes no sparse data: see featsieve methods for those that do.")
    y = None if method.supervised == "no" else dataset.y
    estimator = method.estimator()
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=0)  # the same command prints the same ranking
    if top is not None:
        estimator.set_params(n_features_to_select=min(top, dataset.X.shape[1]))
    if not scale:
        _note_units(method, dataset)
    if method.supervised == "yes":
        _note_many_classes(estimator, method, y)
    show_progress(estimator)
    try:
        return estimator.fit(make_scaler(dataset.X).fit_transform(dataset.X) if scale else dataset.X, y)
    except ValueError as error:
        if y is None and method.supervised == "optional" and re.search(r"\by\b", str(error)):
            raise ValueError(f"{method.name} needs labels here: {_name_labels(dataset)}") from error
        raise ValueError(f"{method.name} cannot rank {dataset.name}: {error}") from error


def summary(method: Method, dataset: Dataset) -> dict[str, Any]:
    """What the data and the method are, for programs."""
    return {
        "data": dataset.name,
        "shape": list(dataset.X.shape),
        "target": dataset.target_name,
        "method": method.name,
        "direction": method.direction,
        "notes": list(dataset.notes),
    }


def _name_labels(dataset: Dataset) -> str:
    from featsieve.datasets.errors import close

    found = {column: None for usual in _USUAL_LABELS for column in close(usual, dataset.columns)}
    perhaps = f" (perhaps {' or '.join(list(found)[:3])})" if found else ""
    return f"name them with --target COLUMN{perhaps}, or choose a method that needs none."


def _note_labels(dataset: Dataset, target: str | None) -> None:
    """Say what became of a column that looks like labels, where the user has not said it."""
    from featsieve.cli.console import note
    from featsieve.datasets import names

    if target is None and dataset.target_name is not None and dataset.name not in names():
        note(f"{dataset.target_name!r} is taken for the labels, so it is not ranked.")
    for column in dataset.columns:
        if column.lower() == "target":
            remedy = f"--drop {column} leaves it out"
            note(f"{column!r} is ranked as a feature, because --target is {target!r}; {remedy}.")


def _note_units(method: Method, dataset: Dataset) -> None:
    """Say that units differ, where the method compares columns with each other."""
    from featsieve.cli.console import note
    from featsieve.evaluation.data import units_differ

    if (method.family != "statistic" or method.name == "variance") and units_differ(dataset.X):
        note(f"the columns differ much in size, which {method.name} minds; --scale makes them comparable.")


def _note_many_classes(estimator: Any, method: Method, y: Any) -> None:
    """Tell a method that can use quantities of whole numbers that look so; say so where it cannot."""
    import numpy as np
    from sklearn.utils.multiclass import type_of_target

    from featsieve.cli.console import note
    from featsieve.evaluation.data import has_many_values

    count = np.unique(y).size
    if has_many_values(y) and type_of_target(y) == "multiclass":
        if "target" in estimator.get_params() and np.asarray(y).dtype.kind in "iuf":
            estimator.set_params(target="numeric")
            note(f"the labels have {count} values in {len(y)} samples; {method.name} takes them as numbers.")
            return
        note(f"the labels have {count} values in {len(y)} samples; {method.name} takes each for a class.")


def check_report(report: str | None) -> None:
    """Say before the work, not after it, that the report cannot be written."""
    from importlib.util import find_spec
    from pathlib import Path

    if report is None:
        return
    if Path(report).expanduser().is_dir():
        raise ValueError(f"--report {report} is a folder: give the name of a file in it.")
    folder = Path(report).expanduser().resolve().parent
    if not folder.is_dir():
        raise ValueError(f"--report {report}: there is no folder {folder}.")
    if find_spec("jinja2") is None or find_spec("plotly") is None:
        raise ValueError("--report needs the extra: pip install 'featsieve[report]'.")
