"""Tables of text, plain and compressed."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from fuzz.corpus.sample import COMPRESS, WORDS, Sample, X, Y, compressed_sample, text_sample


def _frame() -> pd.DataFrame:
    return pd.DataFrame(X, columns=list("abcde"))


def _rows(separator: str) -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in X)


def csv() -> Iterator[Sample]:
    """Yield tables in common dialects, with commas and tabs."""
    numbers = _frame().assign(target=Y)
    plain = text_sample("csv-numbers", ".csv", numbers.to_csv(index=False))
    yield text_sample("csv-words", ".csv", _frame().assign(kind=WORDS, target=Y).to_csv(index=False))
    yield plain
    yield text_sample("csv-semicolon", ".csv", numbers.to_csv(index=False, sep=";", decimal=","))
    yield text_sample("csv-crlf", ".csv", numbers.to_csv(index=False, sep="|", lineterminator="\r\n"))
    yield text_sample("csv-bare", ".csv", _rows(","))
    missing = numbers.astype(object).mask(np.abs(np.c_[X, Y]) < 0.2, "?").assign(target=Y)
    yield text_sample("csv-missing", ".csv", missing.rename(columns={"a": "patient id"}).to_csv())
    quotes = numbers.assign(
        note=['say "so"', "a, b", "two\nlines"] * 4, when=[f"2020-01-{i + 1:02}" for i in Y]
    )
    yield text_sample("csv-quotes", ".csv", quotes.to_csv(index=False))
    yield text_sample("csv-latin1", ".csv", numbers.to_csv(index=False).replace("a,", "größe,"), "latin-1")
    yield text_sample("csv-utf16", ".csv", numbers.to_csv(index=False), "utf-16")
    yield text_sample("csv-utf8sig", ".csv", numbers.to_csv(index=False), "utf-8-sig")
    yield from (compressed_sample(plain, suffix) for suffix in COMPRESS)
    tabs = text_sample("csv-tabs", ".tsv", numbers.to_csv(index=False, sep="\t"))
    yield tabs
    yield compressed_sample(tabs, ".gz")


def txt() -> Iterator[Sample]:
    """Yield tables with spaces, as numpy.savetxt and MATLAB write them, and tables of the UCI repository."""
    yield text_sample("txt-savetxt", ".txt", "# a b c d e\n" + _rows(" "))
    yield text_sample("txt-aligned", ".txt", _frame().to_string(index=False) + "\n")
    yield text_sample("txt-bare", ".data", _rows("   "))
    rows = [",".join(map(str, row)) + f",class-{label}" for row, label in zip(X, Y, strict=True)]
    yield text_sample("txt-uci", ".data", "\n".join(rows).replace("0.105", "?") + "\n")
