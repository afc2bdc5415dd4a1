"""Which selection helps, and how much: metrics, nested curves, protocols, comparisons, statistics."""

from featsieve.evaluation.curves import (
    Fold,
    kmeans_curve,
    nearest_mean_accuracy,
    nearest_mean_curve,
    nearest_neighbor_accuracy,
    nearest_neighbor_curve,
    nearest_regression_curve,
    preservation_curve,
    redundancy_curve,
)
from featsieve.evaluation.linear import linear_accuracy, linear_curve, linear_regression_curve
from featsieve.evaluation.metrics import (
    Stability,
    ari,
    clustering_accuracy,
    neighborhood_preservation,
    nmi,
    redundancy_rate,
    stability,
)
from featsieve.evaluation.plan import Execution, Plan, default_sizes
from featsieve.evaluation.protocols import (
    Clustering,
    PublishedSplits,
    RepeatedFolds,
    RepeatedSplits,
    SeenSplits,
)
from featsieve.evaluation.results import Comparison, rank_over_datasets
from featsieve.evaluation.runner import compare
from featsieve.evaluation.statistics import (
    Friedman,
    Interval,
    corrected_interval,
    friedman,
    holm,
    log_auc,
    verdict,
    wilcoxon_p,
)
from featsieve.evaluation.store import Cell, Store

__all__ = [
    "Cell",
    "Clustering",
    "Comparison",
    "Execution",
    "Fold",
    "Friedman",
    "Interval",
    "Plan",
    "PublishedSplits",
    "RepeatedFolds",
    "RepeatedSplits",
    "SeenSplits",
    "Stability",
    "Store",
    "ari",
    "clustering_accuracy",
    "compare",
    "corrected_interval",
    "default_sizes",
    "friedman",
    "holm",
    "kmeans_curve",
    "linear_accuracy",
    "linear_curve",
    "linear_regression_curve",
    "log_auc",
    "nearest_mean_accuracy",
    "nearest_mean_curve",
    "nearest_neighbor_accuracy",
    "nearest_neighbor_curve",
    "nearest_regression_curve",
    "neighborhood_preservation",
    "nmi",
    "preservation_curve",
    "rank_over_datasets",
    "redundancy_curve",
    "redundancy_rate",
    "stability",
    "verdict",
    "wilcoxon_p",
]
