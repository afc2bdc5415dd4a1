"""Datasets of HDF5 files, checked before memory is allocated for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from featsieve.datasets.errors import too_short
from featsieve.datasets.formats import MAX_DEFLATE_RATIO

# Filters of HDF5 that compress at most as well as deflate: deflate, shuffle, checksum, LZF.
DEFLATE_LIKE_FILTERS = {1, 2, 3, 32000}


def read_dataset(node: Any) -> Any:
    """Read the values of a dataset if the file is long enough to contain them."""
    if not hasattr(node, "id"):  # an array of Zarr, whose size has been checked
        values = np.asarray(node[...])
        return values.astype(str) if values.dtype.kind == "T" else values
    path = Path(node.file.filename)
    if node.shape is not None and not _fits(node, path.stat().st_size):
        raise too_short(f"{path.name}: {node.name}", node.shape)
    return node[()]


def _fits(node: Any, file_size: int) -> bool:
    n_bytes = node.size * node.dtype.itemsize
    offset, stored = node.id.get_offset(), node.id.get_storage_size()
    if offset is not None and stored:  # contiguous; a dataset that was never written takes no space
        return n_bytes <= stored and offset + stored <= file_size
    properties = node.id.get_create_plist()
    filters = {properties.get_filter(index)[0] for index in range(properties.get_nfilters())}
    return n_bytes <= MAX_DEFLATE_RATIO * file_size or not filters <= DEFLATE_LIKE_FILTERS
