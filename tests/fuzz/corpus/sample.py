"""The contents of all files of the corpus, and the parts of them that may be changed."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

X = np.random.default_rng(0).standard_normal((12, 5)).round(3)
SPARSE_X = np.where(X > 0, X, 0)
Y = np.arange(12) % 3
WORDS = ["u", "v", "w"] * 4

COMPRESS = {
    ".gz": lambda content: gzip.compress(content, 1, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lambda content: lzma.compress(content, preset=0),
}


@dataclass(frozen=True)
class Layer:
    """Bytes to change, and the function that turns them into a file.

    A file is a layer of itself, and has another one for each part that is compressed or has a checksum.
    Changes reach the parser only if such a part is compressed again.
    """

    content: bytes
    wrap: Callable[[bytes], bytes] = bytes
    text: bool = False


@dataclass(frozen=True)
class Sample:
    """A valid file.

    Attributes
    ----------
    name : str
        Name of the format and of the variant, such as "csv-semicolon".
    ending : str
        Extension with the dot, such as ".csv.gz".
    layers : tuple of Layer
        The file itself first.
    """

    name: str
    ending: str
    layers: tuple[Layer, ...]

    @property
    def content(self) -> bytes:
        """Bytes of the file."""
        return self.layers[0].wrap(self.layers[0].content)

    @property
    def format(self) -> str:
        """Name of the format."""
        return self.name.partition("-")[0]


def binary_sample(name: str, ending: str, content: bytes, *inner: Layer) -> Sample:
    """Return a binary file."""
    return Sample(name, ending, (Layer(content), *inner))


def text_sample(name: str, ending: str, text: str, encoding: str = "utf-8") -> Sample:
    """Return a file of text; in another encoding, it has a layer of UTF-8."""
    if encoding == "utf-8":
        return Sample(name, ending, (Layer(text.encode(), text=True),))
    content = text.encode(encoding)
    inner = Layer(
        text.encode(),
        lambda changed: changed.decode(errors="replace").encode(encoding, "replace"),
        text=True,
    )
    return Sample(name, ending, (Layer(content), inner))


def compressed_sample(sample: Sample, suffix: str) -> Sample:
    """Return the compressed file."""
    compress = COMPRESS[suffix]
    inner = Layer(sample.content, compress, text=True)
    layers = (Layer(compress(sample.content)), inner)
    return Sample(f"{sample.name}-{suffix[1:]}", sample.ending + suffix, layers)


def archive_sample(name: str, ending: str, content: bytes) -> Sample:
    """Return the archive, with its members as layers."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}

    def layer(changed: str) -> Layer:
        def wrap(inner: bytes) -> bytes:
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as archive:
                for member, original in members.items():
                    archive.writestr(zipfile.ZipInfo(member), inner if member == changed else original)
            return buffer.getvalue()

        return Layer(members[changed], wrap)

    return binary_sample(name, ending, content, *map(layer, members))


def bytes_of(save: Any, *values: Any, **options: Any) -> bytes:
    """Return what ``save(buffer, ...)`` writes."""
    buffer = io.BytesIO()
    save(buffer, *values, **options)
    return buffer.getvalue()


def hdf5_bytes(fill: Callable[[Any], None], **options: Any) -> bytes:
    """Return an HDF5 file that ``fill`` writes to."""
    import h5py

    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        fill(file)
    return buffer.getvalue()
