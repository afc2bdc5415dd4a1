"""What every file of the corpus holds, and what of it may be changed."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

X = np.random.default_rng(0).standard_normal((12, 5)).round(3)
THIN = np.where(X > 0, X, 0)
Y = np.arange(12) % 3
WORDS = ["u", "v", "w"] * 4


@dataclass(frozen=True)
class Layer:
    """Bytes to change, and how a file is made of them.

    A file has itself as a layer, and one more for each part that is compressed or checked: changes reach the
    parser only where that part is compressed again.
    """

    content: bytes
    wrap: Callable[[bytes], bytes] = bytes
    text: bool = False


@dataclass(frozen=True)
class Sample:
    """A whole file.

    Attributes
    ----------
    name : str
        Such as "csv-semicolon".
    ending : str
        With the dot, such as ".csv.gz".
    layers : tuple of Layer
        The file itself first.
    """

    name: str
    ending: str
    layers: tuple[Layer, ...]

    @property
    def content(self) -> bytes:
        """The bytes of the whole file."""
        return self.layers[0].wrap(self.layers[0].content)

    @property
    def format(self) -> str:
        """The first word of the name."""
        return self.name.partition("-")[0]


def binary(name: str, ending: str, content: bytes, *inner: Layer) -> Sample:
    """A file of bytes."""
    return Sample(name, ending, (Layer(content), *inner))
