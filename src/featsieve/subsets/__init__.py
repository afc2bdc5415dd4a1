"""Methods that choose features together: one method per file, as functions and as an estimator."""

from featsieve.subsets.auto import AutoSelector
from featsieve.subsets.column_subset import ColumnSubset, column_subset_ranking
from featsieve.subsets.diverse import Diverse, diverse_ranking, score_quality
from featsieve.subsets.facility_location import FacilityLocation, facility_location_ranking
from featsieve.subsets.iterative import IterativeScore
from featsieve.subsets.l1_path import L1Path, l1_path_ranking
from featsieve.subsets.leave_one_out import LeaveOneFeatureOut, leave_one_feature_out_score
from featsieve.subsets.mcfs import MCFS, mcfs_score, mcfs_target_score
from featsieve.subsets.model_importance import ModelImportance, model_importance_score
from featsieve.subsets.mrmr import MRMR, mrmr_ranking
from featsieve.subsets.spfs import SPFS, spfs_forward_score, spfs_l21_score
from featsieve.subsets.supervised_column_subset import (
    SupervisedColumnSubset,
    supervised_column_subset_ranking,
)
from featsieve.subsets.supervised_column_subset import target_quality as target_quality
from featsieve.subsets.trace_ratio import TraceRatio, maximize_trace_ratio

__all__ = [
    "MCFS",
    "MRMR",
    "SPFS",
    "AutoSelector",
    "ColumnSubset",
    "Diverse",
    "FacilityLocation",
    "IterativeScore",
    "L1Path",
    "LeaveOneFeatureOut",
    "ModelImportance",
    "SupervisedColumnSubset",
    "TraceRatio",
    "column_subset_ranking",
    "diverse_ranking",
    "facility_location_ranking",
    "l1_path_ranking",
    "leave_one_feature_out_score",
    "maximize_trace_ratio",
    "mcfs_score",
    "mcfs_target_score",
    "model_importance_score",
    "mrmr_ranking",
    "score_quality",
    "spfs_forward_score",
    "spfs_l21_score",
    "supervised_column_subset_ranking",
]
