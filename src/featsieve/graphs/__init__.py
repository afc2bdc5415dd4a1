"""Graphs over samples: builders, neighbor searches and reconstruction weights."""

from featsieve.graphs.graph import Graph, Neighbors
from featsieve.graphs.graph import GraphBuilder as GraphBuilder
from featsieve.graphs.knn import KNNGraph
from featsieve.graphs.l1 import l1_weights
from featsieve.graphs.labels import ClassGraph, ConstraintGraph
from featsieve.graphs.local import barycenter_weights, kernel_regression_residual
from featsieve.graphs.neighbors import nearest_neighbors
from featsieve.graphs.rbf import RBFGraph

__all__ = [
    "ClassGraph",
    "ConstraintGraph",
    "Graph",
    "KNNGraph",
    "Neighbors",
    "RBFGraph",
    "barycenter_weights",
    "kernel_regression_residual",
    "l1_weights",
    "nearest_neighbors",
]
