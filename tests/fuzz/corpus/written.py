"""Files that featsieve writes."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from featsieve.datasets import load, save
from featsieve.datasets.formats import Format
from fuzz.corpus.sample import Layer, Sample, X, Y


def written_samples(record: Format) -> Iterator[Sample]:
    """Yield a file for each extension of a format, written by the ``write`` of its record."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source.csv")
        pd.DataFrame(X, columns=list("abcde")).assign(target=Y).to_csv(source, index=False)
        dataset = load(source)
        for suffix in record.extensions:
            path = save(dataset, dataset.columns, Path(folder, f"t{suffix}"))
            content = path.read_bytes()
            yield Sample(f"{record.name}-{suffix[1:]}", suffix, (Layer(content, text=_is_text(content)),))


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content
