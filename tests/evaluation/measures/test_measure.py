"""The record of a measure."""

import json
from dataclasses import FrozenInstanceError

import pytest

from featsieve.evaluation import Measure
from featsieve.evaluation.measures import MEASURES


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
        "maximum": None,
    }


def test_records_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        MEASURES["nn"].main = False
