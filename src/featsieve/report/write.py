"""The report as a file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from featsieve.report.render import render
from featsieve.report.summarize import summarize


def write_report(
    comparison: Any, path: str | os.PathLike[str], *, X: Any = None, image_shape: Any = None
) -> None:
    """Write one HTML file that tells what a comparison found and needs no network.

    Parameters
    ----------
    comparison : featsieve.evaluation.results.Comparison
    path : str or path
        The file. It is written beside itself and then put in place, so that a reader never sees half of it.
    X : array or sparse matrix of shape (n_samples, n_features), default=None
        The data, to draw the mean image under the pixels.
    image_shape : ImageShape, (rows, columns), str or None, default=None
        How the features lie in an image; a text such as "32x32", or "32x32F" for images stored by columns.

    Raises
    ------
    ImportError
        When the extra ``report`` (Jinja2 and Plotly) is not installed.
    ValueError
        When the path cannot be written, or X or image_shape does not fit the comparison.
    """
    page = render(summarize(comparison, X=X, image_shape=image_shape))
    target = Path(path).expanduser()
    if target.is_dir():
        raise ValueError(f"path={os.fspath(path)!r} is a folder: give the name of a file in it.")
    try:
        write_whole(target, page.encode("utf-8"))
    except OSError as error:
        raise ValueError(f"path={os.fspath(path)!r} cannot be written: {error.strerror or error}.") from error


def write_whole(target: Path, content: bytes) -> None:
    """Write the file whole or not at all."""
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(draft, 0o666 & ~mask)  # mkstemp lets only the owner read
        os.replace(draft, target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
