"""Compare feature selection methods: measures, curves, protocols, comparisons, statistics."""

from featsieve.evaluation.folds import Fold
from featsieve.evaluation.grouped import GroupedSplits
from featsieve.evaluation.held_out import Resamples, SizeChoice, choose_n_features
from featsieve.evaluation.measures import MEASURES, Measure
from featsieve.evaluation.measures.balanced import (
    balanced_linear_curve,
    balanced_nearest_mean_curve,
    balanced_nearest_neighbor_curve,
    roc_auc_curve,
)
from featsieve.evaluation.measures.classification import (
    linear_accuracy,
    linear_curve,
    nearest_mean_accuracy,
    nearest_mean_curve,
    nearest_neighbor_accuracy,
    nearest_neighbor_curve,
)
from featsieve.evaluation.measures.clustering import ari, clustering_accuracy, kmeans_curve, nmi
from featsieve.evaluation.measures.regression import (
    linear_regression_curve,
    nearest_regression_curve,
    rank_correlation_curve,
)
from featsieve.evaluation.measures.structure import (
    neighborhood_preservation,
    preservation_curve,
    redundancy_curve,
    redundancy_rate,
)
from featsieve.evaluation.plan import Execution, Plan, default_sizes
from featsieve.evaluation.protocols import (
    Clustering,
    RepeatedFolds,
    RepeatedSplits,
    SeenSplits,
)
from featsieve.evaluation.published import PublishedSplits
from featsieve.evaluation.ranks import rank_over_datasets
from featsieve.evaluation.recommendation import Feature, Recommendation
from featsieve.evaluation.results import Comparison
from featsieve.evaluation.runner import compare
from featsieve.evaluation.statistics import (
    Friedman,
    Interval,
    Stability,
    corrected_interval,
    friedman,
    holm,
    log_auc,
    stability,
    verdict,
    wilcoxon_p,
)
from featsieve.evaluation.store import Cell, Store
from featsieve.evaluation.versions import source_hash

__all__ = [
    "MEASURES",
    "Cell",
    "Clustering",
    "Comparison",
    "Execution",
    "Feature",
    "Fold",
    "Friedman",
    "GroupedSplits",
    "Interval",
    "Measure",
    "Plan",
    "PublishedSplits",
    "Recommendation",
    "RepeatedFolds",
    "RepeatedSplits",
    "Resamples",
    "SeenSplits",
    "SizeChoice",
    "Stability",
    "Store",
    "ari",
    "balanced_linear_curve",
    "balanced_nearest_mean_curve",
    "balanced_nearest_neighbor_curve",
    "choose_n_features",
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
    "rank_correlation_curve",
    "rank_over_datasets",
    "redundancy_curve",
    "redundancy_rate",
    "roc_auc_curve",
    "source_hash",
    "stability",
    "verdict",
    "wilcoxon_p",
]
