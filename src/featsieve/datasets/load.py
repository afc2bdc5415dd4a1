"""From a name or a file to a matrix of numbers, labels, and the names of the columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.datasets.catalog import image_shape
from featsieve.datasets.embedded import read_embedded
from featsieve.datasets.errors import DataError, brief, columns
from featsieve.datasets.formats import extension, read
from featsieve.datasets.locate import locate
from featsieve.datasets.missing import check_values, filled, imputer, quiet
from featsieve.datasets.openml import PREFIX, read_openml
from featsieve.datasets.prepare import Encoded, encode, strict_numbers
from featsieve.datasets.table import Table

_WITH_ARRAYS = (".mat", ".npz", ".h5ad")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data ready to be ranked.

    Attributes
    ----------
    name : str
        Name of the file or of the embedded dataset.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Numbers, none of them missing or infinite.
    y : ndarray of shape (n_samples,) or None
        Labels, None where none are known.
    feature_names : list of str
        Names of the columns of X.
    target_name : str or None
        Where the labels come from.
    columns : list of str
        The columns of the file that may be features. They are the features, unless text or dates were
        encoded or columns left out.
    origins : sequence of int of length n_features
        Which of ``columns`` each feature comes from.
    raw : ndarray or sparse matrix of shape (n_samples, n_features)
        X before anything was estimated from it: NaN where a value is missing.
    preparation : transformer or None
        What makes X of ``raw``, not fitted, to be fitted on the training part of each split; None where
        nothing is missing.
    notes : tuple of str
        What was decided or done, a sentence each.
    table : Table
        What the file holds, as it is.
    path : Path or None
        The file, if it is one.
    image_shape : str or None
        Height x width, with F where columns of pixels come first, of features known to be an image.
    """

    name: str
    X: Any
    y: np.ndarray | None
    feature_names: list[str]
    target_name: str | None
    columns: list[str]
    origins: Sequence[int]
    raw: Any
    preparation: Any
    notes: tuple[str, ...]
    table: Table
    path: Path | None = None
    image_shape: str | None = None

    @property
    def encoded(self) -> bool:
        """Whether a feature is not simply a column of the file."""
        return [self.columns[place] for place in self.origins] != self.feature_names

    def best_columns(self, order: Iterable[int]) -> dict[str, int]:
        """The columns of the file by the best of their features.

        Parameters
        ----------
        order : iterable of int
            Features, best first, such as ``order_`` of a fitted selector.

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
        """Draw samples at random, without replacement; the dataset itself if it has no more than these.

        Parameters
        ----------
        n_samples : int
            Number of samples to draw.
        seed : int
            Seed of the random draw.

        Returns
        -------
        Dataset
            The samples in their original order, with a note that says how many were drawn.
        """
        total = self.X.shape[0]
        if total <= n_samples:
            return self
        rows = np.sort(np.random.default_rng(seed).permutation(total)[:n_samples])
        note = f"{n_samples} of the {total} samples were drawn at random; the others are not used"
        y = None if self.y is None else self.y[rows]
        return replace(self, X=self.X[rows], raw=self.raw[rows], y=y, notes=(*self.notes, note))


def load(
    source: str | os.PathLike[str],
    target: str | None = None,
    drop: Iterable[str] = (),
    samples: str | None = None,
    strict: bool = False,
    *,
    isolated: bool = False,
) -> Dataset:
    """Read data from a file, from one of the datasets that scikit-learn ships, or from openml.org.

    Tables need not be clean: separator, encoding and header are found out, text and dates become numbers,
    identifiers and empty columns are left out, medians fill missing values. ``notes`` tells of all of it.

    Parameters
    ----------
    source : str or path
        A table (.csv, .tsv, .txt, .data, .parquet, .feather, .arff), arrays (.mat, .npz, .npy, .h5ad) or
        sparse samples (.svmlight, .libsvm, .svm); text may be compressed (.csv.gz). Or a name of
        :func:`featsieve.datasets.names`, ``openml:NAME`` or ``openml:NUMBER``; or a name of
        :func:`featsieve.datasets.catalog` or a file, with or without its extension, of the folder that
        the environment variable FEATSIEVE_DATA names.
    target : str, default=None
        Column, or array of a .mat or .npz file, or column of obs of an .h5ad file, that holds the labels.
        None takes the column called "target", in any case, or the array Y, y or gnd, where there is one.
    drop : iterable of str, default=()
        Columns to leave out.
    samples : str, default=None
        Array of a .mat or .npz file, or layer of an .h5ad file, that holds the samples in rows. None takes
        X, fea or data.
    strict : bool, default=False
        Take the columns as they are: refuse text and missing values, leave out no identifier.
    isolated : bool, default=False
        Read .mat, .h5ad, .parquet and .feather files in a process of its own, as the command does. A damaged
        file may crash the libraries for these formats or keep them busy for ever; this makes it a DataError.
        The process may take 60 seconds and 1 more per MB, or as many as the environment variable
        FEATSIEVE_READ_TIMEOUT says.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        A ValueError whose message is one line that names the file, the column and the remedy.

    Examples
    --------
    >>> import featsieve.datasets
    >>> wine = featsieve.datasets.load("wine", drop=["alcohol"])
    >>> wine.X.shape, wine.feature_names[0], wine.target_name
    ((178, 12), 'malic_acid', 'target')
    """
    found = locate(source)
    name = found if isinstance(found, str) else found.name
    try:
        table = _read(found, samples, target, isolated)
    except OSError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} cannot be read: {brief(error)}.") from error
    features = table.drop([drop] if isinstance(drop, str) else list(drop), name)
    features, y, target_name = features.split(target, name)
    if not features.columns:
        raise DataError(f"{name}: no columns are left to rank.")
    with np.errstate(invalid="ignore"):  # of signaling NaNs, which are missing values like others
        encoded = _encode(features, name, strict, y is not None)
    missing, _ = check_values(encoded.X, encoded.names, name, strict)
    preparation = imputer() if missing.any() else None
    raw = quiet(encoded.X) if missing.any() else encoded.X
    notes = [*table.notes, *encoded.notes, *([filled(missing, encoded.names)] if preparation else [])]
    return Dataset(
        name=name,
        X=raw if preparation is None else imputer().fit_transform(raw),
        y=y,
        feature_names=encoded.names,
        target_name=target_name,
        columns=features.columns,
        origins=encoded.origins,
        raw=raw,
        preparation=preparation,
        notes=tuple(notes),
        table=table,
        path=None if isinstance(found, str) else found,
        image_shape=image_shape(name, len(encoded.names)),
    )


def _read(found: Path | str, samples: str | None, target: str | None, isolated: bool) -> Table:
    if isinstance(found, str):
        return read_openml(found) if found.startswith(PREFIX) else read_embedded(found)
    if not found.stat().st_size:
        raise DataError(f"{found.name} is empty.")
    if samples is not None and extension(found) not in _WITH_ARRAYS:
        kinds = ", ".join(_WITH_ARRAYS)
        raise DataError(f"{found.name} has no arrays to name with --samples: that is for {kinds} files.")
    return read(found, samples, target, isolated)


def _encode(features: Table, name: str, strict: bool, labeled: bool) -> Encoded:
    if features.is_frame and not strict:
        return encode(features.values, name)
    if features.is_frame:
        values = strict_numbers(features.values, name, labeled)
        return Encoded(values, features.columns, range(values.shape[1]))
    return _without_empty(features, name, strict)


def _without_empty(features: Table, name: str, strict: bool) -> Encoded:
    """The columns of an array, less those without any value."""
    _, empty = check_values(features.values, features.columns, name, strict)
    if len(empty) == len(features.columns):
        raise DataError(f"{name}: all values are missing.")
    gone = set(empty)
    kept = features.keep([column for column in features.columns if column not in gone])
    origins = [place for place, column in enumerate(features.columns) if column not in gone]
    are = "is" if len(empty) == 1 else "are"
    notes = [f"{columns(empty)} {are} entirely missing and left out"] if empty else []
    return Encoded(kept.values, kept.columns, origins if empty else range(len(origins)), notes)
