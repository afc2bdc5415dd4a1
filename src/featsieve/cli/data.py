"""Options and reading that the commands share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from featsieve.datasets.formats import extensions
from featsieve.datasets.options import TableOptions

if TYPE_CHECKING:
    from featsieve.datasets import Dataset

_ARRAY_FILES = ", ".join(extensions(has_named_arrays=True))


def _complete_data(incomplete: str) -> Iterator[str]:
    """Yield names of datasets; the shell itself completes files."""
    from featsieve.datasets import catalog, names

    known = [*names(), *(entry.name for entry in catalog() if entry.path)]
    yield from (name for name in known if name.startswith(incomplete))


def _complete_method(incomplete: str) -> Iterator[tuple[str, str]]:
    from featsieve.registry import methods

    yield from ((method.name, method.summary) for method in methods() if method.name.startswith(incomplete))


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help=f"A file ({', '.join(extensions())}), a name from featsieve datasets, or openml:NAME.",
        autocompletion=_complete_data,
    ),
]
Target = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help=f"Column with the labels, such as the diagnosis, or array of a {_ARRAY_FILES} file; for "
        "several, repeat the option or write a,b,c. Default: target, Y, y or gnd.",
    ),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        metavar="NAME",
        help="Ranking method; featsieve methods lists all. NAME+labels passes the labels to a method in "
        "which they are optional. Default: the best of several methods, auto, or auto+labels with labels.",
        autocompletion=_complete_method,
    ),
]
Diverse = Annotated[
    bool,
    typer.Option("--diverse", help="Rank a feature lower if it is correlated with better ones."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out; repeat the option or write a,b,c."),
]
Samples = Annotated[
    str | None,
    typer.Option(
        "--samples",
        "--layer",
        "--sheet",
        metavar="NAME",
        help=f"Array, layer or sheet of a {_ARRAY_FILES} file with the samples in rows; obsm/NAME for an "
        "embedding of cells. Default: X, fea or data; the first sheet.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Column with the names of the samples, which is not ranked. Default: the first column if it "
        "contains distinct texts or row numbers.",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the group of each sample, such as patient or batch. It is not ranked, and no group "
        "is both in a training set and in a test set.",
    ),
]
Transpose = Annotated[
    bool, typer.Option("--transpose", help="Read a table with features in rows and samples in columns.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Refuse text and missing values, and keep identifier columns.")
]
Scale = Annotated[
    bool | None,
    typer.Option(
        "--scale/--no-scale",
        help="Standardize every column to mean 0 and variance 1. "
        "Default: if the ranges of the columns differ widely.",
    ),
]
TargetType = Annotated[
    str, typer.Option(metavar="KIND", help="Kind of the labels: auto, classes or numeric.")
]
Rows = Annotated[
    int, typer.Option(metavar="N", min=0, help="Rank by at most N samples, drawn at random; 0 uses all.")
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the samples that --rows draws.")]
ImageShape = Annotated[
    str | None,
    typer.Option(
        metavar="ROWSxCOLUMNS[F]",
        help="Shape of the image whose pixels are the features; append F if it is stored by columns.",
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", metavar="N", help="Number of processes; -1 uses all cores.")
]
Memory = Annotated[
    int | None,
    typer.Option(
        "--working-memory",
        metavar="MB",
        min=1,
        help="Read data that is larger than this in chunks, and compute in blocks of this size together. "
        "Default: 1024.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the memory, the passes over the data and the operations that the method takes, and stop.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]


def set_memory(megabytes: int | None) -> None:
    """Set the working memory if the option is given."""
    import sklearn

    if megabytes is not None:
        sklearn.set_config(working_memory=megabytes)


def read_data(
    source: str,
    targets: list[str] | None,
    drop: list[str] | None,
    samples: str | None,
    strict: bool,
    options: TableOptions | None = None,
) -> Dataset:
    """Read the data and report every conversion on stderr."""
    from featsieve.cli.console import print_note
    from featsieve.datasets import load

    target = ",".join(targets) if targets else None
    dataset = load(
        source,
        target=target,
        drop=drop or (),
        samples=samples,
        strict=strict,
        isolated=True,
        options=options or TableOptions(),
    )
    for note in dataset.notes:
        print_note(note)
    _note_labels(dataset, target)
    return dataset


def _note_labels(dataset: Dataset, target: str | None) -> None:
    """Report which column was used as the labels by default, and a column named target that was not."""
    from featsieve.cli.console import print_note
    from featsieve.datasets import names

    if target is None and dataset.target_name is not None and dataset.name not in names():
        kind = "column " if dataset.table.is_frame else ""
        print_note(f"Using {kind}{dataset.target_name!r} as the labels.")
    for column in dataset.columns:
        if column.lower() == "target":
            print_note(
                f"Column {column!r} is ranked as a feature because --target is {target!r}. "
                f"Use --drop {column} to exclude it."
            )


def check_target_type(kind: str) -> None:
    """Check that the kind of the labels is known."""
    from featsieve.targets import TARGET_TYPES

    if kind not in TARGET_TYPES:
        raise ValueError(f"--target-type must be one of {', '.join(TARGET_TYPES)}; got {kind}.")


def check_report(path: str | None) -> None:
    """Check before the work that the report can be written."""
    from featsieve.report.page import check_html_path

    if path is None:
        return
    try:
        check_html_path(path)
    except ImportError as error:
        raise ValueError(str(error)) from error
