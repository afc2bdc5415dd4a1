"""From a name or a file to a matrix of numbers, labels, and the names of the columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.datasets import formats
from featsieve.datasets.catalog import image_shape
from featsieve.datasets.embedded import read_embedded
from featsieve.datasets.errors import DataError, columns_note, error_reason
from featsieve.datasets.locate import locate
from featsieve.datasets.missing import check_values, imputation_note, median_imputer, quiet_nans
from featsieve.datasets.numeric import EMPTY, Features, to_numeric, to_numeric_strict
from featsieve.datasets.openml import PREFIX, read_openml
from featsieve.datasets.options import TableOptions
from featsieve.datasets.orientation import drop_before_transposing, transpose_table
from featsieve.datasets.roles import assign_roles, split_names
from featsieve.datasets.table import Table
from featsieve.engines.chunked import Chunked
from featsieve.engines.memory import chunked_files
from featsieve.notebook import dataset_html, describe_dataset

if TYPE_CHECKING:
    from sklearn.impute import SimpleImputer


@dataclass(frozen=True, eq=False)
class Dataset:
    """Numeric features and labels, ready to be ranked.

    Parameters
    ----------
    name : str
        Name of the file or of the embedded dataset.
    X : {ndarray, sparse matrix, Chunked} of shape (n_samples, n_features)
        Finite numbers; missing values are replaced with medians. With ``TableOptions(chunks=True)``, data
        that does not fit in the working memory is not read.
    y : ndarray of shape (n_samples,) or None
        Labels, None if there are none.
    feature_names : list of str
        Names of the columns of X.
    target_name : str or None
        Name of the column or array of the labels.
    columns : list of str
        Columns of the file that may be features. They are the features, unless text or dates were encoded or
        columns were left out.
    origins : sequence of int of length n_features
        Index in ``columns`` of the column that each feature was computed from.
    raw : {ndarray, sparse matrix} of shape (n_samples, n_features)
        X with NaN for missing values.
    preparation : SimpleImputer or None
        Unfitted estimator that computes X from ``raw``, to be fitted on the training set of each split; None
        if no value is missing.
    notes : tuple of str
        Conversions, as sentences.
    table : Table
        Contents of the file, not converted.
    path : Path or None
        The file, None if the data does not come from a file.
    image_shape : str or None
        Height x width if the features are the pixels of an image; F if they are stored column by column.
    sample_names : ndarray of shape (n_samples,) or None
        Names of the samples.
    groups : ndarray of shape (n_samples,) or None
        Groups of samples, such as patients or batches, which splits keep together.
    extra_columns : tuple of str
        Columns of ``table`` with the names and the groups, which are written beside the features.

    See Also
    --------
    load : Read a dataset.
    save : Write columns of a dataset.

    Examples
    --------
    >>> import featsieve.datasets
    >>> iris = featsieve.datasets.load("iris")
    >>> iris.X.shape, iris.y.shape, iris.feature_names[0]
    ((150, 4), (150,), 'sepal length (cm)')
    """

    name: str
    X: Any
    y: np.ndarray | None
    feature_names: list[str]
    target_name: str | None
    columns: list[str]
    origins: Sequence[int]
    raw: Any
    preparation: SimpleImputer | None
    notes: tuple[str, ...]
    table: Table
    path: Path | None = None
    image_shape: str | None = None
    sample_names: np.ndarray | None = None
    groups: np.ndarray | None = None
    extra_columns: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{describe_dataset(self)}>"

    def _repr_html_(self) -> str:
        return dataset_html(self)

    @property
    def encoded(self) -> bool:
        """Whether a feature is not a column of the file."""
        return [self.columns[index] for index in self.origins] != self.feature_names

    def best_columns(self, order: Iterable[int]) -> dict[str, int]:
        """Rank the columns of the file by their best feature.

        Parameters
        ----------
        order : iterable of int
            Indices of the features, best first, such as ``order_`` of a fitted selector.

        Returns
        -------
        dict of str to int
            The best feature of each column, best first.
        """
        best: dict[str, int] = {}
        for feature in order:
            best.setdefault(self.columns[self.origins[feature]], int(feature))
        return best

    def subsample(self, n_samples: int, seed: int) -> Dataset:
        """Draw samples at random, without replacement.

        Parameters
        ----------
        n_samples : int
            Number of samples to draw.
        seed : int
            Seed of the random draw.

        Returns
        -------
        Dataset
            The samples in their original order, with a note that states how many were drawn; the dataset
            itself if it has no more samples.
        """
        total = self.X.shape[0]
        if total <= n_samples:
            return self
        rows = np.sort(np.random.default_rng(seed).permutation(total)[:n_samples])
        note = f"{n_samples} of the {total} samples were drawn at random; the remaining samples are not used."
        y, names, groups = (
            None if values is None else values[rows] for values in (self.y, self.sample_names, self.groups)
        )
        return replace(
            self,
            X=self.X[rows],
            raw=self.raw[rows],
            y=y,
            sample_names=names,
            groups=groups,
            notes=(*self.notes, note),
        )


def load(
    source: str | os.PathLike[str],
    target: str | None = None,
    drop: Iterable[str] = (),
    samples: str | None = None,
    strict: bool = False,
    *,
    isolated: bool = False,
    options: TableOptions = TableOptions(),  # noqa: B008
) -> Dataset:
    """Read data from a file, from a dataset included in scikit-learn, or from openml.org.

    Tables need not be clean: encoding, separator and header are detected, text and dates are converted to
    numbers, identifiers and empty columns are left out, and missing values are replaced with medians.
    ``notes`` of the result lists all conversions.

    Parameters
    ----------
    source : str or path-like
        File with one of the extensions that :func:`featsieve.datasets.extensions` lists; text may be
        compressed (.csv.gz). Or a name from :func:`featsieve.datasets.names`, ``openml:NAME`` or
        ``openml:NUMBER``. Or a name from :func:`featsieve.datasets.catalog`, or a file, with or without its
        extension, in the folder that the environment variable FEATSIEVE_DATA names.
    target : str, default=None
        Column or array with the labels; for .h5ad files, a column of obs. By default, the column with the
        name "target", in upper or lower case, or the array with the name Y, y or gnd, if there is one.
    drop : iterable of str, default=()
        Columns to leave out.
    samples : str, default=None
        Array with one sample per row, for files with several arrays; for .h5ad files, a layer. By default,
        the array with the name X, fea or data.
    strict : bool, default=False
        Do not convert columns: refuse text and missing values, and keep identifiers.
    isolated : bool, default=False
        Read files in a separate process if their format is fragile, as the command does. A damaged file may
        crash the library that reads it or make it loop forever; with ``isolated`` the result is a DataError.
        The time limit is 60 seconds and 1 more per MB, or the value of the environment variable
        FEATSIEVE_READ_TIMEOUT.
    options : TableOptions, default=TableOptions()
        Columns of sample names and groups, orientation, and what to do with samples without a label.

    Returns
    -------
    Dataset
        Features, labels and names.

    Raises
    ------
    DataError
        If the data cannot be read or ranked. The message is one line with the file, the column and the
        remedy.

    See Also
    --------
    save : Write columns of a dataset.
    catalog : Datasets of the papers.

    Examples
    --------
    >>> import featsieve.datasets
    >>> wine = featsieve.datasets.load("wine", drop=["alcohol"])
    >>> wine.X.shape, wine.feature_names[0], wine.target_name
    ((178, 12), 'malic_acid', 'target')
    """
    location = locate(source)
    name = location if isinstance(location, str) else location.name
    try:
        wanted = tuple(name for name in (*split_names(target), options.id, options.groups) if name)
        with chunked_files() if options.chunks else nullcontext():
            table = _read(location, samples, wanted, isolated)
    except OSError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} cannot be read: {error_reason(error)}.") from error
    dropped = [drop] if isinstance(drop, str) else list(drop)
    if options.transpose:
        table, dropped = drop_before_transposing(table, dropped)
        table = transpose_table(table, name)
    roles = assign_roles(table, target, dropped, options, name, strict)
    table, columns, y = roles.table, roles.features, roles.y
    if not columns.columns:
        raise DataError(f"{name}: no columns remain to rank.")
    with np.errstate(invalid="ignore"):  # caused by signaling NaNs, which are missing values
        if columns.is_frame and not strict:
            features = to_numeric(columns.values, name, table.decimal)
        else:
            X = to_numeric_strict(columns.values, name, y is not None) if columns.is_frame else columns.values
            features = Features(X, columns.columns, range(len(columns.columns)))
    if isinstance(features.X, Chunked):  # the method checks the values
        missing = np.zeros(len(features.names), dtype=np.int64)
    else:
        missing = check_values(features.X, features.names, name, strict)
    if (missing == features.X.shape[0]).any():
        features, missing = _drop_empty(features, missing, name)
    has_missing = bool(missing.any())
    raw = quiet_nans(features.X) if has_missing else features.X
    notes = [*table.notes, *roles.notes, *features.notes]
    if has_missing:
        notes.append(imputation_note(missing, features.names))
    return Dataset(
        name=name,
        X=median_imputer().fit_transform(raw) if has_missing else raw,
        y=y,
        feature_names=features.names,
        target_name=roles.target_name,
        columns=columns.columns,
        origins=features.origins,
        raw=raw,
        preparation=median_imputer() if has_missing else None,
        notes=tuple(notes),
        table=table,
        path=None if isinstance(location, str) else location,
        image_shape=image_shape(name, len(features.names)),
        sample_names=roles.sample_names,
        groups=roles.groups,
        extra_columns=roles.extra_columns,
    )


def _read(location: Path | str, samples: str | None, labels: tuple[str, ...], isolated: bool) -> Table:
    if isinstance(location, str):
        return read_openml(location) if location.startswith(PREFIX) else read_embedded(location)
    if not location.stat().st_size:
        raise DataError(f"{location.name} is empty.")
    return formats.read(location, samples, labels, isolated)


def _drop_empty(features: Features, missing: np.ndarray, name: str) -> tuple[Features, np.ndarray]:
    """Leave out the features without values."""
    kept = np.flatnonzero(missing < features.X.shape[0])
    if not kept.size:
        raise DataError(f"{name}: all values are missing.")
    names = [features.names[index] for index in kept]
    empty = [features.names[index] for index in np.flatnonzero(missing == features.X.shape[0])]
    origins = np.asarray(features.origins)[kept].tolist()
    return Features(
        features.X[:, kept], names, origins, [*features.notes, columns_note(empty, EMPTY)]
    ), missing[kept]
