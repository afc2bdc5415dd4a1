"""Feature selection in kernel space: bases, selection on them, and the influence of the input features."""

from featsieve.kernel_space.discriminant import generalized_discriminants, kernel_discriminants
from featsieve.kernel_space.discriminant_analysis import (
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
)
from featsieve.kernel_space.gram_schmidt import KernelGramSchmidt
from featsieve.kernel_space.kffs import KernelForwardSelection, forward_selection
from featsieve.kernel_space.kobl import KernelOrthogonalBasis
from featsieve.kernel_space.nearest import KernelNearestNeighbor
from featsieve.kernel_space.reconstruction import kernel_reconstruction_cost
from featsieve.kernel_space.relief import KernelRelief, relief_weights
from featsieve.kernel_space.takes import TAKESRanker, TAKESTransformer

__all__ = [
    "GeneralizedDiscriminantAnalysis",
    "KernelDiscriminantAnalysis",
    "KernelForwardSelection",
    "KernelGramSchmidt",
    "KernelNearestNeighbor",
    "KernelOrthogonalBasis",
    "KernelRelief",
    "TAKESRanker",
    "TAKESTransformer",
    "forward_selection",
    "generalized_discriminants",
    "kernel_discriminants",
    "kernel_reconstruction_cost",
    "relief_weights",
]
