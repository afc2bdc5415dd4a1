"""What all displays share: the axes to draw on, lines with bands, and what a fitted ranker has chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def get_axes(ax: Axes | None) -> Axes:
    """Return the axes to draw on, by default those of a new figure; ImportError without Matplotlib."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Plots need Matplotlib: pip install 'featsieve[plot]'") from error
    return plt.subplots()[1] if ax is None else ax


def draw_line(ax: Axes, sizes: Sequence[int], line: dict[str, Any], label: str, style: dict[str, Any]) -> Any:
    """Draw a mean over the numbers of features, and a band if the line has ``low`` and ``high``."""
    (drawn,) = ax.plot(sizes, line["mean"], label=label, **style)
    if line.get("low") is not None:
        ax.fill_between(sizes, line["low"], line["high"], color=drawn.get_color(), alpha=0.15, linewidth=0)
    return drawn


def label_sizes(ax: Axes, label: str) -> None:
    """Label the axes of curves over the number of features."""
    ax.set(xscale="log", xlabel="Number of features", ylabel=label)
    ax.legend(fontsize="small")


def check_labels(methods: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Return the labels of the methods to draw, by default all."""
    unknown = [label for label in methods or [] if label not in known]
    if unknown:
        raise ValueError(f"`methods` must be among {', '.join(known)}; got {', '.join(unknown)}.")
    return list(known if methods is None else methods)


def get_names(estimator: Any, feature_names: Sequence[str] | None) -> list[str]:
    """Return the names that were passed, else those seen during ``fit``, else x0, x1, ..."""
    check_is_fitted(estimator)
    n_features = len(estimator.order_)
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", [f"x{index}" for index in range(n_features)])
    names = [str(name) for name in feature_names]
    if len(names) != n_features:
        raise ValueError(
            f"`feature_names` must have one name per feature ({n_features}); got {len(names)} names."
        )
    return names


def best_features(estimator: Any, n_features: int | None) -> NDArray[np.intp]:
    """Return the indices of the best features, best first; by default of those that are selected."""
    check_is_fitted(estimator)
    n_features = estimator.n_features_ if n_features is None else n_features
    if not 1 <= n_features <= len(estimator.order_):
        raise ValueError(
            f"`n_features` must be between 1 and the number of features ({len(estimator.order_)}); "
            f"got {n_features}."
        )
    return np.asarray(estimator.order_[:n_features])
