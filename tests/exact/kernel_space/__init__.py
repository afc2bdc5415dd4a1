"""Literal, slow reference versions of the kernel-space methods of Xu et al. 2011. See READINGS.md."""

from .basis import Basis, features, kgs, kobl
from .boosting import Selection, Takes, kffs, share_wrong, takes, weak_classifiers
from .cost import reconstruction_cost, reconstruction_errors
from .decisions import Decisions, Tie
from .kernels import center_cross, center_diagonal, center_kernel, kernel_diagonal, kernel_matrix
from .neighbors import Neighbors, knnc, knnc_features
from .precision import mp, mp_array, to_float
from .relief import ReliefWeights, fskgs, fskpca, relief
from .spectral import Directions, gda, gda_features, kda, kda_matrices, kpca, kpca_features

__all__ = [
    "Basis",
    "Decisions",
    "Directions",
    "Neighbors",
    "ReliefWeights",
    "Selection",
    "Takes",
    "Tie",
    "center_cross",
    "center_diagonal",
    "center_kernel",
    "features",
    "fskgs",
    "fskpca",
    "gda",
    "gda_features",
    "kda",
    "kda_matrices",
    "kernel_diagonal",
    "kernel_matrix",
    "kffs",
    "kgs",
    "knnc",
    "knnc_features",
    "kobl",
    "kpca",
    "kpca_features",
    "mp",
    "mp_array",
    "reconstruction_cost",
    "reconstruction_errors",
    "relief",
    "share_wrong",
    "takes",
    "to_float",
    "weak_classifiers",
]
