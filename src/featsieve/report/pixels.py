"""Features that are the pixels of an image."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from featsieve.types import MatrixLike


@dataclass(frozen=True)
class ImageShape:
    """Shape of an image whose pixels are the features.

    Parameters
    ----------
    height : int
        Number of rows of the image.
    width : int
        Number of columns of the image.
    order : {"C", "F"}, default="C"
        Order of the features: row by row ("C"), or column by column ("F") as MATLAB stores images.

    See Also
    --------
    write_report : Write a report that shows the selected pixels.

    Examples
    --------
    >>> from featsieve.report import ImageShape
    >>> ImageShape.parse("112x92F")
    ImageShape(height=112, width=92, order='F')
    """

    height: int
    width: int
    order: Literal["C", "F"] = "C"

    @classmethod
    def parse(cls, text: str) -> ImageShape:
        """Convert a text such as ``32x32``, or ``32x32F`` for images stored column by column."""
        match = re.fullmatch(r"\s*(\d+)\s*[x,*]\s*(\d+)\s*([FC]?)\s*", text, re.IGNORECASE)
        if not match or not int(match[1]) * int(match[2]):
            raise ValueError(
                "`image_shape` must be ROWSxCOLUMNS, such as 32x32, or 32x32F for images stored column by "
                f"column; got {text!r}."
            )
        return cls(int(match[1]), int(match[2]), "F" if match[3].upper() == "F" else "C")

    @property
    def positions(self) -> NDArray[np.intp]:
        """Position of each feature in the image read row by row."""
        grid = np.arange(self.height * self.width).reshape(self.height, self.width)
        return grid.ravel(order=self.order)


def resolve_image_shape(
    image_shape: ImageShape | tuple[int, int] | str | None, feature_names: list[str]
) -> ImageShape | None:
    """Return the shape that was passed or that feature names such as ``pixel_3_5`` imply, or None."""
    if image_shape is None:
        return _infer_shape(feature_names)
    if isinstance(image_shape, str):
        shape = ImageShape.parse(image_shape)
    elif isinstance(image_shape, ImageShape):
        shape = image_shape
    else:
        try:
            shape = ImageShape(*image_shape)
        except TypeError:
            message = f"`image_shape` must be a tuple (rows, columns); got {image_shape!r}."
            raise ValueError(message) from None
    if shape.height * shape.width != len(feature_names):
        raise ValueError(
            f"`image_shape` must have as many pixels as there are features ({len(feature_names)}); "
            f"got {image_shape!r} with {shape.height * shape.width} pixels."
        )
    return shape


def _infer_shape(feature_names: list[str]) -> ImageShape | None:
    matches = [re.fullmatch(r"pixel[_ ]?(\d{1,5})[_x ](\d{1,5})", name) for name in feature_names]
    pixels = [(int(match[1]), int(match[2])) for match in matches if match]
    if len(pixels) < len(feature_names) or len(pixels) < 4:
        return None
    rows, columns = np.array(pixels).T
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    if height * width != len(pixels):
        return None
    shapes = (ImageShape(height, width, "C"), ImageShape(height, width, "F"))
    positions = rows * width + columns
    return next((shape for shape in shapes if np.array_equal(positions, shape.positions)), None)


def mean_image(X: MatrixLike | None) -> list[int] | None:
    """Return the mean of each feature as a gray value from 0 to 255, or None without data."""
    if X is None:
        return None
    matrix: Any = X if sp.issparse(X) else np.asarray(X)
    mean = np.asarray(matrix.mean(axis=0), dtype=np.float64).ravel()
    value_range = np.ptp(mean)
    gray = (mean - mean.min()) / value_range * 255 if value_range > 0 else np.full(mean.size, 128.0)
    return np.rint(gray).astype(int).tolist()
