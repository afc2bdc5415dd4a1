"""Numbers as people write them."""

import math

import pytest

from featsieve.datasets.notation import decimal_mark, notation_notes, read_number, read_numerals, resolve


@pytest.mark.parametrize(
    ("text", "value", "mark"),
    [
        ("12", 12, None),
        ("-1.5e3", -1500, "."),
        ("\u22122.5", -2.5, "."),
        ("0,5", 0.5, ","),
        (",5", 0.5, ","),
        ("12,25", 12.25, ","),
        ("5.123,45", 5123.45, ","),
        ("1.234.567", 1234567, ","),
        ("5,123.45", 5123.45, "."),
        ("1,234,567", 1234567, "."),
        ("1 234,5", 1234.5, ","),
        ("1\u00a0234\u00a0567", 1234567, None),
        ("1\u202f234.5", 1234.5, "."),
        ("1'234.5", 1234.5, "."),
    ],
)
def test_unambiguous_numbers(text, value, mark):
    number = read_number(text)
    assert (number.value, number.mark, number.grouped) == (value, mark, None)


@pytest.mark.parametrize("text", ["1,234", "12.345", "-999,000"])
def test_three_digits_after_one_mark_are_ambiguous(text):
    number = read_number(text)
    plain = float(text.replace(",", "."))
    assert resolve(number, text.strip("-0123456789")) == plain
    assert resolve(number, "," if "." in text else ".") == pytest.approx(1000 * plain)


@pytest.mark.parametrize(
    "text", ["", "a", "1,23,4", "1.2.3", "12 34", "1_000", "2020-01-02", "1,2,3", "12,3456,789", "<1", "1 23"]
)
def test_not_numbers(text):
    assert read_number(text) is None


def test_limits():
    numerals = read_numerals(["<0.1", "> 1.000,5", ">=7", "≤ 2", "< LOD", ">ULOQ", "3", "<b", "LOD"])
    assert numerals.censored == ["<0.1", "> 1.000,5", ">=7", "≤ 2", "< LOD", ">ULOQ"]
    assert numerals.others == ["<b", "LOD"]
    assert numerals.n_exact == 1
    values = numerals.values(".")
    assert values[:7] == [0.1, 1000.5, 7, 2, 0.1, 1000.5, 3]
    assert all(map(math.isnan, values[7:]))


@pytest.mark.parametrize(
    ("texts", "default", "mark"),
    [
        (["1,5", "1.5", "2,5"], ".", ","),
        (["1,234"], ",", ","),
        (["1,234"], ".", "."),
        (["1,5", "1.5"], ",", ","),
    ],
)
def test_decimal_mark_is_that_of_most_values(texts, default, mark):
    assert decimal_mark([read_numerals(texts)], default) == mark


def test_plain_columns_have_no_notes():
    columns = {"a": read_numerals(["1.234", "5", "nan"])}
    assert notation_notes(columns, {"a": "."}) == []
    assert len(notation_notes(columns, {"a": ","})) == 1


def test_notes_of_many_columns_are_short():
    columns = {f"c{i}": read_numerals(["<1", "2"]) for i in range(40)}
    (note,) = notation_notes(columns, dict.fromkeys(columns, "."))
    assert note.startswith("40 censored values ('<1')")
    assert note.endswith("'c9' 1 and 30 more columns.")
