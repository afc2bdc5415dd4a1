"""Scores of single features: one method per file, as a function and as an estimator."""

from featsieve.scores.chi_square import chi_square_score
from featsieve.scores.chi_square import ChiSquareScore
from featsieve.scores.constraint import constraint_score
from featsieve.scores.constraint import ConstraintScore
from featsieve.scores.fisher import fisher_score
from featsieve.scores.fisher import FisherScore
from featsieve.scores.graph_preserving import graph_preserving_score
from featsieve.scores.graph_preserving import GraphPreservingScore
from featsieve.scores.information_gain import information_gain_score
from featsieve.scores.information_gain import InformationGain
from featsieve.scores.laplacian import laplacian_score
from featsieve.scores.laplacian import LaplacianScore
from featsieve.scores.lkr import lkr_score
from featsieve.scores.lkr import LKRScore
from featsieve.scores.lle import lle_score
from featsieve.scores.lle import LLEScore
from featsieve.scores.pearson import pearson_score
from featsieve.scores.pearson import PearsonScore
from featsieve.scores.reconstruction import lle_reconstruction_score
from featsieve.scores.reconstruction import LLEReconstructionScore
from featsieve.scores.relieff import relieff_score
from featsieve.scores.relieff import ReliefF
from featsieve.scores.sparsity import sparsity_score
from featsieve.scores.sparsity import SparsityScore
from featsieve.scores.spec import spec_score
from featsieve.scores.spec import SPECScore
from featsieve.scores.variance import variance_score
from featsieve.scores.variance import VarianceScore

__all__ = ['ChiSquareScore', 'ConstraintScore', 'FisherScore', 'GraphPreservingScore', 'InformationGain', 'LKRScore', 'LLEReconstructionScore', 'LLEScore', 'LaplacianScore', 'PearsonScore', 'ReliefF', 'SPECScore', 'SparsityScore', 'VarianceScore', 'chi_square_score', 'constraint_score', 'fisher_score', 'graph_preserving_score', 'information_gain_score', 'laplacian_score', 'lkr_score', 'lle_reconstruction_score', 'lle_score', 'pearson_score', 'relieff_score', 'sparsity_score', 'spec_score', 'variance_score']
