"""Approximate nearest neighbors, proposed by a library, with the recall measured on a sample of rows."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import array_api_compat
import numpy as np

from featsieve.engines.arrays import is_tensor, namespace, to_device_of
from featsieve.engines.chunked import is_chunked
from featsieve.engines.distances.direct import candidate_distances
from featsieve.graphs.graph import Neighbors
from featsieve.graphs.search import NeighborSearch

# Rows whose neighbors are compared with exact ones.
_CHECKED_ROWS = 500
# Candidates of each sample that cuVS improves step by step, at least: its own default.
_CUVS_DEGREE = 128


def approximate_neighbors(X: Any, k: int) -> Neighbors:
    """Find most of the k nearest samples of each sample, and measure which fraction was found."""
    propose = _choose_library(X)
    xp, n_samples = namespace(X), X.shape[0]
    rows = to_device_of(np.arange(n_samples), X)
    candidates = to_device_of(propose(X, min(n_samples - 1, k + 1)).astype(np.int64), X)
    # a sample stands for what a library did not find: negative, too large, or repeated numbers
    candidates = xp.sort(candidates, axis=1)
    missing = (candidates < 0) | (candidates >= n_samples)
    missing[:, 1:] |= candidates[:, 1:] == candidates[:, :-1]
    candidates = xp.where(missing, rows[:, None], candidates)
    squared = candidate_distances(X, rows, candidates)
    squared[candidates == rows[:, None]] = xp.inf
    order = xp.argsort(squared, axis=1, stable=True)[:, :k]
    indices = xp.take_along_axis(candidates, order, axis=1)
    distances = xp.take_along_axis(squared, order, axis=1)
    search = NeighborSearch(X)
    incomplete = xp.isinf(distances[:, -1])
    if xp.any(incomplete):
        indices[incomplete], distances[incomplete] = search.nearest(rows[incomplete], rows, k)
    checked = np.linspace(0, n_samples - 1, min(_CHECKED_ROWS, n_samples)).astype(np.intp)
    checked = to_device_of(checked, X)
    exact = search.nearest(checked, rows, k)[1]
    is_neighbor = distances[checked] <= exact[:, -1:] * (1 + 1e-12)
    return Neighbors(indices, distances, recall=float(xp.mean(xp.astype(is_neighbor, xp.float64))))


def _choose_library(X: Any) -> Any:
    """Return the function that proposes candidates for data of the kind of X."""
    if is_chunked(X) or (is_tensor(X) and not is_on_cuda(X)):
        kind = "data in chunks" if is_chunked(X) else "a tensor that is not on a CUDA device"
        raise ValueError(
            "X must be a NumPy array, a sparse matrix or a tensor on a CUDA device for "
            f"algorithm='approximate'; got {kind}. Use 'exact'."
        )
    library, extra, propose = ("pynndescent", "approximate", _propose_by_pynndescent)
    if is_tensor(X):
        library, extra, propose = ("cuvs", "cuvs", _propose_by_cuvs)
    if find_spec(library) is None:
        kind = " for tensors on a CUDA device" if is_tensor(X) else ""
        raise ValueError(
            f"algorithm='approximate' requires {library}{kind}: pip install 'featsieve[{extra}]', "
            "or use algorithm='exact'."
        )
    return propose


def is_on_cuda(X: Any) -> bool:
    """Return whether X is a tensor of PyTorch or CuPy in the memory of a CUDA device."""
    return hasattr(X, "__cuda_array_interface__")


def _propose_by_pynndescent(X: Any, width: int) -> np.ndarray:
    from pynndescent import NNDescent

    return NNDescent(X, n_neighbors=width, random_state=0).neighbor_graph[0]


def _propose_by_cuvs(X: Any, width: int) -> np.ndarray:
    """Return candidates on the host, which cuVS finds on the device of X."""
    from cuvs.neighbors import nn_descent

    xp, n_samples = namespace(X), X.shape[0]
    centered = X - xp.mean(X, axis=0)
    unit = float(xp.max(xp.abs(centered))) or 1.0
    rows32 = xp.empty(X.shape, dtype=xp.float32, device=X.device)  # in C order, unlike a quotient
    rows32[...] = xp.astype(centered / unit, xp.float32)
    float(rows32[-1, -1])  # waits for the values, because cuVS computes in another stream
    parameters = nn_descent.IndexParams(
        metric="sqeuclidean",
        graph_degree=width,
        intermediate_graph_degree=min(n_samples - 1, max(_CUVS_DEGREE, 2 * width)),
        dist_comp_dtype="fp32",
    )
    with _current_device(X):
        return nn_descent.build(parameters, rows32).graph


def _current_device(X: Any) -> Any:
    """Return a context in which the device of X is the current one."""
    if not array_api_compat.is_torch_array(X):
        return X.device
    import torch

    return torch.cuda.device_of(X)
