"""Fit a method to a dataset as ``compare`` does, with messages that name the options to change."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

    from featsieve.datasets import Dataset
    from featsieve.engines.chunked import Chunked
    from featsieve.evaluation.candidates import Candidate

# Common names of label columns, to suggest a value of --target.
_LABELS = ("target", "label", "class", "y", "outcome", "diagnosis", "species", "category", "type", "group")


@dataclass(frozen=True)
class Settings:
    """Options of the fit.

    Attributes
    ----------
    scale : bool or None
        Whether to standardize the columns; None decides by their ranges.
    target_type : str
        Kind of the labels: "auto", "classes" or "numeric".
    rows, seed : int
        Largest number of samples to rank by, 0 for all, and the seed of the draw.
    top : int, "auto" or None
        Value of ``n_features_to_select``, for methods whose selection depends on it.
    """

    scale: bool | None
    target_type: str
    rows: int = 0
    seed: int = 0
    top: int | Literal["auto"] | None = None


def find_method(name: str | None, diverse: bool) -> Candidate | None:
    """Return the method that the options request, None if the data decides."""
    from featsieve.evaluation.candidates import find_candidate

    if diverse and name in (None, "auto", "auto+labels"):
        raise ValueError(
            "--diverse needs --method NAME, because auto takes redundancy into account by itself."
        )
    if name is None:
        return None
    return find_candidate(f"diverse:{name}" if diverse else name)


def takes_chunks(candidate: Candidate | None) -> bool:
    """Return whether a requested method takes data in chunks; others get data in memory."""
    return candidate is not None and "chunked" in candidate.estimator._inputs


def default_method(dataset: Dataset) -> Candidate:
    """Return the method of a dataset if none is requested: auto, with the labels if there are any."""
    from featsieve.evaluation.candidates import find_candidate

    return find_candidate("auto" if dataset.y is None else "auto+labels")


def fit_method(candidate: Candidate, full: Dataset, settings: Settings) -> Any:
    """Return the fitted estimator of a method."""
    from featsieve.cli.progress import show_progress

    dataset = full.subsample(settings.rows or full.X.shape[0], settings.seed)
    if dataset.X.shape[0] == 1:
        raise ValueError(f"{dataset.name} has 1 sample; ranking needs at least 2.")
    if dataset.y is None and candidate.uses_labels:
        advice = _advise_labels(dataset)
        raise ValueError(f"{candidate.label} needs labels, but {dataset.name} has none. {advice}")
    _check_targets(candidate, dataset)
    X = _prepare_samples(candidate, dataset, settings.scale)
    y = _prepare_labels(candidate, dataset, settings)
    estimator = candidate.estimator
    if settings.top is not None:
        estimator.set_params(n_features_to_select=settings.top)
    show_progress(estimator)
    try:
        return estimator.fit(X, y, **({} if dataset.groups is None else {"groups": dataset.groups}))
    except ValueError as error:
        if y is None and candidate.record.supervised == "optional" and re.search(r"\by\b", str(error)):
            advice = _advise_labels(dataset)
            raise ValueError(f"{candidate.label} needs labels in this command. {advice}") from error
        raise ValueError(f"{candidate.label} cannot rank {dataset.name}: {error}") from error


def _check_targets(candidate: Candidate, dataset: Dataset) -> None:
    """Raise ValueError if a method that takes one target would get several."""
    from featsieve.registry import WITH_LABELS, methods

    if dataset.y is None or dataset.y.ndim == 1 or not candidate.uses_labels:
        return
    if "multioutput" not in candidate.record.inputs:
        names = ", ".join(
            record.name + ("" if record.supervised == "yes" else WITH_LABELS)
            for record in methods()
            if "multioutput" in record.inputs
        )
        raise ValueError(
            f"{candidate.label} takes one target; got {dataset.y.shape[1]} "
            f"({', '.join(str(dataset.target_name).split(','))}). Methods for several targets: {names}."
        )


def _prepare_samples(candidate: Candidate, dataset: Dataset, scale: bool | None) -> Any:
    """Return the samples, imputed and scaled as ``compare`` does for the fit on all samples."""
    from featsieve.cli.console import print_note
    from featsieve.datasets.missing import median_imputer
    from featsieve.engines.chunked import Chunked
    from featsieve.evaluation.data import check_matrix, make_scaler, ranges_differ
    from featsieve.registry import get_ranker

    if isinstance(dataset.X, Chunked):
        _check_sparse(candidate, dataset.X)
        return _prepare_chunks(candidate, dataset.X, scale)
    X = check_matrix(dataset.raw, dataset.feature_names, dataset.preparation is not None)
    _check_sparse(candidate, X)  # small sparse data has become an array
    differ = scale is None and ranges_differ(X)
    if dataset.preparation is not None:
        X = median_imputer().fit_transform(X)
    if candidate.unscaled or not (scale or differ):
        return X
    if differ and not get_ranker(candidate.label).scale_invariant:
        print_note("The columns have different units, so they are standardized; --no-scale prevents this.")
    return make_scaler(X).fit_transform(X)


def _check_sparse(candidate: Candidate, X: Any) -> None:
    """Raise ValueError if X is sparse, in memory or in chunks, and the method does not accept it."""
    from scipy.sparse import issparse

    if (issparse(X) or getattr(X, "is_sparse", False)) and "sparse" not in candidate.estimator._inputs:
        raise ValueError(
            f"{candidate.label} does not accept sparse data; featsieve methods lists the methods that do."
        )


def _prepare_chunks(candidate: Candidate, X: Chunked, scale: bool | None) -> Chunked:
    """Return data in chunks, standardized on request."""
    import numpy as np

    from featsieve.cli.console import print_note
    from featsieve.registry import get_ranker
    from featsieve.scores import variance_score

    print_note("The data is larger than the working memory and is read in chunks.")
    if not scale or candidate.unscaled:
        if scale is None and not get_ranker(candidate.label).scale_invariant:
            print_note("Data in chunks is not standardized by default; --scale standardizes it.")
        return X
    if X.is_sparse:
        raise ValueError("Sparse data in chunks cannot be standardized. Use --no-scale.")
    deviation = np.sqrt(variance_score(X))
    factor = np.divide(1, deviation, out=np.ones_like(deviation), where=deviation > 0)
    return X.scaled(X.summary.mean, factor, X.dtype)


def print_estimate(candidate: Candidate, dataset: Dataset, as_json: bool) -> None:
    """Print what a method takes, instead of running it."""
    from dataclasses import asdict

    import typer

    from featsieve.cli.console import print_json
    from featsieve.engines.sparse import densify_small
    from featsieve.estimation import estimate
    from featsieve.registry import methods

    if "chunked" not in candidate.estimator._inputs:
        names = ", ".join(record.name for record in methods() if "chunked" in record.inputs)
        raise ValueError(
            f"--dry-run estimates methods that read data in chunks: {names}. {candidate.label} reads all "
            "data into memory and keeps some copies of it."
        )
    X = densify_small(dataset.X)  # as for the fit
    _check_sparse(candidate, X)
    resources = estimate(X, candidate.estimator, dataset.y)
    if as_json:
        print_json({"data": dataset.name, "method": candidate.label} | asdict(resources))
    else:
        typer.echo(f"{candidate.label} of {dataset.name}: {resources}")


def _prepare_labels(candidate: Candidate, dataset: Dataset, settings: Settings) -> Any:
    """Return the labels that the method is fitted with; other methods may choose their number by them."""
    from featsieve.cli.console import print_note
    from featsieve.evaluation.data import encode_labels

    if dataset.y is None:
        return None
    if not candidate.uses_labels:
        if candidate.can_use_labels:
            print_note(f"{candidate.label} ignores the labels; --method {candidate.label}+labels uses them.")
        only_number = settings.top == "auto" and candidate.record.supervised == "no"
        return dataset.y if only_number else None
    if dataset.y.ndim > 1:
        return dataset.y
    y, kind, _ = encode_labels(dataset.y, dataset.X, settings.target_type)
    if kind is not None:
        candidate.set_target(kind)
    if kind == "numeric":
        _check_accepts_numbers(candidate, dataset, settings)
    if settings.target_type == "auto":
        _note_many_classes(candidate, dataset.y)
    return y


def _check_accepts_numbers(candidate: Candidate, dataset: Dataset, settings: Settings) -> None:
    """Raise ValueError if a method for classes would get numbers; integers may be classes."""
    from sklearn.utils.multiclass import type_of_target

    from featsieve.datasets.errors import quote
    from featsieve.evaluation.suitability import accepts_numbers

    is_continuous = settings.target_type == "numeric" or type_of_target(dataset.y) == "continuous"
    if is_continuous and not accepts_numbers(candidate.label):
        raise ValueError(
            f"{candidate.label} needs classes, but the labels in {quote(dataset.target_name)} are continuous "
            "numbers. Choose a method for numbers, such as pearson, relieff or forest, or add a column of "
            "classes, such as low and high."
        )


def describe_method(candidate: Candidate, dataset: Dataset) -> str:
    """Return the label of a method, with the labels that it uses."""
    labels = f" (labels: {dataset.target_name})" if candidate.uses_labels else ""
    return candidate.label + labels


def column_ranking(dataset: Dataset, estimator: Any, selected: Collection[str]) -> pd.DataFrame:
    """Return the rank and the score of each column of the file, and whether it is selected."""
    import pandas as pd

    best = dataset.best_columns(estimator.order_.tolist())
    scores = estimator.scores_[list(best.values())]
    ranking = pd.DataFrame({"rank": range(1, len(best) + 1), "score": scores}, index=list(best))
    return ranking.assign(selected=ranking.index.isin(list(selected)))


def summarize_fit(candidate: Candidate, dataset: Dataset, estimator: Any) -> dict[str, Any]:
    """Return a description of the data and the method for JSON."""
    chosen = {"chosen_method": estimator.chosen_method_} if hasattr(estimator, "chosen_method_") else {}
    return {
        "data": dataset.name,
        "shape": list(dataset.X.shape),
        "target": dataset.target_name,
        "method": candidate.label,
        "uses_labels": candidate.uses_labels,
        "direction": estimator._direction,
        "notes": list(dataset.notes),
        **chosen,
    }


def _advise_labels(dataset: Dataset) -> str:
    from featsieve.datasets.errors import close_matches

    columns = list(
        dict.fromkeys(column for name in _LABELS for column in close_matches(name, dataset.columns))
    )
    example = f" (perhaps {' or '.join(columns[:3])})" if columns else ""
    return f"Name the labels with --target COLUMN{example}, or choose a method that needs no labels."


def _note_many_classes(candidate: Candidate, y: Any) -> None:
    """Report how the method treats integer labels with many distinct values."""
    import numpy as np
    from sklearn.utils.multiclass import type_of_target

    from featsieve.cli.console import print_note
    from featsieve.targets import has_many_values

    if not has_many_values(y) or type_of_target(y) != "multiclass":
        return
    numeric = candidate.target_parameters and np.asarray(y).dtype.kind in "iuf"
    treatment = "treats them as numbers" if numeric else "treats each value as a class"
    count = np.unique(y).size
    print_note(f"The labels have {count} distinct values in {len(y)} samples; {candidate.label} {treatment}.")
