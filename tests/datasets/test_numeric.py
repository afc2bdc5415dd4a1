"""Messy tables: how text, dates, missing values and identifiers are converted and reported."""

import sys

import numpy as np
import pandas as pd
import pytest
from load_error import load_error
from sklearn.base import clone

from featsieve.datasets import DataError, load
from featsieve.datasets.numeric import to_numeric

N = 24


def features_of(data, name):
    """Return the features that were computed from a column."""
    index = data.columns.index(name)
    return data.X[:, [origin == index for origin in data.origins]]


def feature_names_of(data, name):
    index = data.columns.index(name)
    pairs = zip(data.feature_names, data.origins, strict=True)
    return [feature for feature, origin in pairs if origin == index]


@pytest.fixture
def messy(tmp_path):
    """A table with everything that real ones have."""
    pytest.importorskip("skrub")
    frame = pd.DataFrame(
        {
            "patient_id": np.arange(N) + 1000,
            "name": [f"P{i:03}" for i in range(N)],
            "age": [None if i in (3, 7) else 20 + i for i in range(N)],
            "sex": [["f", "m"][i % 2] for i in range(N)],
            "stage": [[None, "I", "II", "III"][i % 4] for i in range(N)],
            "smoker": [["yes", "no"][i % 3 == 0] for i in range(N)],
            "seen": [f"2020-0{i % 9 + 1}-1{i % 3}" for i in range(N)],
            "dose": [["-", "unknown"][i // 12] if i in (2, 13) else str(i / 2) for i in range(N)],
            "done": [i % 2 == 0 for i in range(N)],
            "nothing": [None] * N,
            "same": [5] * N,
            "target": [i % 2 for i in range(N)],
        }
    )
    frame.to_csv(tmp_path / "messy.csv", index=False)
    return tmp_path / "messy.csv"


def test_all_features_are_numeric(messy):
    data = load(messy)
    assert np.isfinite(data.X).all()
    assert data.X.shape == (N, len(data.feature_names)) == (N, len(data.origins))
    assert len(set(data.feature_names)) == len(data.feature_names)
    assert data.target_name == "target"
    assert "target" not in data.columns
    assert data.encoded


def test_all_conversions_are_reported(messy):
    assert set(load(messy).notes) == {
        "Column 'dose' contains numbers and 2 other values ('-', 'unknown'), which were read as missing.",
        "3 columns ('sex', 'stage', 'smoker') are categorical and were one-hot encoded.",
        "Column 'seen' contains dates and was split into year, month, day and seconds.",
        "Column 'nothing' is entirely missing and was left out.",
        "Column 'patient_id' contains the names of the samples and is not ranked.",
        "Column 'name' looks like an identifier and was left out.",
        "4 missing values in 2 columns ('age', 'dose') were replaced with medians.",
    }


def test_identifiers_and_empty_columns_have_no_features(messy):
    data = load(messy)
    used = {data.columns[index] for index in data.origins}
    assert used == {"age", "sex", "stage", "smoker", "seen", "dose", "done", "same"}


def test_values(messy):
    data = load(messy)
    index = np.arange(N)
    known = [20 + i for i in range(N) if i not in (3, 7)]
    np.testing.assert_array_equal(
        features_of(data, "age")[:, 0], np.where(np.isin(index, (3, 7)), np.median(known), 20 + index)
    )
    np.testing.assert_array_equal(features_of(data, "done")[:, 0], index % 2 == 0)
    np.testing.assert_array_equal(features_of(data, "sex")[:, 0], index % 2)
    assert feature_names_of(data, "sex") == ["sex_m"]
    assert feature_names_of(data, "stage") == ["stage_I", "stage_II", "stage_III", "stage_nan"]
    np.testing.assert_array_equal(features_of(data, "stage").argmax(axis=1), (index - 1) % 4)
    assert feature_names_of(data, "seen")[:3] == ["seen_year", "seen_month", "seen_day"]
    np.testing.assert_array_equal(features_of(data, "seen")[:, 1], index % 9 + 1)
    assert features_of(data, "dose")[4, 0] == 2.0


def test_preparation_is_fitted_on_a_subset(messy):
    data = load(messy)
    part = np.arange(10)
    prepared = clone(data.preparation).fit(data.raw[part])
    age = data.feature_names.index("age")
    assert prepared.transform(data.raw)[20, age] == data.raw[20, age]
    assert prepared.transform(data.raw)[3, age] == np.nanmedian(data.raw[part, age])
    np.testing.assert_array_equal(clone(data.preparation).fit_transform(data.raw), data.X)


def test_preparation_keeps_columns_that_are_empty_in_a_subset(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i},{'' if i < 5 else i}\n" for i in range(9)))
    data = load(tmp_path / "t.csv")
    assert clone(data.preparation).fit(data.raw[:5]).transform(data.raw).shape == (9, 2)


def test_preparation_is_none_without_missing_values():
    data = load("iris")
    assert data.preparation is None
    assert data.raw is data.X
    assert data.notes == ()
    assert not data.encoded
    assert list(data.origins) == [0, 1, 2, 3]


def test_encoding_does_not_depend_on_the_order_of_samples(messy):
    frame = pd.read_csv(messy)
    expected = load(messy).raw
    reversed_path = messy.with_name("reversed.csv")
    frame[::-1].to_csv(reversed_path, index=False)
    np.testing.assert_array_equal(load(reversed_path).raw[::-1], expected)


def test_encoding_is_deterministic(messy):
    np.testing.assert_array_equal(load(messy).X, load(messy).X)


def test_many_texts_are_hashed(tmp_path):
    pytest.importorskip("skrub")
    rows = "".join(f"word{i % 60} and more of it,{i % 7}\n" for i in range(120))
    (tmp_path / "t.csv").write_text(f"text,n\n{rows}")
    data = load(tmp_path / "t.csv")
    assert data.X.shape == (120, 9)
    assert np.abs(data.X[:, :8]).max() <= 1
    np.testing.assert_array_equal(data.X[:60, :8], data.X[60:, :8])
    assert "Column 'text' has many different texts and was hashed (8 features per column)." in data.notes


def test_best_columns(messy):
    data = load(messy)
    stage = data.feature_names.index("stage_II")
    age = data.feature_names.index("age")
    order = [stage, stage - 1, age, *range(len(data.feature_names))]
    best = data.best_columns(order)
    assert list(best.items())[:2] == [("stage", stage), ("age", age)]
    assert len(best) == 8


def test_encoded_name_that_is_a_column_too(tmp_path):
    pytest.importorskip("skrub")
    rows = "".join(f"{'fmx'[i % 3]},{i % 5}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"sex,sex_f\n{rows}")
    assert load(tmp_path / "t.csv").feature_names == ["sex_f_2", "sex_m", "sex_x", "sex_f"]


@pytest.mark.parametrize(
    "name", ["id", "ID", "patient_id", "PatientID", "patientId", "hospital number", "row", "index", "nr"]
)
def test_identifiers(tmp_path, name):
    rows = "".join(f"{(i * 37) % 101},{i % 5}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"{name},b\n{rows}")
    assert load(tmp_path / "t.csv").feature_names == ["b"]
    assert load(tmp_path / "t.csv", strict=True).feature_names == [name, "b"]


@pytest.mark.parametrize("name", ["acid", "fluid", "paid", "width", "narrow", "piano", "time", "VOID"])
def test_not_identifiers(tmp_path, name):
    rows = "".join(f"{i},{i % 5}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"{name},b\n{rows}")
    assert load(tmp_path / "t.csv").feature_names == [name, "b"]


def test_an_index_with_few_values_or_fractions_is_a_feature(tmp_path):
    rows = "".join(f"{i % 4},{i / 7:.3f}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"body_index,price_index\n{rows}")
    assert load(tmp_path / "t.csv").feature_names == ["body_index", "price_index"]


def test_texts_among_numbers_are_missing(tmp_path):
    rows = "".join(f"{'oops' if i == 4 else i * i},{i % 3}\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"a,b\n{rows}")
    data = load(tmp_path / "t.csv")
    assert np.isnan(data.raw[4, 0])
    assert data.raw[5, 0] == 25
    assert "Column 'a' contains numbers and 1 other value ('oops'), which was read as missing." in data.notes


def test_error_if_no_columns_remain(tmp_path):
    (tmp_path / "t.csv").write_text("b,id\n,1\n,2\n,3\n")
    with pytest.raises(
        DataError, match=r"t\.csv: no columns remain to rank\. .*entirely missing.*identifier"
    ):
        load(tmp_path / "t.csv")


def test_broken_skrub(messy, tmp_path, monkeypatch):
    (tmp_path / "skrub.py").write_text("from sklearn import a_name_it_lost")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "skrub")
    with pytest.raises(
        DataError, match=r"needs skrub, which cannot be imported \(cannot import name 'a_name"
    ):
        load(messy, target="target")


def test_without_skrub(messy, monkeypatch):
    monkeypatch.setitem(sys.modules, "skrub", None)
    with pytest.raises(DataError, match=r"needs skrub: pip install 'featsieve\[tables\]'$"):
        load(messy)
    numbers = load(messy, drop=["name", "sex", "stage", "smoker", "seen"])
    assert numbers.feature_names == ["age", "dose", "done", "same"]


@pytest.mark.parametrize("gap", ["\u2028", "\u00a0\u00a0", "..", "..."])
def test_text_that_only_means_missing_is_an_empty_column(tmp_path, gap):
    pytest.importorskip("skrub")
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [gap] * 3, "c": ["u", "v", "u"]}).to_csv(path, index=False)
    data = load(path)
    assert {data.columns[index] for index in data.origins} >= {"a", "c"}
    assert np.isfinite(data.X).all()


def test_a_column_of_blanks_is_left_out(tmp_path):
    pytest.importorskip("skrub")
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["\u2028"] * 3}).to_csv(path, index=False)
    data = load(path)
    assert data.feature_names == ["a"]
    assert data.notes == ("Column 'b' is entirely missing and was left out.",)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_beyond_float_range_are_infinite(tmp_path, sign, strict):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n{sign}{'9' * 400},1\n{sign}{'9' * 400},3\n,True\n")
    with pytest.raises(DataError, match="column 'a' has 2 infinite values"):
        load(path, strict=strict, drop=["b"])


@pytest.mark.slow
def test_one_row_of_text_is_refused_before_thousands_of_columns_are_encoded(tmp_path):
    # a file whose line breaks became spaces: "0 0.362" is text, in one of six columns
    path = tmp_path / "spaces.csv"
    path.write_text(",".join(["0.126", "-0.132", "0 0.362"] * 3000) + "\n")
    with pytest.raises(DataError, match=r"at least 2 rows, and the table has 1 row"):
        load(path)


def test_many_text_columns_of_numbers():
    names = [f"c{index}" for index in range(2000)]
    frame = pd.DataFrame(
        [["1", "?"] * 1000, ["2", " 3 "] * 1000, [None, "-"] * 1000], columns=names, dtype=object
    )
    encoded = to_numeric(frame, "wide")
    assert encoded.names == names
    np.testing.assert_array_equal(encoded.X[:, 0], [1, 2, np.nan])
    np.testing.assert_array_equal(encoded.X[:, 1], [np.nan, 3, np.nan])


GOOD = "height,width,flag,kind\n1.5,2,True,a\n2.5,3,False,b\n3.5,5,True,a\n"


def test_error_for_text_suggests_both_remedies(table):
    message = load_error(table(GOOD), strict=True)
    assert "column 'kind' contains text ('a')" in message
    assert "--drop kind" in message
    assert "--target kind" in message


def test_text_is_not_suggested_as_labels_if_there_are_labels(table):
    assert "--target" not in load_error(table(GOOD), target="flag", strict=True)


def test_many_text_columns(table):
    message = load_error(table("v,w,x,y z,n\n" + "a,b,c,d,1\n" * 2), strict=True)
    assert "4 columns ('v', 'w', 'x' and 1 more) contain text" in message
    assert "--drop 'v,w,x,y z'" in message


def test_row_numbers_are_not_a_feature(table):
    path = table(",a,b\n0,1,2\n1,3,5\n")
    assert "--drop 'Unnamed: 0'" in load_error(path, strict=True)
    assert load(path, drop=["Unnamed: 0"], strict=True).feature_names == ["a", "b"]
    assert load(path).feature_names == ["a", "b"]
