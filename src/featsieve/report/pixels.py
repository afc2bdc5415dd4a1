"""Features that are the pixels of an image."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class ImageShape:
    """How features lie in an image.

    Attributes
    ----------
    height, width : int
        Rows and columns of the image.
    order : {"C", "F"}
        Whether features go along the rows ("C") or down the columns ("F", as MATLAB stores images).
    """

    height: int
    width: int
    order: str = "C"

    @classmethod
    def parse(cls, text: str) -> ImageShape:
        """The shape that a text such as ``32x32``, or ``32x32F`` for images stored by columns, stands for.

        Examples
        --------
        >>> from featsieve.report import ImageShape
        >>> ImageShape.parse("112x92F")
        ImageShape(height=112, width=92, order='F')
        """
        found = re.fullmatch(r"\s*(\d+)\s*[x,*]\s*(\d+)\s*([FC]?)\s*", text, re.IGNORECASE)
        if not found or not int(found[1]) * int(found[2]):
            raise ValueError(
                f"image_shape={text!r} is no shape: write ROWSxCOLUMNS, such as 32x32, or 32x32F for images "
                "stored by columns."
            )
        return cls(int(found[1]), int(found[2]), found[3].upper() or "C")

    @property
    def places(self) -> np.ndarray:
        """Where each feature lies in the image read row by row."""
        grid = np.arange(self.height * self.width).reshape(self.height, self.width)
        return grid.ravel(order="C" if self.order == "C" else "F")


def shape_of(image_shape: Any, feature_names: list[str]) -> ImageShape | None:
    """The shape that was given, or that names such as ``pixel_3_5`` tell; None where there is none."""
    if image_shape is None:
        return _told_by(feature_names)
    if isinstance(image_shape, str):
        shape = ImageShape.parse(image_shape)
    elif isinstance(image_shape, ImageShape):
        shape = image_shape
    else:
        try:
            shape = ImageShape(*image_shape)
        except TypeError:
            raise ValueError(f"image_shape={image_shape!r} is no shape: give (rows, columns).") from None
    if shape.height * shape.width != len(feature_names):
        raise ValueError(
            f"image_shape={image_shape!r} has {shape.height * shape.width} pixels, but there are "
            f"{len(feature_names)} features."
        )
    return shape


def _told_by(feature_names: list[str]) -> ImageShape | None:
    found = [re.fullmatch(r"pixel[_ ]?(\d{1,5})[_x ](\d{1,5})", name) for name in feature_names]
    places = [(int(match[1]), int(match[2])) for match in found if match]
    if len(places) < len(feature_names) or len(places) < 4:
        return None
    rows, columns = np.array(places).T
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    if height * width != len(places):
        return None
    flat = rows * width + columns
    for order in ("C", "F"):
        shape = ImageShape(height, width, order)
        if np.array_equal(flat, shape.places):
            return shape
    return None


def mean_image(X: Any) -> list[int] | None:
    """Mean of each feature as a gray value from 0 to 255; None where X is not known."""
    if X is None:
        return None
    mean = np.asarray(X.mean(axis=0), dtype=float).ravel()
    spread = np.ptp(mean)
    gray = (mean - mean.min()) / spread * 255 if spread > 0 else np.full(mean.size, 128.0)
    return np.rint(gray).astype(int).tolist()
