"""The datasets of the papers: how they are called, what to expect of them, and where they come from."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A dataset that papers use.

    Attributes
    ----------
    name : str
        What it is loaded by.
    file : str
        Its file in the folder that the environment variable FEATSIEVE_DATA names.
    title : str
        What it holds.
    shape : tuple of int
        Samples and features.
    n_classes : int
        How many classes the labels have.
    papers : tuple of str
        Papers that use it: LKR (local kernel regression), ILS (iterative Laplacian score), LOO (leave one
        feature out), TAKES (kernel-space selection), LLE (LLE score).
    source : str
        Where people get it.
    target : str
        Column or array of the labels.
    image_shape : str or None
        Height x width where the features are an image, with F where columns of pixels come first.
    splits : str or None
        Published splits beside it, where ``{k}`` is the number of training samples of each class.
    remark : str
        What differs from the papers.
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
        """Where the file is, None where it is not."""
        folder = data_folder()
        return folder / self.file if folder is not None and (folder / self.file).is_file() else None


def data_folder() -> Path | None:
    """The folder that the environment variable FEATSIEVE_DATA names, if it is there."""
    folder = os.environ.get("FEATSIEVE_DATA")
    return Path(folder).expanduser() if folder and Path(folder).expanduser().is_dir() else None


@cache
def catalog() -> tuple[Entry, ...]:
    """The datasets that the papers use, whether their files are here or not.

    Returns
    -------
    tuple of Entry

    Examples
    --------
    >>> import featsieve.datasets
    >>> usps = next(each for each in featsieve.datasets.catalog() if each.name == "usps")
    >>> usps.shape, usps.image_shape, usps.papers
    ((9298, 256), '16x16', ('LOO',))
    """
    text = (files("featsieve.datasets") / "catalog.toml").read_text(encoding="utf-8")
    return tuple(_entry(record) for record in tomllib.loads(text)["dataset"])


def find_entry(name: str) -> Entry | None:
    """The dataset of that name, or of that file without its extension, in any case."""
    wanted = name.lower()
    return next((each for each in catalog() if wanted in (each.name, Path(each.file).stem.lower())), None)


def image_shape(name: str, n_features: int) -> str | None:
    """The image that the features of a known file or embedded dataset make, None where they make none."""
    if name == "digits":
        return "8x8" if n_features == 64 else None
    known = (each for each in catalog() if each.file == name and each.shape[1] == n_features)
    return next((each.image_shape for each in known), None)


def _entry(record: dict[str, Any]) -> Entry:
    return Entry(**record | {"shape": tuple(record["shape"]), "papers": tuple(record["papers"])})
