"""Spectral embedding of a graph, with a defined choice among equal eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from featsieve.engines.arrays import is_tensor, product_on_host
from featsieve.graphs import Graph
from featsieve.graphs.labels import class_indicator
from featsieve.graphs.spectrum import EIGENVALUE_RTOL, connected_components, leading_eigenpairs, shift_invert

# Samples with less than this share of the largest degree have entries that are lost in rounding.
_SMALL_DEGREE_RTOL = 1e-12
# An eigenvector with at least this squared norm on such samples is localized there and left alone.
_LOCALIZED_NORM = 1e-8


def spectral_embedding(X: Any, graph: Graph, n_components: int) -> np.ndarray:
    """Compute eigenvectors of L y = lambda D y from the smallest eigenvalue up, without the constant one.

    All degrees must be positive. Among equal eigenvalues, the eigenvectors follow the singular vectors of the
    centered X. There may be fewer than ``n_components`` if the rest are orthogonal to all columns of X.
    """
    root = np.sqrt(graph.degree)
    inverse = 1 / root
    # Eigenvalue 0 belongs to the indicators of the connected components. They are constructed, because
    # Lanczos iterations may miss some of several equal eigenvalues.
    components = sp.csr_array(sp.diags_array(root) @ class_indicator(*connected_components(graph)))
    norms = np.sqrt((components**2).sum(axis=0))
    components = sp.csr_array(components / norms)
    constant = norms / np.linalg.norm(norms)
    # the indicators are dense on a device, and have few columns unless the graph falls apart
    indicators = (sp.diags_array(inverse) @ components).T
    projections = product_on_host(indicators.toarray() if is_tensor(X) else indicators, X)
    projections -= np.outer(constant, constant @ projections)
    n_flat = min(n_components, constant.size - 1)
    blocks = [components @ np.linalg.svd(projections, full_matrices=False)[0][:, :n_flat]]
    transposed = sp.csr_array(components.T)

    def multiply(v: np.ndarray) -> np.ndarray:
        scale = inverse if v.ndim == 1 else inverse[:, None]
        # moves the known eigenvalues from 1 to -2, below all others
        return scale * (graph.weights @ (scale * v)) - 3 * (components @ (transposed @ v))

    n_missing = n_components - (constant.size - 1)
    if n_missing > 0:
        weights, inverse_operator = graph.weights, None
        if sp.issparse(weights) and weights.data.min(initial=0) >= 0:
            inverse_operator = shift_invert(weights * inverse * inverse[:, None], components)
        values, vectors = leading_eigenpairs(multiply, root.size, n_missing, inverse_operator)
        boundaries = np.flatnonzero(-np.diff(values) > EIGENVALUE_RTOL) + 1
        for group in np.split(np.arange(values.size), boundaries):
            block = vectors[:, group]
            if group.size > 1:
                projections = product_on_host((inverse[:, None] * block).T, X)
                block = block @ np.linalg.svd(projections, full_matrices=False)[0]
            blocks.append(_refine_small_degrees(graph, block, values[group].mean()))
    return inverse[:, None] * np.hstack(blocks)[:, :n_components]


def _refine_small_degrees(graph: Graph, vectors: np.ndarray, value: float) -> np.ndarray:
    """Recompute the entries of samples with very small degrees in eigenvectors of D^-1/2 W D^-1/2.

    Rounding dominates these entries, and the division by the root of the degree would amplify it. The
    equation W y = value D y determines them from the other entries.
    """
    degree = graph.degree
    small = (degree > 0) & (degree < _SMALL_DEGREE_RTOL * degree.max())
    spread_out = (vectors[small] ** 2).sum(axis=0) < _LOCALIZED_NORM
    if not small.any() or not spread_out.any():
        return vectors
    regular, root = (degree > 0) & ~small, np.sqrt(degree)
    transitions = sp.csc_array(sp.diags_array(1 / degree[small]) @ sp.csr_array(graph.weights)[small])
    known = transitions[:, regular] @ (vectors[regular] / root[regular, None])[:, spread_out]
    system = value * sp.eye_array(known.shape[0], format="csc") - transitions[:, small]
    vectors = vectors.copy()
    vectors[np.ix_(small, spread_out)] = root[small, None] * splu(sp.csc_array(system)).solve(known)
    return vectors
