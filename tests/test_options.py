import numpy as np
import pytest

import featsieve
from featsieve import KNNGraph, scores

LABELS = np.repeat([0, 1, 2], 20)


@pytest.mark.parametrize(
    "call",
    [
        lambda X: scores.constraint_score(X, np.eye(60), np.eye(60), kind="rato"),
        lambda X: scores.graph_preserving_score(X, np.eye(60), np.eye(60), kind="rato"),
        lambda X: scores.spec_score(X, KNNGraph(), kind=4),
        lambda X: scores.pearson_score(X, LABELS, target="regression"),
        lambda X: featsieve.graphs.nearest_neighbors(X, 3, algorithm="brute"),
    ],
)
def test_invalid_options_are_rejected(call):
    with pytest.raises(ValueError, match="must be one of"):
        call(np.random.default_rng(0).standard_normal((60, 3)))
