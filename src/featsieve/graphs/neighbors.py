"""The k nearest samples of each sample, exact unless an approximation is requested."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from featsieve.engines.arrays import as_matrix, take_rows, to_host
from featsieve.engines.chunked import is_chunked
from featsieve.engines.content import rank_by_content
from featsieve.engines.distances.direct import pair_distances
from featsieve.graphs.approximate import approximate_neighbors
from featsieve.graphs.graph import Neighbors
from featsieve.graphs.search import NeighborSearch, TooManyCopies
from featsieve.options import check_option
from featsieve.types import MatrixLike

ALGORITHMS = ("exact", "scikit-learn", "faiss", "approximate")

# Returns the neighbor lists of a matrix for a key, from memory or by calling the search.
Memo: TypeAlias = Callable[[Any, Hashable, Callable[[], Neighbors]], Neighbors]
_memo: ContextVar[Memo | None] = ContextVar("memo", default=None)


@contextmanager
def shared_neighbors(memo: Memo) -> Iterator[None]:
    """Get the neighbor lists of :func:`nearest_neighbors` from a memo within this context."""
    token = _memo.set(memo)
    try:
        yield
    finally:
        _memo.reset(token)


def nearest_neighbors(
    X: MatrixLike,
    n_neighbors: int = 5,
    *,
    algorithm: Literal["exact", "scikit-learn", "faiss", "approximate"] = "exact",
    ties: NDArray[np.intp] | None = None,
) -> Neighbors:
    """Find the k nearest other samples of each sample by Euclidean distance.

    Parameters
    ----------
    X : {array-like, sparse matrix, tensor} of shape (n_samples, n_features)
        The data. Tensors are searched on their device, and the result stays there until it is read.
    n_neighbors : int, default=5
        Number of neighbors k, less than ``n_samples``.
    algorithm : {"exact", "scikit-learn", "faiss", "approximate"}, default="exact"
        How to search. All but "approximate" return the same neighbors with distances in float64. "exact"
        uses products in float32 for dense data with more than 15 features, and scikit-learn otherwise.
        "approximate" uses PyNNDescent or, for tensors on a CUDA device, cuVS.
    ties : ndarray of shape (n_samples,), default=None
        Rank of each sample among samples at equal distances; copies must have consecutive ranks. None ranks
        by content, so that permuting the samples permutes the result.

    Returns
    -------
    Neighbors
        Indices and squared distances, nearest first. An approximate search also estimates its ``recall``
        on a sample of rows.

    Raises
    ------
    ValueError
        If ``n_neighbors`` or ``algorithm`` is out of range, or an optional dependency is missing.

    See Also
    --------
    featsieve.graphs.KNNGraph : Builder of the graph of these neighbors.

    Notes
    -----
    Where samples have many copies, only the distinct samples are searched.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.graphs import nearest_neighbors
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> nearest_neighbors(X, 2).indices
    array([[1, 2],
           [0, 2],
           [1, 0],
           [2, 1]])
    """
    check_option("algorithm", algorithm, ALGORITHMS)
    X = as_matrix(X)
    n_samples = X.shape[0]
    if not 1 <= n_neighbors < n_samples:
        raise ValueError(
            f"`n_neighbors` must be at least 1 and less than the number of samples ({n_samples}); "
            f"got {n_neighbors}."
        )
    memo = _memo.get()
    if memo is None or ties is not None or is_chunked(X):
        return _search(X, n_neighbors, algorithm, ties)
    return memo(X, (n_neighbors, algorithm), lambda: _search(X, n_neighbors, algorithm, ties))


def _search(X: Any, n_neighbors: int, algorithm: str, ties: NDArray[np.intp] | None) -> Neighbors:
    if algorithm == "approximate":
        return approximate_neighbors(X, n_neighbors)
    if algorithm == "faiss":
        if not isinstance(X, np.ndarray):
            kind = "a sparse matrix" if sp.issparse(X) else "data in chunks" if is_chunked(X) else "a tensor"
            raise ValueError(f"X must be a dense NumPy array for algorithm='faiss'; got {kind}. Use 'exact'.")
        if find_spec("faiss") is None:
            raise ValueError("algorithm='faiss' requires faiss: pip install 'featsieve[faiss]'.")
    rows = np.arange(X.shape[0])
    try:
        search = NeighborSearch(X, algorithm=algorithm, ties=ties)
        return Neighbors(*search.nearest(rows, rows, n_neighbors, refuse_copies=True))
    except TooManyCopies:
        return _neighbors_among_copies(X, n_neighbors, algorithm, ties)


def _neighbors_among_copies(X: Any, k: int, algorithm: str, ties: NDArray[np.intp] | None) -> Neighbors:
    """Search the distinct samples only, then list the copies of each neighbor."""
    members = np.argsort(to_host(rank_by_content(X)) if ties is None else ties)
    is_new = np.ones(members.size, dtype=bool)
    is_new[1:] = pair_distances(X, members[1:], members[:-1]) > 0
    start = np.flatnonzero(is_new)
    size = np.diff(start, append=members.size)
    groups = np.arange(start.size)
    nearest, squared = groups[:, None], np.zeros((start.size, 1))
    if start.size > 1:
        search = NeighborSearch(take_rows(X, members[start]), algorithm=algorithm, ties=groups)
        others = search.nearest(groups, groups, min(k, start.size - 1))
        other_groups, other_squared = (to_host(array) for array in others)
        nearest, squared = np.hstack([nearest, other_groups]), np.hstack([squared, other_squared])
    # the first k + 1 samples of the groups nearest to each group: the rank of their group, and the position
    # in it
    ends = np.cumsum(size[nearest], axis=1)
    slot = np.arange(k + 1)
    rank = (ends[:, None, :] <= slot[None, :, None]).sum(axis=2)
    position = slot - np.take_along_axis(ends - size[nearest], rank, axis=1)
    listed = members[start[np.take_along_axis(nearest, rank, axis=1)] + position]
    group = np.empty(members.size, dtype=np.intp)
    group[members] = np.cumsum(is_new) - 1
    indices, distances = listed[group], np.take_along_axis(squared, rank, axis=1)[group]
    # remove the sample itself, or the last one where copies before it fill the list
    is_other = indices != np.arange(members.size)[:, None]
    is_other[is_other.all(axis=1), -1] = False
    return Neighbors(indices[is_other].reshape(-1, k), distances[is_other].reshape(-1, k))
