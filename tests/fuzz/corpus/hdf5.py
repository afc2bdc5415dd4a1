"""HDF5: MATLAB 7.3 and annotated matrices of single cells."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from fuzz.corpus.sample import THIN, WORDS, Sample, X, Y, binary

GZIP = {"compression": "gzip", "chunks": (4, 3)}


def _file(fill: Callable[[Any], None], **options: Any) -> bytes:
    import h5py

    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        fill(file)
    return buffer.getvalue()


def mat73() -> Iterator[Sample]:
    """MATLAB 7.3: dense, chunked, sparse, cells and text."""
    yield _mat73("mat73-dense", {"X": X, "Y": Y[:, None]})
    yield _mat73("mat73-sparse", {"fea": sp.csc_array(THIN), "gnd": Y[:, None]})
    yield _mat73("mat73-cells", {"X": X, "Y": WORDS})
    yield _mat73("mat73-char", {"X": X, "Y": "abc" * 4}, **GZIP)


def _mat73(name: str, variables: dict[str, Any], **storage: Any) -> Sample:
    def fill(file: Any) -> None:
        for variable, value in variables.items():
            _variable(file, variable, value, storage)

    start = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    content = _file(fill, userblock_size=512)
    return binary(name, ".mat", start + content[len(start) :])


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


def h5ad() -> Iterator[Sample]:
    """Annotated matrices: every storage of the matrix, every kind of label."""
    yield _h5ad("h5ad-dense", X, None)
    yield _h5ad("h5ad-chunked", X, Y, storage=GZIP)
    yield _h5ad("h5ad-csr", sp.csr_array(THIN), "categorical")
    yield _h5ad("h5ad-csc", sp.csc_array(THIN), "masked")
    yield _h5ad("h5ad-words", X.astype(np.float32), WORDS)
    yield _h5ad("h5ad-older", sp.csr_array(THIN), "older")
    yield _h5ad("h5ad-checked", sp.csc_array(THIN), "categorical", libver="latest")


def _h5ad(name: str, X: Any, labels: Any, storage: dict[str, Any] | None = None, **options: Any) -> Sample:
    def fill(file: Any) -> None:
        _matrix(file, X, storage or {})
        for part, size in (("var", X.shape[1]), ("obs", X.shape[0])):
            group = file.create_group(part)
            group.attrs["_index"] = "_index"
            _words(group, "_index", [f"{part}{i}" for i in range(size)])
        _labels(file["obs"], labels)

    return binary(name, ".h5ad", _file(fill, **options))


def _matrix(file: Any, X: Any, storage: dict[str, Any]) -> None:
    if not sp.issparse(X):
        file.create_dataset("X", data=X, **storage)
        return
    group = file.create_group("X")
    group.attrs["encoding-type"] = f"{X.format}_matrix"
    group.attrs["shape"] = X.shape
    for part in ("data", "indices", "indptr"):
        group[part] = getattr(X, part)


def _labels(obs: Any, labels: Any) -> None:
    if isinstance(labels, np.ndarray):
        obs["target"] = labels
    elif isinstance(labels, list):
        _words(obs, "target", labels)
    elif labels == "categorical":
        group = obs.create_group("target")  # a group made on the way, as by "target/codes", holds the time
        group["codes"] = Y.astype(np.int8)
        _words(group, "categories", ["B", "T", "NK"])
    elif labels == "masked":
        group = obs.create_group("target")
        group["values"] = Y
        group["mask"] = np.zeros(len(Y), dtype=bool)
    elif labels == "older":
        obs["target"] = Y.astype(np.int8)
        _words(obs.create_group("__categories"), "target", ["B", "T", "NK"])


def _words(group: Any, name: str, words: list[str]) -> None:
    import h5py

    group.create_dataset(name, data=words, dtype=h5py.string_dtype())
