"""Labels of the samples."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets import DataError
from featsieve.datasets.labels import check_labels, missing_labels, read_label_numbers, texts_between_numbers


def test_missing_labels():
    assert missing_labels(pd.Series(["a", None, "b"]), "y", "t").tolist() == [False, True, False]
    with pytest.raises(DataError, match="t: all labels in 'y' are missing"):
        missing_labels(np.array([np.nan, np.nan]), "y", "t")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.Series([[1], [2]]), "must be numbers or text; got list"),
        (np.array([1.0, np.inf]), "contain infinite values"),
    ],
)
def test_unusable_labels(values, message):
    with pytest.raises(DataError, match=message):
        check_labels(values, "y", "t")


def test_numbers_in_text():
    y, notes = read_label_numbers(np.array(["1.234,5", "<0,5", "7"]), "y", ".")
    assert y.tolist() == [1234.5, 0.5, 7]
    assert len(notes) == 2


def test_texts_between_many_numbers_are_missing():
    values = pd.Series([*(f"{i}.5" for i in range(40)), "n.d.", None])
    missing = missing_labels(values, "y", "t")
    assert np.flatnonzero(texts_between_numbers(values, missing)).tolist() == [40]
    few = pd.Series(["1", "2"] * 20 + ["n.d."])  # classes
    assert not texts_between_numbers(few, few.isna().to_numpy()).any()
    codes = pd.Series([*(f"{i}" for i in range(40)), *(f"patient {i}" for i in range(40))])
    assert not texts_between_numbers(codes, codes.isna().to_numpy()).any()


@pytest.mark.parametrize("texts", [["0", "1"], ["a", "b"], ["<5", ">5"], ["1,5", "high"]])
def test_classes_remain_text(texts):
    y, notes = read_label_numbers(np.array(texts), "y", ".")
    assert y.tolist() == texts
    assert notes == []
