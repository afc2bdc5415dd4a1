"""Annotated matrices of single cells."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from fuzz.corpus.sample import SPARSE_X, WORDS, Sample, X, Y, binary_sample, hdf5_bytes

CHUNKED = {"compression": "gzip", "chunks": (4, 3)}


def h5ad() -> Iterator[Sample]:
    """Yield every storage of the matrix and every kind of label."""
    yield _h5ad("h5ad-dense", X, None)
    yield _h5ad("h5ad-chunked", X, Y, storage=CHUNKED)
    yield _h5ad("h5ad-csr", sp.csr_array(SPARSE_X), "categorical")
    yield _h5ad("h5ad-csc", sp.csc_array(SPARSE_X), "masked")
    yield _h5ad("h5ad-words", X.astype(np.float32), WORDS)
    yield _h5ad("h5ad-older", sp.csr_array(SPARSE_X), "older")
    yield _h5ad("h5ad-checked", sp.csc_array(SPARSE_X), "categorical", libver="latest")


def _h5ad(name: str, X: Any, labels: Any, storage: dict[str, Any] | None = None, **options: Any) -> Sample:
    def fill(file: Any) -> None:
        _matrix(file, X, storage or {})
        for part, size in (("var", X.shape[1]), ("obs", X.shape[0])):
            group = file.create_group(part)
            group.attrs["_index"] = "_index"
            _words(group, "_index", [f"{part}{i}" for i in range(size)])
        _labels(file["obs"], labels)

    return binary_sample(name, ".h5ad", hdf5_bytes(fill, **options))


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
        group = obs.create_group("target")  # a group created implicitly contains the time
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
