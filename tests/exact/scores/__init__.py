"""Literal reference implementations of feature scores in exact or extended precision. See READINGS.md."""

from .barycenter import barycenter_weights, lle_reconstruction
from .classical import chi_square, fisher, information_gain, mutual_information, pearson, variance
from .exact import to_floats
from .graphs import (
    class_graph,
    knn_graph,
    laplacian_matrix,
    neighbor_gap,
    neighbors,
    pairs_from_labels,
    rbf_graph,
)
from .iterative import iterative
from .kernel_regression import lkr, lkr_supervised
from .lle import lle
from .mcfs import mcfs, mcfs_targets
from .relief import relieff, relieff_has_ties, rrelieff
from .sparsity import sparsity
from .spectral import constraint, graph_preserving, laplacian, spec
from .subsets import leave_one_out, loo_accuracies, spfs_forward, spfs_gap, trace_ratio

__all__ = [
    "barycenter_weights",
    "chi_square",
    "class_graph",
    "constraint",
    "fisher",
    "graph_preserving",
    "information_gain",
    "iterative",
    "knn_graph",
    "laplacian",
    "laplacian_matrix",
    "leave_one_out",
    "lkr",
    "lkr_supervised",
    "lle",
    "lle_reconstruction",
    "loo_accuracies",
    "mcfs",
    "mcfs_targets",
    "mutual_information",
    "neighbor_gap",
    "neighbors",
    "pairs_from_labels",
    "pearson",
    "rbf_graph",
    "relieff",
    "relieff_has_ties",
    "rrelieff",
    "sparsity",
    "spec",
    "spfs_forward",
    "spfs_gap",
    "to_floats",
    "trace_ratio",
    "variance",
]
