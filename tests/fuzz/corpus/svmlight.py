"""Sparse samples as text."""

from collections.abc import Iterator

from fuzz.corpus.sample import SPARSE_X, Sample, X, Y, compressed_sample, text_sample


def svmlight() -> Iterator[Sample]:
    """Yield dense and sparse rows, with indices from 1 and from 0."""
    dense = [" ".join(f"{i + 1}:{value}" for i, value in enumerate(row)) for row in X]
    plain = text_sample(
        "svmlight-dense", ".svm", "".join(f"{y} {row}\n" for y, row in zip(Y, dense, strict=True))
    )
    yield plain
    sparse = [" ".join(f"{i}:{value}" for i, value in enumerate(row) if value) for row in SPARSE_X]
    rows = "".join(f"{y} qid:{y} {row} # row\n" for y, row in zip(Y, sparse, strict=True))
    yield text_sample("svmlight-sparse", ".svmlight", f"# a comment\n{rows}")
    yield compressed_sample(plain, ".bz2")
