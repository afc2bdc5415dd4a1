"""Data to rank: the files people have, and the datasets that scikit-learn ships."""

from featsieve.datasets.catalog import Entry, catalog
from featsieve.datasets.embedded import names
from featsieve.datasets.errors import DataError, DataNotFoundError
from featsieve.datasets.load import Dataset, load
from featsieve.datasets.save import save

__all__ = ["DataError", "DataNotFoundError", "Dataset", "Entry", "catalog", "load", "names", "save"]
