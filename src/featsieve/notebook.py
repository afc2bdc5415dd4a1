"""How objects show themselves in notebooks: escaped HTML tables without styles and scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

# Rows and columns of a preview.
MAX_ROWS = 10
MAX_COLUMNS = 8


class HTMLSelectionMixin:
    """Mixin for selectors: scikit-learn's diagram with a table of the selected features below it."""

    n_features_: int
    order_: Any

    def _html_repr(self) -> str:
        from sklearn.utils import estimator_html_repr

        diagram = estimator_html_repr(self)
        return diagram + _selected_features(self) if hasattr(self, "order_") else diagram


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; all texts are escaped."""
    head = "".join(f"<th>{escape(text)}</th>" for text in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f"<table><caption>{escape(caption)}</caption>{top}<tbody>{body}</tbody></table>"


def html_notes(notes: Iterable[str]) -> str:
    """Return a list of sentences, or nothing if there are none."""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<ul>{items}</ul>" if items else ""


def _selected_features(selector: Any) -> str:
    """Return a table of the best selected features of a fitted selector."""
    n_selected, order = selector.n_features_, selector.order_
    names = getattr(selector, "feature_names_in_", None)
    scores = getattr(selector, "scores_", None)
    rows = [
        (
            rank,
            f"x{index}" if names is None else names[index],
            *([] if scores is None else [f"{scores[index]:.4g}"]),
        )
        for rank, index in enumerate(order[: min(n_selected, MAX_ROWS)].tolist(), start=1)
    ]
    caption = f"Selected features: {n_selected} of {len(order)}"
    if n_selected > MAX_ROWS:
        caption += f"; the best {MAX_ROWS} are shown"
    return html_table(caption, ["rank", "feature", *([] if scores is None else ["score"])], rows)


def comparison_html(comparison: Any) -> str:
    """Return the methods of a comparison, best first, and its recommendation."""
    percent = all(comparison.measures[key].get("percent") for key in comparison.main)
    scale, digits = (100, 1) if percent else (1, 3)
    unit = " (%)" if percent else ""
    rows = [
        (row["method"], f"{scale * row['mean_over_sizes']:.{digits}f}", row["verdict"])
        for row in comparison.summary().to_dict("records")
    ]
    header = ["method", f"mean over sizes{unit}", "compared with random selection"]
    recommendation = comparison.recommend()
    notes = [recommendation.reason]
    if recommendation.method is not None:
        features = ", ".join(feature.name for feature in recommendation.features[:MAX_ROWS])
        more = ", ..." if recommendation.n_features > MAX_ROWS else ""
        notes.append(f"{recommendation.n_features} recommended features: {features}{more}")
    if not comparison.complete:
        notes.append("The comparison is not complete: run it again with the same store to resume it.")
    caption = repr(comparison).strip("<>")
    return html_table(caption, header, rows) + html_notes(notes)


def describe_dataset(dataset: Any) -> str:
    """Return the name and the size of a dataset, and what its labels are."""
    parts = [f"{dataset.X.shape[0]} samples", f"{dataset.X.shape[1]} features"]
    if dataset.y is None:
        parts.append("no labels")
    elif dataset.y.ndim == 2:
        parts.append(f"{dataset.y.shape[1]} targets")
    elif dataset.y.dtype.kind == "f":
        parts.append(f"numeric target {dataset.target_name!r}")
    else:
        parts.append(f"{len(set(dataset.y.tolist()))} classes of {dataset.target_name!r}")
    return f"Dataset {dataset.name}: {', '.join(parts)}"


def dataset_html(dataset: Any) -> str:
    """Return the first samples of a dataset with its notes."""
    n_samples, n_features = min(5, dataset.X.shape[0]), min(MAX_COLUMNS, dataset.X.shape[1])
    values = dataset.X[:n_samples, :n_features]
    values = values.toarray() if hasattr(values, "toarray") else values
    rows = [[f"{value:.6g}" for value in row] for row in values.tolist()]
    header = list(dataset.feature_names[:n_features])
    if dataset.X.shape[1] > n_features:
        header, rows = [*header, "..."], [[*row, "..."] for row in rows]
    if dataset.y is not None and dataset.y.ndim == 1:
        header.append(f"{dataset.target_name} (labels)")
        rows = [[*row, str(label)] for row, label in zip(rows, dataset.y.tolist(), strict=False)]
    return html_table(describe_dataset(dataset), header, rows) + html_notes(dataset.notes)
