"""Columnar tables: Parquet and Feather."""

import io
import warnings
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from fuzz.corpus.sample import WORDS, Sample, X, Y, binary_sample


def _numbers() -> pd.DataFrame:
    return pd.DataFrame(X, columns=list("abcde")).assign(target=Y)


def _many_types() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "small": np.arange(12, dtype=np.int8),
            "single": X[:, 0].astype(np.float32),
            "nullable": pd.array([None, *range(1, 12)], dtype="Int64"),
            "kind": pd.Categorical(WORDS),
            "word": WORDS,
            "when": pd.date_range("2020-01-01", periods=12),
            "wait": pd.to_timedelta(np.arange(12), unit="min"),
            "price": [Decimal(i) / 4 for i in range(12)],
            "flag": [True, None, False] * 4,
            "target": Y,
        }
    )


def _bytes_of_table(frame: pd.DataFrame, write: Any, **options: Any) -> bytes:
    import pyarrow as pa

    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # for the first version of Feather
        write(pa.Table.from_pandas(frame), buffer, **options)
    return buffer.getvalue()


def parquet() -> Iterator[Sample]:
    """Yield all codecs, both versions of pages, and columns of many types."""
    from pyarrow.parquet import write_table

    for codec in ("snappy", "none", "gzip", "brotli", "zstd", "lz4"):
        yield binary_sample(
            f"parquet-{codec}", ".parquet", _bytes_of_table(_numbers(), write_table, compression=codec)
        )
    pages = {"compression": "none", "data_page_version": "2.0", "row_group_size": 5}
    yield binary_sample("parquet-pages2", ".parquet", _bytes_of_table(_numbers(), write_table, **pages))
    yield binary_sample(
        "parquet-types", ".parquet", _bytes_of_table(_many_types(), write_table, compression="none")
    )


def feather() -> Iterator[Sample]:
    """Yield both versions and all codecs."""
    from pyarrow.feather import write_feather

    for codec in ("lz4", "uncompressed", "zstd"):
        yield binary_sample(
            f"feather-{codec}", ".feather", _bytes_of_table(_numbers(), write_feather, compression=codec)
        )
    yield binary_sample(
        "feather-types", ".feather", _bytes_of_table(_many_types(), write_feather, compression="uncompressed")
    )
    yield binary_sample("feather-version1", ".feather", _bytes_of_table(_numbers(), write_feather, version=1))
