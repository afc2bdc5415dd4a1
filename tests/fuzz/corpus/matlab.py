"""Arrays of MATLAB."""

import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from fuzz.corpus.sample import SPARSE_X, WORDS, Layer, Sample, X, Y, binary_sample, bytes_of, hdf5_bytes

HEADER_SIZE = 128  # bytes before the first element
COMPRESSED = 15  # type of a compressed element
CHUNKED = {"compression": "gzip", "chunks": (4, 3)}


def mat() -> Iterator[Sample]:
    """Yield files of versions 4, 5 and 7.3: dense, sparse, cells and text."""
    note = np.array(["a", "b"], dtype=object)
    cells = np.array(WORDS, dtype=object)[:, None]
    structure = {"name": "a", "size": 2.0}
    yield _mat("mat-compressed", {"X": X, "Y": Y, "note": note}, do_compression=True)
    yield _mat("mat-dense", {"X": X, "Y": Y})
    yield _mat("mat-sparse", {"X": sp.csc_array(SPARSE_X), "Y": Y})
    yield _mat("mat-sparselabels", {"X": X.astype(np.float32), "Y": sp.csc_array(Y[:, None].astype(float))})
    yield _mat("mat-sparsecompressed", {"fea": sp.csc_array(SPARSE_X), "gnd": Y}, do_compression=True)
    yield _mat("mat-cells", {"X": (10 * X).astype(np.int16), "Y": cells, "s": structure})
    yield _mat("mat-char", {"data": X > 0, "labels": np.array(WORDS)}, do_compression=True)
    yield _mat("mat-version4", {"X": X, "Y": Y}, format="4")
    yield _mat73("mat-73dense", {"X": X, "Y": Y[:, None]})
    yield _mat73("mat-73sparse", {"fea": sp.csc_array(SPARSE_X), "gnd": Y[:, None]})
    yield _mat73("mat-73cells", {"X": X, "Y": WORDS})
    yield _mat73("mat-73char", {"X": X, "Y": "abc" * 4}, **CHUNKED)


def _mat(name: str, variables: dict[str, Any], **options: Any) -> Sample:
    content = bytes_of(scipy.io.savemat, variables, **options)
    if content.startswith(b"MATLAB"):  # not the date
        content = b"MATLAB 5.0 MAT-file".ljust(116) + content[116:]
    return binary_sample(
        name, ".mat", content, *(_elements(content) if options.get("do_compression") else ())
    )


def _elements(content: bytes) -> Iterator[Layer]:
    """Yield the compressed variables of the file as layers."""
    offset = HEADER_SIZE
    while offset < len(content):
        kind, size = struct.unpack_from("<II", content, offset)
        start, end = offset + 8, offset + 8 + size
        assert kind == COMPRESSED

        def wrap(inner: bytes, before: bytes = content[:offset], after: bytes = content[end:]) -> bytes:
            packed = zlib.compress(inner)
            return before + struct.pack("<II", COMPRESSED, len(packed)) + packed + after

        yield Layer(zlib.decompress(content[start:end]), wrap)
        offset = end


def _mat73(name: str, variables: dict[str, Any], **storage: Any) -> Sample:
    def fill(file: Any) -> None:
        for variable, value in variables.items():
            _variable(file, variable, value, storage)

    start = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    content = hdf5_bytes(fill, userblock_size=512)
    return binary_sample(name, ".mat", start + content[len(start) :])


def _variable(file: Any, name: str, value: Any, storage: dict[str, Any]) -> None:
    import h5py

    if sp.issparse(value):
        group = file.create_group(name)
        group.attrs["MATLAB_sparse"] = np.uint64(value.shape[0])
        parts = {"data": value.data, "ir": value.indices, "jc": value.indptr}
        for part, numbers in parts.items():
            group[part] = numbers if part == "data" else numbers.astype(np.uint64)
        kind = "double"
    elif isinstance(value, list):
        cells = [file.create_dataset(f"#refs#/{i}", data=_codes(word)) for i, word in enumerate(value)]
        for cell in cells:
            cell.attrs["MATLAB_class"] = np.bytes_("char")
        references = np.array([[cell.ref for cell in cells]], dtype=object)
        file.create_dataset(name, data=references, dtype=h5py.ref_dtype)
        kind = "cell"
    elif isinstance(value, str):
        file.create_dataset(name, data=_codes(value).T)
        kind = "char"
    else:
        file.create_dataset(name, data=value.T, **(storage if min(value.shape) > 1 else {}))
        kind = "double"
    file[name].attrs["MATLAB_class"] = np.bytes_(kind)


def _codes(word: str) -> np.ndarray:
    return np.array([[ord(letter)] for letter in word], dtype=np.uint16)
