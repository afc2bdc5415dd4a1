"""Fit a method to a dataset, with messages that name the options to change."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

    from featsieve.datasets import Dataset
    from featsieve.registry import Method

# Common names of label columns, to suggest a value of --target.
_LABELS = ("target", "label", "class", "y", "outcome", "diagnosis", "species", "category", "type", "group")


def find_ranker(name: str, diverse: bool) -> Method:
    """Return the record of the method that the options request."""
    from featsieve.registry import get_ranker

    if diverse and name == "auto":
        raise ValueError(
            "--diverse needs --method NAME, because auto takes redundancy into account by itself."
        )
    return get_ranker(f"diverse:{name}" if diverse else name)


def accepts_partial_labels(method: Method) -> bool:
    """Return whether a method treats the label -1 as missing."""
    import numpy as np

    return method.make()._labeled(np.array([-1, 0])) is not None


def fit_method(
    method: Method, dataset: Dataset, scale: bool, top: int | Literal["auto"] | None = None
) -> Any:
    """Return the fitted estimator of a method.

    ``top`` is the number of features to select, for methods whose selection depends on it.
    """
    from scipy.sparse import issparse

    from featsieve.cli.progress import show_progress
    from featsieve.evaluation.data import make_scaler
    from featsieve.registry import methods

    if dataset.X.shape[0] == 1:
        raise ValueError(f"{dataset.name} has 1 sample; ranking needs at least 2.")
    if dataset.y is None and method.supervised == "yes":
        advice = _advise_labels(dataset)
        raise ValueError(f"{method.name} needs labels, but {dataset.name} has none. {advice}")
    if (
        dataset.y is not None
        and dataset.y.ndim == 2
        and method.supervised != "no"
        and "multioutput" not in method.inputs
    ):
        names = ", ".join(record.name for record in methods() if "multioutput" in record.inputs)
        raise ValueError(
            f"{method.name} takes one target; got {dataset.y.shape[1]} "
            f"({', '.join(str(dataset.target_name).split(','))}). Methods for several targets: {names}."
        )
    if issparse(dataset.X) and "sparse" not in method.inputs:
        raise ValueError(
            f"{method.name} does not accept sparse data; featsieve methods lists the methods that do."
        )
    y = None if method.supervised == "no" and top != "auto" else dataset.y
    estimator = method.make()
    seeds = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
    estimator.set_params(**dict.fromkeys(seeds, 0))  # the same command prints the same ranking
    if top is not None:
        n_features = top if top == "auto" else min(top, dataset.X.shape[1])
        estimator.set_params(n_features_to_select=n_features)
    if not scale:
        _note_ranges(method, dataset)
    if method.supervised == "yes" or (method.name == "auto" and y is not None):
        _note_many_classes(estimator, method, y)
    show_progress(estimator)
    try:
        X = make_scaler(dataset.X).fit_transform(dataset.X) if scale else dataset.X
        return estimator.fit(X, y, **({} if dataset.groups is None else {"groups": dataset.groups}))
    except ValueError as error:
        if y is None and method.supervised == "optional" and re.search(r"\by\b", str(error)):
            advice = _advise_labels(dataset)
            raise ValueError(f"{method.name} needs labels in this command. {advice}") from error
        raise ValueError(f"{method.name} cannot rank {dataset.name}: {error}") from error


def column_ranking(dataset: Dataset, estimator: Any, selected: Collection[str]) -> pd.DataFrame:
    """Return the rank and the score of each column of the file, and whether it is selected."""
    import pandas as pd

    best = dataset.best_columns(estimator.order_.tolist())
    scores = estimator.scores_[list(best.values())]
    ranking = pd.DataFrame({"rank": range(1, len(best) + 1), "score": scores}, index=list(best))
    return ranking.assign(selected=ranking.index.isin(list(selected)))


def summarize_fit(method: Method, dataset: Dataset, estimator: Any) -> dict[str, Any]:
    """Return a description of the data and the method for JSON."""
    chosen = {"chosen_method": estimator.chosen_method_} if hasattr(estimator, "chosen_method_") else {}
    return {
        "data": dataset.name,
        "shape": list(dataset.X.shape),
        "target": dataset.target_name,
        "method": method.name,
        "direction": method.direction,
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


def _note_ranges(method: Method, dataset: Dataset) -> None:
    """Recommend --scale if column ranges differ widely and this affects the ranking."""
    from sklearn.utils import get_tags

    from featsieve.cli.console import print_note
    from featsieve.evaluation.data import ranges_differ

    needs_counts = get_tags(method.make()).input_tags.positive_only
    if not (method.scale_invariant or needs_counts) and ranges_differ(dataset.X):
        print_note(f"Column ranges differ widely and {method.name} is sensitive to scale; consider --scale.")


def _note_many_classes(estimator: Any, method: Method, y: Any) -> None:
    """Treat integer labels with many distinct values as numbers if the method can, and report it."""
    import numpy as np
    from sklearn.utils.multiclass import type_of_target

    from featsieve.cli.console import print_note
    from featsieve.targets import has_many_values

    if not has_many_values(y) or type_of_target(y) != "multiclass":
        return
    numeric = "target" in estimator.get_params() and np.asarray(y).dtype.kind in "iuf"
    if numeric:
        estimator.set_params(target="numeric")
    treatment = "treats them as numbers" if numeric else "treats each value as a class"
    count = np.unique(y).size
    print_note(f"The labels have {count} distinct values in {len(y)} samples; {method.name} {treatment}.")
