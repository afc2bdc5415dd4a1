"""Yao et al. 2017: LLE score, and LLE in the graph-preserving framework (Algorithm 1)."""

from featsieve.papers.lle.claims import CLAIMS
from featsieve.papers.lle.experiments import EXPERIMENTS
from featsieve.papers.lle.scaling import CLAIM as SCALING_CLAIM
from featsieve.papers.lle.scaling import EXPERIMENT as SCALING
from featsieve.reproduction.schema import Paper

PAPER = Paper(
    key="lle",
    title="LLE score: a new filter-based unsupervised feature selection method based on nonlinear manifold "
    "embedding and its application to image recognition",
    authors="Yao, Liu, Jiang, Han & Han",
    venue="IEEE Transactions on Image Processing",
    year=2017,
    experiments=(*EXPERIMENTS, SCALING),
    claims=(*CLAIMS, SCALING_CLAIM),
    misprints=(
        "Eq. 2 omits the class sizes of the Fisher score, which Table II includes.",
        "Eq. 3 uses the plain mean in the Laplacian score, but the definition of the score uses the mean "
        "weighted by degree.",
        "Eq. 12 is printed without the division by the variance that reproduces the rows of Algorithm 1 "
        "(Tables VI and VII).",
        "The Laplacian score is sorted in the wrong direction in Tables VI and VII, where this reproduces "
        "printed cells (though not all; see the row there), and in Table IV, whose order 2, 1, 4, 3 is the "
        "reverse of 3, 4, 1, 2.",
        "Eq. 4 divides by t²; the cells that are reproduced use 2t².",
        "Table II gives the sparsity score a matrix of classes and no division by the variance, contrary to "
        "eq. 8.",
        "Lemma 1: a basis of the null space of the ones gives weights that sum to 0, not 1; a particular "
        "solution is missing. The lemma remains true.",
        "The order O(n²d + ndK³) omits n²dK from the sum that it is derived from, and it is also given for "
        "Algorithm 1; yet the LLE score is called the slowest.",
        "Table III gives MNIST 15 classes; it has 10.",
        "The captions of Figures 6 and 7 include p=50 and omit p=35; Table VIII has p=20 to 45.",
    ),
)
