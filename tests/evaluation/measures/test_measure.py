"""The record of a measure."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from featsieve.evaluation import Measure
from featsieve.evaluation.measures import MEASURES
from featsieve.evaluation.measures.measure import mean_bounds


def test_description_can_be_stored():
    measure = Measure("key", "name", lambda fold, order, sizes: sizes, direction="smaller", percent=True)
    info = measure.info()
    assert json.loads(json.dumps(info)) == {
        "key": "key",
        "name": "name",
        "direction": "smaller",
        "main": True,
        "percent": True,
        "trivial": None,
        "bounds": None,
    }


def test_records_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        MEASURES["nn"].main = False


def test_bounds_of_a_mean():
    percent, r2, error = {"percent": True}, {"bounds": [None, 1.0]}, {}  # stored runs have lists
    assert mean_bounds([percent, percent]) == (0.0, 1.0)
    assert mean_bounds([percent, r2]) == (-np.inf, 1.0)
    assert mean_bounds([percent, error]) == (-np.inf, np.inf)
