"""Datasets that scikit-learn ships, so that they need no network."""

from __future__ import annotations

from typing import Any

_SHIPPED = ("breast_cancer", "diabetes", "digits", "iris", "wine")


def names() -> list[str]:
    """Names of the datasets that need no file.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import featsieve.datasets
    >>> featsieve.datasets.names()
    ['breast_cancer', 'diabetes', 'digits', 'iris', 'wine']
    """
    return list(_SHIPPED)


def read_embedded(name: str) -> tuple[Any, list[str], dict[str, Any]]:
    """Values, column names and labels of a dataset of scikit-learn."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return bunch.data, [str(feature) for feature in bunch.feature_names], {"target": bunch.target}
