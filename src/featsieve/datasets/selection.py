"""Columns of a dataset, in the forms that file formats need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from featsieve.datasets.errors import DataError, quote
from featsieve.datasets.table import Table

if TYPE_CHECKING:
    from featsieve.datasets.loading import Dataset


@dataclass(frozen=True)
class Selection:
    """Columns of a dataset to write.

    Attributes
    ----------
    dataset : Dataset
        Source of the columns and labels.
    features : Table
        Columns to write.
    suffix : str
        Extension of the file, for messages.
    ranking : DataFrame or None
        Columns "rank", "score" and "selected" for each column of the dataset, for formats that store them.
    """

    dataset: Dataset
    features: Table
    suffix: str
    ranking: Any = None

    def matrix(self) -> Any:
        """Return the features as numbers, with NaN for missing values; DataError if one is text."""
        from featsieve.datasets.numeric import first_text

        if not self.features.is_frame:
            values = self.features.values
            return values.load() if hasattr(values, "load") else values
        for column in self.features.columns:
            text = first_text(self.features.column(column))
            if text is not None:
                raise DataError(
                    f"column {quote(column)} contains text ({quote(text)}), which {self.suffix} files "
                    "cannot contain: write .csv, .parquet or .arff."
                )
        return self.features.values.astype("float64").to_numpy()

    def dense_matrix(self) -> Any:
        """Return the features as a dense array."""
        X = self.matrix()
        return X.toarray() if hasattr(X, "toarray") else X

    def frame(self) -> Any:
        """Return the features and the labels; labels from outside the table become the last column."""
        import pandas as pd

        columns, table, target = self.features.columns, self.dataset.table, self.dataset.target_name
        extra = self.dataset.extra_columns
        targets = [target] if target in table.columns else (target or "").split(",")
        if table.is_frame:
            frame = table.keep([*columns, *targets, *extra]).values
        else:
            frame = pd.DataFrame(self.dense_matrix(), columns=columns)
        frame = self._with_row_names(frame)
        if self.dataset.y is None or set(targets) <= set(table.columns):
            return frame
        name = next(name for name in ("target", str(target), "target_") if name not in frame.columns)
        return frame.assign(**{name: self.dataset.y})

    def _with_row_names(self, frame: Any) -> Any:
        """Insert the names of the samples if they are stored apart from the columns."""
        names = self.dataset.table.row_names
        if names is None:
            return frame
        column = next(name for name in ("sample_id", "sample_id_") if name not in frame.columns)
        frame = frame.copy()
        frame.insert(0, column, names)
        return frame
