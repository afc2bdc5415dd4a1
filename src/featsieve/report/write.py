"""Write the report of a comparison to a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from featsieve.report.page import write_html
from featsieve.report.pixels import ImageShape
from featsieve.report.render import render
from featsieve.report.summarize import summarize
from featsieve.types import MatrixLike

if TYPE_CHECKING:
    from featsieve.evaluation import Comparison


def write_report(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    X: MatrixLike | None = None,
    image_shape: ImageShape | tuple[int, int] | str | None = None,
) -> None:
    """Write the report of a comparison as one HTML file that needs no network.

    Parameters
    ----------
    comparison : Comparison
        Results of :func:`featsieve.evaluation.compare`.
    path : str or path-like
        File to write. It appears only when it is complete.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
        The compared data; used only to draw the mean image behind the selected pixels.
    image_shape : ImageShape, tuple of (rows, columns), str or None, default=None
        Shape of the image whose pixels are the features, such as "32x32", or "32x32F" for images stored
        column by column.

    Raises
    ------
    ImportError
        If the extra ``report`` (Jinja2 and Plotly) is not installed.
    ValueError
        If the file cannot be written, or X or image_shape does not match the comparison.
    """
    write_html(render(summarize(comparison, X=X, image_shape=image_shape)), path)
