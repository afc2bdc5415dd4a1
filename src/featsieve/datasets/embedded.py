"""Datasets that are included in scikit-learn and need no network."""

from __future__ import annotations

from featsieve.datasets.table import Table

# Name -> samples, features, classes (None for a numeric target).
SHAPES = {
    "breast_cancer": (569, 30, 2),
    "diabetes": (442, 10, None),
    "digits": (1797, 64, 10),
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
}


def names() -> list[str]:
    """Return the names of the datasets that need no file.

    Returns
    -------
    list of str
        Names for :func:`featsieve.datasets.load`.

    Examples
    --------
    >>> import featsieve.datasets
    >>> featsieve.datasets.names()
    ['breast_cancer', 'diabetes', 'digits', 'iris', 'wine']
    """
    return list(SHAPES)


def read_embedded(name: str) -> Table:
    """Load a dataset of scikit-learn with its labels."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return Table(bunch.data, [str(feature) for feature in bunch.feature_names], {"target": bunch.target})
