"""Arrays of NumPy and of MATLAB up to version 7."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from fuzz.corpus.sample import THIN, WORDS, Layer, Sample, X, Y, binary

_HEADER = 128  # bytes of a .mat file before its first element
_COMPRESSED = 15


def _saved(save: Any, *values: Any, **named: Any) -> bytes:
    buffer = io.BytesIO()
    save(buffer, *values, **named)
    return buffer.getvalue()


def npy() -> Iterator[Sample]:
    """One array, in several orders of memory and types."""
    arrays = {
        "npy-float64": X,
        "npy-fortran": np.asfortranarray(X.astype(np.float32)),
        "npy-bigendian": (100 * X).astype(">i2"),
        "npy-bool": X > 0,
        "npy-uint8": (10 * np.abs(X)).astype(np.uint8),
    }
    for name, array in arrays.items():
        yield _npy(name, array, (1, 0))
    yield _npy("npy-version2", X, (2, 0))


def _npy(name: str, array: np.ndarray, version: tuple[int, int]) -> Sample:
    """The array, its header as a layer."""
    content = _saved(np.lib.format.write_array, array, version=version)
    start = 8 + (2 if version == (1, 0) else 4)  # magic, version, size of the header
    end = content.index(b"\n") + 1

    def wrap(header: bytes) -> bytes:
        size = min(len(header), 256 ** (start - 8) - 1).to_bytes(start - 8, "little")
        return content[:8] + size + header + content[end:]

    return binary(name, ".npy", content, Layer(content[start:end], wrap, text=True))


def npz() -> Iterator[Sample]:
    """Several arrays in an archive, stored and compressed."""
    yield _archive("npz-compressed", _saved(np.savez_compressed, X=X, y=Y))
    names = np.array(["alpha", "beta", "gamma", "delta", "epsilon"])
    yield _archive("npz-names", _saved(np.savez, fea=X, gnd=np.array(WORDS), feature_names=names))


def _archive(name: str, content: bytes) -> Sample:
    """The archive, its members as layers."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {each.filename: archive.read(each) for each in archive.infolist()}

    def layer(changed: str) -> Layer:
        def wrap(inner: bytes) -> bytes:
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as archive:
                for member, whole in members.items():
                    archive.writestr(zipfile.ZipInfo(member), inner if member == changed else whole)
            return buffer.getvalue()

        return Layer(members[changed], wrap)

    return binary(name, ".npz", content, *map(layer, members))


def mat() -> Iterator[Sample]:
    """MATLAB files of versions 4 and 5: dense, sparse, cells and text."""
    note = np.array(["a", "b"], dtype=object)
    cells = np.array(WORDS, dtype=object)[:, None]
    structure = {"name": "a", "size": 2.0}
    yield _mat("mat-compressed", {"X": X, "Y": Y, "note": note}, do_compression=True)
    yield _mat("mat-dense", {"X": X, "Y": Y})
    yield _mat("mat-sparse", {"X": sp.csc_array(THIN), "Y": Y})
    yield _mat("mat-sparselabels", {"X": X.astype(np.float32), "Y": sp.csc_array(Y[:, None].astype(float))})
    yield _mat("mat-sparsecompressed", {"fea": sp.csc_array(THIN), "gnd": Y}, do_compression=True)
    yield _mat("mat-cells", {"X": (10 * X).astype(np.int16), "Y": cells, "s": structure})
    yield _mat("mat-char", {"data": X > 0, "labels": np.array(WORDS)}, do_compression=True)
    yield _mat("mat-version4", {"X": X, "Y": Y}, format="4")


def _mat(name: str, variables: dict[str, Any], **options: Any) -> Sample:
    content = _saved(scipy.io.savemat, variables, **options)
    if content.startswith(b"MATLAB"):  # not the date
        content = b"MATLAB 5.0 MAT-file".ljust(116) + content[116:]
    return binary(name, ".mat", content, *(_elements(content) if options.get("do_compression") else ()))


def _elements(content: bytes) -> Iterator[Layer]:
    """The compressed variables of the file as layers."""
    place = _HEADER
    while place < len(content):
        kind, size = struct.unpack_from("<II", content, place)
        start, end = place + 8, place + 8 + size
        assert kind == _COMPRESSED

        def wrap(inner: bytes, before: bytes = content[:place], after: bytes = content[end:]) -> bytes:
            packed = zlib.compress(inner)
            return before + struct.pack("<II", _COMPRESSED, len(packed)) + packed + after

        yield Layer(zlib.decompress(content[start:end]), wrap)
        place = end
