"""Datasets that scikit-learn ships, so that they need no network."""

from __future__ import annotations

from featsieve.datasets.table import Table

# Name -> samples, features, classes (None: the target is a quantity).
SHIPPED = {
    "breast_cancer": (569, 30, 2),
    "diabetes": (442, 10, None),
    "digits": (1797, 64, 10),
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
}


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
    return list(SHIPPED)


def read_embedded(name: str) -> Table:
    """A dataset of scikit-learn, with its labels."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    features = [str(feature) for feature in bunch.feature_names]
    return Table(bunch.data, features, {"target": bunch.target})
