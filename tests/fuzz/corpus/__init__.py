"""Valid files of every format that featsieve reads.

A format has a function here, or its own ``write`` creates a file for each extension. The function yields
variants that ``write`` does not create. Its name is the first extension of the format without the dot (such
as ``csv``), and its module has the name of the module in ``featsieve.datasets.formats`` (such as ``text``).
The files are generated, and identical with the same versions of the libraries that write them.
"""

import functools
import importlib
import importlib.util
from collections.abc import Callable, Iterable

from featsieve.datasets.formats import Format, all_formats
from fuzz.corpus.sample import SPARSE_X, WORDS, Layer, Sample, X, Y
from fuzz.corpus.written import written_samples

__all__ = ["FORMATS", "ISOLATED", "SPARSE_X", "WORDS", "Layer", "Sample", "X", "Y", "sample", "samples"]


def corpus_module(record: Format) -> str:
    """Return the name of the module here that may contain a function for a format."""
    return f"{__name__}.{record.read.__module__.rpartition('.')[2]}"


def find_generator(record: Format) -> Callable[[], Iterable[Sample]] | None:
    """Return the function that yields the valid files of a format, None if there is none."""
    name = corpus_module(record)
    if importlib.util.find_spec(name):
        generator = getattr(importlib.import_module(name), record.name, None)
        if generator:
            return generator
    return functools.partial(written_samples, record) if record.write else None


_GENERATORS = {record.name: find_generator(record) for record in all_formats()}
FORMATS = {record.name: record for record in all_formats() if _GENERATORS[record.name]}

# Formats that the command reads in a separate process, which contains crashes and hangs.
ISOLATED = tuple(record.name for record in all_formats() if record.fragile)


@functools.cache
def samples(name: str) -> tuple[Sample, ...]:
    """Return the valid files of a format."""
    return tuple(_GENERATORS[name]())


def sample(name: str) -> Sample:
    """Return the valid file with this name, such as "csv-words"."""
    return next(sample for sample in samples(name.partition("-")[0]) if sample.name == name)
