"""Imported by the server that the processes of cells are forked from: what it has loaded, they have."""

import array_api_compat.numpy  # noqa: F401
import numpy as np

from featsieve.engines import blocks
from featsieve.evaluation import worker  # noqa: F401
from featsieve.registry import get_method, methods

blocks.blas_libraries()
methods()
# The first fit of a process prepares what all fits need. This one starts no threads: a fork would lose them.
get_method("fisher").estimator().fit(np.eye(4, 2), [0, 0, 1, 1])
