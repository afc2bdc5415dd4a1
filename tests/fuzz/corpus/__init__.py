"""Whole files of every format that featsieve reads.

Made anew by code, byte for byte the same with the same versions of the libraries that write them.
"""

import functools
import importlib

from fuzz.corpus.sample import THIN, WORDS, Layer, Sample, X, Y

__all__ = ["FORMATS", "ISOLATED", "THIN", "WORDS", "Layer", "Sample", "X", "Y", "sample", "samples"]

# Format -> the module that makes its files; the libraries are imported when one is made.
FORMATS = {
    "csv": "text",
    "tsv": "text",
    "txt": "text",
    "data": "text",
    "arff": "text",
    "svmlight": "text",
    "npy": "arrays",
    "npz": "arrays",
    "mat": "arrays",
    "mat73": "hdf5",
    "h5ad": "hdf5",
    "parquet": "columnar",
    "feather": "columnar",
}

# Those that the command reads in a process of its own: a crash or hang of their libraries is contained there.
ISOLATED = ("mat", "mat73", "h5ad", "parquet", "feather")


@functools.cache
def samples(kind: str) -> tuple[Sample, ...]:
    """The whole files of a format."""
    module = importlib.import_module(f"fuzz.corpus.{FORMATS[kind]}")
    return tuple(getattr(module, kind)())


def sample(name: str) -> Sample:
    """The whole file of that name, such as "csv-words"."""
    return next(each for each in samples(name.partition("-")[0]) if each.name == name)
