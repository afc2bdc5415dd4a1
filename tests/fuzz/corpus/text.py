"""Files of text: tables, ARFF and svmlight, plain and compressed."""

import bz2
import gzip
import lzma
from collections.abc import Iterator

import numpy as np
import pandas as pd

from fuzz.corpus.sample import THIN, WORDS, Layer, Sample, X, Y

COMPRESS = {
    ".gz": lambda content: gzip.compress(content, 1, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lambda content: lzma.compress(content, preset=0),
}


def _text(name: str, ending: str, text: str, encoding: str = "utf-8") -> Sample:
    if encoding == "utf-8":
        return Sample(name, ending, (Layer(text.encode(), text=True),))
    content = text.encode(encoding)
    inner = Layer(
        text.encode(), lambda changed: changed.decode(errors="replace").encode(encoding, "replace"), text=True
    )
    return Sample(name, ending, (Layer(content), inner))


def _compressed(sample: Sample, suffix: str) -> Sample:
    compress = COMPRESS[suffix]
    name = f"{sample.name}-{suffix[1:]}"
    inner = Layer(sample.content, compress, text=True)
    return Sample(name, sample.ending + suffix, (Layer(compress(sample.content)), inner))


def _frame() -> pd.DataFrame:
    return pd.DataFrame(X, columns=list("abcde"))


def _rows(separator: str) -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in X)


def csv() -> Iterator[Sample]:
    """Tables in the dialects that people write."""
    numbers = _frame().assign(target=Y)
    plain = _text("csv-numbers", ".csv", numbers.to_csv(index=False))
    yield _text("csv-words", ".csv", _frame().assign(kind=WORDS, target=Y).to_csv(index=False))
    yield plain
    yield _text("csv-semicolon", ".csv", numbers.to_csv(index=False, sep=";", decimal=","))
    yield _text("csv-crlf", ".csv", numbers.to_csv(index=False, sep="|", lineterminator="\r\n"))
    yield _text("csv-bare", ".csv", _rows(","))
    gaps = numbers.astype(object).mask(np.abs(np.c_[X, Y]) < 0.2, "?").assign(target=Y)
    yield _text("csv-gaps", ".csv", gaps.rename(columns={"a": "patient id"}).to_csv())
    quotes = numbers.assign(
        note=['say "so"', "a, b", "two\nlines"] * 4, when=[f"2020-01-{i + 1:02}" for i in Y]
    )
    yield _text("csv-quotes", ".csv", quotes.to_csv(index=False))
    yield _text("csv-latin1", ".csv", numbers.to_csv(index=False).replace("a,", "größe,"), "latin-1")
    yield _text("csv-utf16", ".csv", numbers.to_csv(index=False), "utf-16")
    yield _text("csv-utf8sig", ".csv", numbers.to_csv(index=False), "utf-8-sig")
    yield from (_compressed(plain, suffix) for suffix in COMPRESS)


def tsv() -> Iterator[Sample]:
    """Tables between tabs."""
    plain = _text("tsv-numbers", ".tsv", _frame().assign(target=Y).to_csv(index=False, sep="\t"))
    yield plain
    yield _compressed(plain, ".gz")


def txt() -> Iterator[Sample]:
    """Tables between spaces, as numpy.savetxt and MATLAB write them."""
    yield _text("txt-savetxt", ".txt", "# a b c d e\n" + _rows(" "))
    yield _text("txt-aligned", ".txt", _frame().to_string(index=False) + "\n")
    yield _text("txt-bare", ".data", _rows("   "))


def data() -> Iterator[Sample]:
    """Tables of the UCI repository: no header, ? for a gap, the class last."""
    rows = [",".join(map(str, row)) + f",class-{label}" for row, label in zip(X, Y, strict=True)]
    yield _text("data-uci", ".data", "\n".join(rows).replace("0.105", "?") + "\n")


def arff() -> Iterator[Sample]:
    """Tables of Weka."""
    rows = "\n".join(",".join(map(str, row)) + f",'c {label}'" for row, label in zip(X, Y, strict=True))
    names = "\n".join(f"@attribute {name} real" for name in "abcde")
    classes = "@attribute class {'c 0','c 1','c 2'}"
    dense = _text("arff-dense", ".arff", f"@relation r\n{names}\n{classes}\n@data\n{rows}\n")
    yield dense
    sparse = "\n".join(
        "{" + ", ".join(f"{i} {value}" for i, value in enumerate(row) if value) + f", 5 'c {label}'}}"
        for row, label in zip(THIN, Y, strict=True)
    )
    yield _text("arff-sparse", ".arff", f"@relation r\n{names}\n{classes}\n@data\n{sparse}\n")
    mixed = "".join(
        f"{row[0]},'it\\'s {label}',\"2020-01-0{label + 1}\",?\n" for row, label in zip(X, Y, strict=True)
    )
    kinds = ("'the a' numeric", "b string", "c date 'yyyy-MM-dd'", "d integer")
    header = "\n".join(f"@attribute {kind}" for kind in kinds)
    yield _text("arff-mixed", ".arff", f"% a comment\n@RELATION 'r s'\n{header}\n\n@DATA\n{mixed}")
    yield _compressed(dense, ".gz")


def svmlight() -> Iterator[Sample]:
    """Sparse samples as text."""
    dense = [" ".join(f"{i + 1}:{value}" for i, value in enumerate(row)) for row in X]
    plain = _text("svmlight-dense", ".svm", "".join(f"{y} {row}\n" for y, row in zip(Y, dense, strict=True)))
    yield plain
    thin = [" ".join(f"{i}:{value}" for i, value in enumerate(row) if value) for row in THIN]
    rows = "".join(f"{y} qid:{y} {row} # row\n" for y, row in zip(Y, thin, strict=True))
    yield _text("svmlight-thin", ".svmlight", f"# a comment\n{rows}")
    yield _compressed(plain, ".bz2")
