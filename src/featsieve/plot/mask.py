"""Chosen pixels over the mean image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from featsieve.plot._axes import best_features, get_axes, get_names
from featsieve.report.pixels import mean_image, resolve_image_shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from featsieve.report import ImageShape
    from featsieve.types import MatrixLike

# Red, green, blue and opacity of a chosen pixel.
CHOSEN = (0.84, 0.15, 0.16, 0.75)


class MaskDisplay:
    """Pixels that are chosen, over the mean image.

    Parameters
    ----------
    mask : ndarray of bool of shape (height, width)
        Chosen pixels.
    image : ndarray of shape (height, width), default=None
        Image below the mask. None draws the mask only.

    Attributes
    ----------
    image_ : AxesImage or None
        The image below the mask.
    mask_ : AxesImage
        The mask.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure.

    See Also
    --------
    ScoreDisplay : Scores of features.
    featsieve.report.ImageShape : Shape of images that are stored column by column.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featsieve import LLEScore
    >>> from featsieve.plot import MaskDisplay
    >>> X, _ = load_digits(return_X_y=True)
    >>> selector = LLEScore(n_features_to_select=10).fit(X[:300])
    >>> display = MaskDisplay.from_estimator(selector, X, image_shape=(8, 8))
    >>> int(display.mask.sum())
    10
    """

    def __init__(self, mask: NDArray[np.bool_], image: NDArray[Any] | None = None) -> None:
        self.mask = mask
        self.image = image

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the image and the mask.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        self : MaskDisplay
            The display.
        """
        self.ax_ = get_axes(ax)
        self.figure_ = self.ax_.figure
        self.image_ = None if self.image is None else self.ax_.imshow(self.image, cmap="gray")
        overlay = np.zeros((*self.mask.shape, 4))
        overlay[self.mask] = CHOSEN
        self.mask_ = self.ax_.imshow(overlay)
        self.ax_.set(xticks=[], yticks=[])
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike | None = None,
        *,
        image_shape: ImageShape | tuple[int, int] | str | None = None,
        n_features: int | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the best pixels of a fitted ranker.

        Parameters
        ----------
        estimator : estimator
            Fitted ranker whose features are pixels.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Samples whose mean is drawn below the mask. None draws the mask only.
        image_shape : ImageShape, tuple of int or str, default=None
            Height and width of the images. None uses names of features such as ``pixel_3_5``.
        n_features : int, default=None
            Number of pixels, best first. None draws the selected ones.
        ax : Axes, default=None
            Axes to draw on; None creates a figure.

        Returns
        -------
        display : MaskDisplay
            The display.
        """
        names, best = get_names(estimator, None), best_features(estimator, n_features)
        shape = resolve_image_shape(image_shape, names)
        if shape is None:
            raise ValueError(
                "`image_shape` must be passed because the names of the features do not tell it; got None. "
                "Pass image_shape=(height, width)."
            )
        size = (shape.height, shape.width)
        mask = np.zeros(len(names), dtype=bool)
        mask[shape.positions[best]] = True
        mean = mean_image(X)
        if mean is None:
            return cls(mask.reshape(size)).plot(ax=ax)
        image = np.empty(len(names))
        image[shape.positions] = mean
        return cls(mask.reshape(size), image.reshape(size)).plot(ax=ax)
