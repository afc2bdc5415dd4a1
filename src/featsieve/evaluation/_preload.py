"""Imported by the server that forks the processes of cells, so that they start with all code loaded."""

import array_api_compat.numpy  # noqa: F401
import numpy as np

from featsieve.engines import blocks
from featsieve.evaluation import worker  # noqa: F401
from featsieve.registry import get_method, methods

methods()
# The first fit of a process initializes libraries. This one starts no threads, which a fork would lose.
get_method("fisher").make().fit(np.eye(4, 2), [0, 0, 1, 1])
blocks.blas_libraries()  # searched after all imports
