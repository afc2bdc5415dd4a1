"""The datasets of the papers: their names, contents and sources."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """A dataset of the papers.

    Parameters
    ----------
    name : str
        Name for :func:`featsieve.datasets.load`.
    file : str
        File in the folder that the environment variable FEATSIEVE_DATA names.
    title : str
        Contents.
    shape : tuple of int
        Numbers of samples and features.
    n_classes : int
        Number of classes.
    papers : tuple of str
        Papers that use it: LKR (local kernel regression), ILS (iterative Laplacian score), LOO (leave one
        feature out), TAKES (kernel-space selection), LLE (LLE score).
    source : str
        Where to download it.
    target : str
        Column or array of the labels.
    image_shape : str or None
        Height x width if the features are the pixels of an image; F if they are stored column by column.
    splits : str or None
        Files with published splits, where ``{k}`` is the number of training samples per class.
    remark : str
        Differences from the papers.

    See Also
    --------
    catalog : All datasets of the papers.

    Examples
    --------
    >>> import featsieve.datasets
    >>> yale = featsieve.datasets.catalog()[0]
    >>> yale.name, yale.shape, yale.n_classes
    ('yale', (165, 1024), 15)
    """

    name: str
    file: str
    title: str
    shape: tuple[int, int]
    n_classes: int
    papers: tuple[str, ...]
    source: str
    target: str
    image_shape: str | None = None
    splits: str | None = None
    remark: str = ""

    @property
    def path(self) -> Path | None:
        """Path of the file, None if it does not exist."""
        folder = data_folder()
        return folder / self.file if folder is not None and (folder / self.file).is_file() else None


def data_folder() -> Path | None:
    """Return the folder that the environment variable FEATSIEVE_DATA names, None if there is none."""
    folder = os.environ.get("FEATSIEVE_DATA")
    return Path(folder).expanduser() if folder and Path(folder).expanduser().is_dir() else None


@cache
def catalog() -> tuple[Entry, ...]:
    """Return the datasets of the papers, whether their files exist or not.

    Returns
    -------
    tuple of Entry
        One record for each dataset.

    Examples
    --------
    >>> import featsieve.datasets
    >>> usps = next(entry for entry in featsieve.datasets.catalog() if entry.name == "usps")
    >>> usps.shape, usps.image_shape, usps.papers
    ((9298, 256), '16x16', ('LOO',))
    """
    text = (files("featsieve.datasets") / "catalog.toml").read_text(encoding="utf-8")
    return tuple(
        Entry(**record | {"shape": tuple(record["shape"]), "papers": tuple(record["papers"])})
        for record in tomllib.loads(text)["dataset"]
    )


def find_entry(name: str) -> Entry | None:
    """Return the dataset with this name, or with this file name without its extension, in any case."""
    lower = name.lower()
    return next((entry for entry in catalog() if lower in (entry.name, Path(entry.file).stem.lower())), None)


def image_shape(name: str, n_features: int) -> str | None:
    """Return the shape of the image that the features of a known dataset form, None if they form none."""
    if name == "digits":
        return "8x8" if n_features == 64 else None
    entries = (entry for entry in catalog() if entry.file == name and entry.shape[1] == n_features)
    return next((entry.image_shape for entry in entries), None)
