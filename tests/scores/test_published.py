"""Numbers of the papers that a faithful implementation reproduces."""

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.datasets import load_iris

from featsieve import LLEReconstructionScore, VarianceScore

# Yao et al., IEEE TIP 2017, Table VI, five training images: mean, maximum (%), features at the maximum
YALE = {
    ("variance", "ncm"): (47.11, 58.62, 1016),
    ("variance", "nn"): (50.30, 58.27, 1010),
    ("algorithm 1", "ncm"): (50.74, 58.64, 1021),
    ("algorithm 1", "nn"): (53.88, 58.91, 951),
}
RANKERS = {"variance": VarianceScore(), "algorithm 1": LLEReconstructionScore(n_neighbors=5)}


def curve(centers, labels, X, y, order):
    """Accuracy of the nearest center on the first 1..d features of the order; ties to the first center."""
    distances = np.zeros((len(X), len(centers)))
    accuracy = []
    for r in order:
        distances += (X[:, r, None] - centers[None, :, r]) ** 2
        accuracy.append(np.mean(labels[distances.argmin(axis=1)] == y))
    return np.array(accuracy)


def ncm_curve(X_train, y_train, X_test, y_test, order):
    labels = np.unique(y_train)
    means = np.array([X_train[y_train == label].mean(axis=0) for label in labels])
    return curve(means, labels, X_test, y_test, order)


@pytest.fixture(scope="module")
def yale_curves(data_dir):
    """Accuracies over all subset sizes, averaged over the 50 published splits."""
    folder = data_dir
    content = loadmat(folder / "Yale_32x32.mat")
    X, y = content["X"].astype(float), content["Y"].ravel()
    splits = loadmat(folder / "splits" / "Yale_5Train.mat")
    curves = {key: [] for key in YALE}
    for train, test in zip(splits["trainIdx"] - 1, splits["testIdx"] - 1, strict=True):
        for name, ranker in RANKERS.items():
            order = ranker.fit(X[train]).order_
            curves[name, "ncm"].append(ncm_curve(X[train], y[train], X[test], y[test], order))
            curves[name, "nn"].append(curve(X[train], y[train], X[test], y[test], order))
    return {key: 100 * np.mean(value, axis=0) for key, value in curves.items()}


@pytest.mark.parametrize("key", YALE, ids=" ".join)
def test_yale_table_vi(yale_curves, key):
    mean, best, size = YALE[key]
    curve = yale_curves[key]
    assert abs(curve.mean() - mean) <= 0.02
    assert abs(curve.max() - best) <= 0.02
    assert curve.argmax() + 1 == size


def test_iris_single_features():
    X, y = load_iris(return_X_y=True)
    X[34, 3], X[37, 1:3] = 0.1, (3.1, 1.5)  # the copy of the UCI repository
    train = np.arange(150) % 50 < 30
    assert VarianceScore().fit(X[train]).order_.tolist() == [2, 0, 3, 1]
    rates = [ncm_curve(X[train], y[train], X[~train], y[~train], [r])[0] for r in range(4)]
    assert np.round(rates, 4).tolist() == [0.7333, 0.5833, 0.9667, 0.9667]
