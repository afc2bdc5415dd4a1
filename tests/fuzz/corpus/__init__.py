"""Valid files of every format that featsieve reads.

Each module of ``featsieve.datasets.formats`` has a module of the same name here, with a function per format.
The files are generated, and identical with the same versions of the libraries that write them.
"""

import functools
import importlib

from featsieve.datasets.formats import all_formats
from fuzz.corpus.sample import SPARSE_X, WORDS, Layer, Sample, X, Y

__all__ = ["FORMATS", "ISOLATED", "SPARSE_X", "WORDS", "Layer", "Sample", "X", "Y", "sample", "samples"]

FORMATS = {record.name: record for record in all_formats()}

# Formats that the command reads in a separate process, which contains crashes and hangs.
ISOLATED = tuple(record.name for record in all_formats() if record.fragile)


@functools.cache
def samples(name: str) -> tuple[Sample, ...]:
    """Return the valid files of a format."""
    module = FORMATS[name].read.__module__.rpartition(".")[2]
    return tuple(getattr(importlib.import_module(f"fuzz.corpus.{module}"), name)())


def sample(name: str) -> Sample:
    """Return the valid file with this name, such as "csv-words"."""
    return next(sample for sample in samples(name.partition("-")[0]) if sample.name == name)
