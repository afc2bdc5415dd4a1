"""Methods that choose features together: one method per file, as functions and as an estimator."""

from featsieve.subsets.iterative import IterativeScore
from featsieve.subsets.leave_one_out import LeaveOneFeatureOut, leave_one_feature_out_score
from featsieve.subsets.mcfs import MCFS, mcfs_score
from featsieve.subsets.spfs import SPFS, spfs_forward_score, spfs_l21_score
from featsieve.subsets.trace_ratio import TraceRatio, maximize_trace_ratio

__all__ = [
    "MCFS",
    "SPFS",
    "IterativeScore",
    "LeaveOneFeatureOut",
    "TraceRatio",
    "leave_one_feature_out_score",
    "maximize_trace_ratio",
    "mcfs_score",
    "spfs_forward_score",
    "spfs_l21_score",
]
