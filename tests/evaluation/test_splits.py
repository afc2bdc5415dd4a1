"""The interface of protocols."""

import numpy as np
import pytest

from featsieve.evaluation import Clustering, RepeatedFolds, RepeatedSplits
from featsieve.evaluation.splits import Split, check_integer


@pytest.mark.parametrize("value", [1, 0, -3, 2.0, "3", None, np.float64(4)])
def test_other_values_than_large_integers_are_rejected(value):
    with pytest.raises(ValueError, match="`n_splits` must be an integer of at least 2; got"):
        check_integer("n_splits", value, 2)


def test_the_minimum_is_valid():
    check_integer("n_splits", 2, 2)


@pytest.mark.parametrize("protocol", [RepeatedSplits(3), RepeatedFolds(3), Clustering(3)])
def test_protocols_implement_the_interface(protocol):
    splits = protocol.splits(30, np.arange(30) % 3, 0)
    assert len(splits) == protocol.n_splits
    assert all(isinstance(split, Split) for split in splits)
    assert protocol.description.endswith(".")
    assert isinstance(protocol.transductive, bool)
    assert "seed" not in protocol.parameters()
