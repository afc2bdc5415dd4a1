"""Tables of Weka."""

from collections.abc import Iterator

from fuzz.corpus.sample import SPARSE_X, Sample, X, Y, compressed_sample, text_sample


def arff() -> Iterator[Sample]:
    """Yield tables with dense rows, sparse rows and all types of attributes."""
    rows = "\n".join(",".join(map(str, row)) + f",'c {label}'" for row, label in zip(X, Y, strict=True))
    names = "\n".join(f"@attribute {name} real" for name in "abcde")
    classes = "@attribute class {'c 0','c 1','c 2'}"
    dense = text_sample("arff-dense", ".arff", f"@relation r\n{names}\n{classes}\n@data\n{rows}\n")
    yield dense
    sparse = "\n".join(
        "{" + ", ".join(f"{i} {value}" for i, value in enumerate(row) if value) + f", 5 'c {label}'}}"
        for row, label in zip(SPARSE_X, Y, strict=True)
    )
    yield text_sample("arff-sparse", ".arff", f"@relation r\n{names}\n{classes}\n@data\n{sparse}\n")
    mixed = "".join(
        f"{row[0]},'it\\'s {label}',\"2020-01-0{label + 1}\",?\n" for row, label in zip(X, Y, strict=True)
    )
    attributes = ("'the a' numeric", "b string", "c date 'yyyy-MM-dd'", "d integer")
    header = "\n".join(f"@attribute {attribute}" for attribute in attributes)
    yield text_sample("arff-mixed", ".arff", f"% a comment\n@RELATION 'r s'\n{header}\n\n@DATA\n{mixed}")
    yield compressed_sample(dense, ".gz")
