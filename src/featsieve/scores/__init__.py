"""Scores of single features: one method per file, as a function and as an estimator."""

from featsieve.scores.chi_square import ChiSquareScore, chi_square_score
from featsieve.scores.constraint import ConstraintScore, constraint_score
from featsieve.scores.fisher import FisherScore, fisher_score
from featsieve.scores.graph_preserving import GraphPreservingScore, graph_preserving_score
from featsieve.scores.information_gain import InformationGain, information_gain_score
from featsieve.scores.laplacian import LaplacianScore, laplacian_score
from featsieve.scores.lkr import LKRScore, lkr_score
from featsieve.scores.lle import LLEScore, lle_score
from featsieve.scores.pearson import PearsonScore, pearson_score
from featsieve.scores.reconstruction import LLEReconstructionScore, lle_reconstruction_score
from featsieve.scores.relieff import ReliefF, relieff_score
from featsieve.scores.sparsity import SparsityScore, sparsity_score
from featsieve.scores.spec import SPECScore, spec_score
from featsieve.scores.variance import VarianceScore, variance_score

__all__ = [
    "ChiSquareScore",
    "ConstraintScore",
    "FisherScore",
    "GraphPreservingScore",
    "InformationGain",
    "LKRScore",
    "LLEReconstructionScore",
    "LLEScore",
    "LaplacianScore",
    "PearsonScore",
    "ReliefF",
    "SPECScore",
    "SparsityScore",
    "VarianceScore",
    "chi_square_score",
    "constraint_score",
    "fisher_score",
    "graph_preserving_score",
    "information_gain_score",
    "laplacian_score",
    "lkr_score",
    "lle_reconstruction_score",
    "lle_score",
    "pearson_score",
    "relieff_score",
    "sparsity_score",
    "spec_score",
    "variance_score",
]
