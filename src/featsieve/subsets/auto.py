from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.sparsefuncs import min_max_axis

from featsieve.engines.arrays import as_matrix
from featsieve.graphs import KNNGraph
from featsieve.registry import method
from featsieve.scores.laplacian import laplacian_score
from featsieve.selectors import Ranker, rank_quickly
from featsieve.subsets._columns import UnitColumns
from featsieve.subsets.column_subset import column_subset_ranking
from featsieve.subsets.diverse import diverse_ranking
from featsieve.subsets.facility_location import facility_location_ranking, reconstructed_share
from featsieve.subsets.l1_path import l1_path_ranking
from featsieve.subsets.mrmr import mrmr_ranking
from featsieve.subsets.supervised_column_subset import supervised_column_subset_ranking, target_quality
from featsieve.targets import TARGET, TargetType, encode_targets
from featsieve.types import Array, MatrixLike, NFeatures

Ranking: TypeAlias = tuple[NDArray[np.float64], NDArray[np.intp]]
# Ranks the features: (X, y, n_features) -> scores and order.
Recipe: TypeAlias = Callable[[Any, Any, int], Ranking]
