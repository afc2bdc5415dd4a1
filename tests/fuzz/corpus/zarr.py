"""Zarr stores, as zip files."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from fuzz.corpus.sample import Sample, X, Y, archive_sample


def zarr() -> Iterator[Sample]:
    """Yield a matrix, and a group with labels."""
    yield archive_sample("zarr-array", ".zarr", _store({"": X}))
    yield archive_sample("zarr-group", ".zarr", _store({"X": X.astype(np.float32), "y": Y}))


def _store(arrays: dict[str, Any]) -> bytes:
    """Return a zip file with arrays, always with the same times."""
    import zarr

    store = zarr.storage.MemoryStore()
    if "" not in arrays:
        zarr.create_group(store, zarr_format=2)
    for name, values in arrays.items():
        zarr.create_array(store, name=name or None, data=values, zarr_format=2)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for key in sorted(store._store_dict):
            archive.writestr(zipfile.ZipInfo(key), store._store_dict[key].to_bytes())
    return buffer.getvalue()
