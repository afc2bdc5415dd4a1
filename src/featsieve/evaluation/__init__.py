"""Which selection helps, and how much: metrics, nested curves, protocols, comparisons and their statistics."""

from featsieve.evaluation.metrics import (
    Stability,
    ari,
    clustering_accuracy,
    neighborhood_preservation,
    nmi,
    redundancy_rate,
    stability,
)
from featsieve.evaluation.results import Comparison, rank_over_datasets
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
    "Comparison",
    "Friedman",
    "Interval",
    "Stability",
    "Store",
    "ari",
    "clustering_accuracy",
    "corrected_interval",
    "friedman",
    "holm",
    "log_auc",
    "neighborhood_preservation",
    "nmi",
    "rank_over_datasets",
    "redundancy_rate",
    "stability",
    "verdict",
    "wilcoxon_p",
]
