"""Features, labels, names of samples, and groups."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets import DataError
from featsieve.datasets.options import TableOptions
from featsieve.datasets.roles import assign_roles, split_names
from featsieve.datasets.table import Table

FRAME = pd.DataFrame(
    {
        "who": [f"P-{i}" for i in range(12)],
        "a": range(12),
        "u": [None if i == 2 else i / 2 for i in range(12)],
        "v": ["xy"[i % 2] for i in range(12)],
        "g": [i // 3 for i in range(12)],
    }
)


def roles(target=None, drop=(), options=TableOptions(), strict=False, frame=FRAME):  # noqa: B008
    return assign_roles(Table(frame, list(frame)), target, list(drop), options, "t", strict)


def test_defaults():
    found = roles()
    assert found.features.columns == ["a", "u", "v", "g"]
    assert found.sample_names.tolist() == FRAME["who"].tolist()
    assert found.extra_columns == ("who",)
    assert found.y is found.groups is None
    assert roles(strict=True).features.columns == list(FRAME)


def test_one_target():
    assert roles("v").y.tolist() == FRAME["v"].tolist()
    found = roles("u")
    assert found.y.tolist() == [i / 2 for i in range(12) if i != 2]
    assert len(found.features.values) == len(found.table.values) == len(found.sample_names) == 11


def test_whole_numbers_with_gaps_remain_whole():
    frame = FRAME.assign(u=[None if i == 2 else i % 2 for i in range(12)])
    assert roles("u", frame=frame).y.dtype.kind == "i"


def test_labels_that_are_missing_are_marked():
    frame = FRAME.assign(v=[None, "yes", *"nm" * 5])
    y = roles("v", options=TableOptions(keep_unlabeled=True), frame=frame).y
    assert y[:3].tolist() == ["-1", "yes", "n"]


def test_several_targets():
    found = roles("u,v")
    assert found.target_name == "u,v"
    assert found.y.shape == (11, 2)
    assert set(found.y[:, 1]) == {0, 1}
    assert found.features.columns == ["a", "g"]
    assert roles("u,v", frame=FRAME.rename(columns={"a": "u,v"})).y.shape == (12,)  # the name of a column
    with pytest.raises(DataError, match="no column 'w'"):
        roles("u,w")
    found = roles("a, years,v", frame=FRAME.rename(columns={"a": "a, years"}))
    assert found.features.columns == ["u", "g"]


def test_groups():
    found = roles("v", options=TableOptions(groups="g"))
    assert found.groups.tolist() == [i // 3 for i in range(12)]
    assert found.features.columns == ["a", "u"]
    with pytest.raises(DataError, match="needs at least 2 groups"):
        roles(options=TableOptions(groups="g"), frame=FRAME.assign(g=1))


def test_labels_and_groups_apart_from_the_columns():
    table = Table(np.eye(4), list("abcd"), {"y": np.array([0, 1, 0, 1]), "batch": np.array(list("uuvv"))})
    found = assign_roles(table, None, [], TableOptions(groups="batch"), "t", False)
    assert found.target_name == "y"
    assert found.groups.tolist() == [0, 0, 1, 1]
    only = Table(np.eye(4), list("abcd"), {"batch": np.array(list("uuvv"))})
    assert assign_roles(only, None, [], TableOptions(groups="batch"), "t", False).y is None


def test_split_names():
    assert split_names(None) == []
    assert split_names("a") == ["a"]
    assert split_names("a,b") == ["a,b", "a", "b"]
