"""Reconstruction costs, accuracies and run times of kernel-space methods."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from featsieve.evaluation import Fold, RepeatedSplits, nearest_neighbor_curve
from featsieve.kernel_space import (
    GeneralizedDiscriminantAnalysis,
    KernelDiscriminantAnalysis,
    KernelForwardSelection,
    KernelGramSchmidt,
    KernelOrthogonalBasis,
    KernelRelief,
    TAKESTransformer,
    kernel_reconstruction_cost,
    relief_weights,
)

Values = dict[str, dict[str, Any]]
N_RANDOM_ORDERS = 10
# Components with a smaller fraction of the largest eigenvalue are rounding errors.
EIGENVALUE_RTOL = 1e-10


def reconstruction_costs(
    X: np.ndarray, y: np.ndarray, n_train: int, dimension: int, n_repeats: int, seed: int
) -> Values:
    """Compute the reconstruction cost (eq. 19) and dimension of each basis, averaged over training sets."""
    numbers: dict[str, list[tuple[float, float]]] = defaultdict(list)
    gammas, inner_products = [], []
    for index, fold in enumerate(_folds(X, y, n_train, n_repeats, seed)):
        X_train, rng = fold.X_train, np.random.default_rng([seed, 1, index])
        kobl = _fit_kobl(X_train, dimension)
        gamma = float(kobl.gamma_)
        drawn = rng.permutation(n_train)[:dimension]
        bases = {
            "KOBL": kobl,
            "KGS": KernelGramSchmidt(gamma=gamma).fit(X_train),
            "KPCA": KernelPCA(n_train, kernel="rbf", gamma=gamma).fit(X_train),
            "KDA": KernelDiscriminantAnalysis(gamma=gamma).fit(X_train, fold.y_train),
            "random": KernelGramSchmidt(gamma=gamma).fit(X_train[drawn]),
        }
        for name, basis in bases.items():
            size = getattr(basis, "n_components_", None) or len(basis.eigenvalues_)
            numbers[name].append((kernel_reconstruction_cost(basis, X_train), float(size)))
        translated = kernel_reconstruction_cost(bases["KPCA"], X_train, about_mean=True)
        numbers["KPCA, moved"].append((translated, numbers["KPCA"][-1][1]))
        gammas.append(gamma)
        inner_products.append(largest_inner_product(bases["KPCA"], X_train))
    values: Values = {}
    for name, pairs in numbers.items():
        cost, size = np.mean(pairs, axis=0)
        values[name] = {"cost": float(cost), "dimension": float(size)}
    values["KOBL"]["gamma"] = float(np.mean(gammas))
    values["KPCA"]["largest product"] = float(max(inner_products))
    return values


def largest_inner_product(components: KernelPCA, X: np.ndarray) -> float:
    """Compute the largest inner product in kernel space of two unit components; 0 if they are orthogonal."""
    kernel = rbf_kernel(X, gamma=components.gamma_)
    centered = kernel - kernel.mean(axis=0) - kernel.mean(axis=1, keepdims=True) + kernel.mean()
    is_component = components.eigenvalues_ > EIGENVALUE_RTOL * components.eigenvalues_.max()
    weights = components.eigenvectors_[:, is_component] / np.sqrt(components.eigenvalues_[is_component])
    products = np.abs(weights.T @ centered @ weights)
    np.fill_diagonal(products, 0.0)
    return float(products.max(initial=0.0))


def accuracy_curves(
    X: np.ndarray, y: np.ndarray, n_train: int, dimension: int, n_repeats: int, seed: int
) -> Values:
    """Compute nearest neighbor accuracies (%) with the first m features of each basis and selection.

    "accuracy" is the accuracy at the number of features that TAKES selects, "best" the maximum of the mean
    curve.
    """
    curves: dict[str, list[np.ndarray]] = defaultdict(list)
    sizes = []
    for index, fold in enumerate(_folds(X, y, n_train, n_repeats, seed)):
        rng = np.random.default_rng([seed, 2, index])
        gamma = float(_fit_kobl(fold.X_train, dimension).gamma_)
        takes = TAKESTransformer(gamma=gamma).fit(fold.X_train, fold.y_train)
        sizes.append(takes.n_features_)
        kobl = _project(takes.basis_, fold)
        kgs = _project(KernelGramSchmidt(gamma=gamma).fit(fold.X_train), fold)
        kpca = _project(KernelPCA(n_train, kernel="rbf", gamma=gamma).fit(fold.X_train), fold)
        kda = _project(KernelDiscriminantAnalysis(gamma=gamma).fit(fold.X_train, fold.y_train), fold)
        for name, projected, order in (
            ("TAKES", kobl, takes.selection_.order_),
            ("KGS+KFFS", kgs, KernelForwardSelection().fit(kgs.X_train, fold.y_train).order_),
            ("FSKGS", kgs, _relief_order(kgs)),
            ("FSKPCA", kpca, _relief_order(kpca)),
        ):
            curves[name].append(100 * nearest_neighbor_curve(projected, order))
        features = np.arange(kobl.X_train.shape[1])
        random_curves = [
            nearest_neighbor_curve(kobl, rng.permutation(features)) for _ in range(N_RANDOM_ORDERS)
        ]
        curves["random"].append(100 * np.mean(random_curves, axis=0))
        # RBF distances in kernel space increase with distances, so KNNC has the neighbors of the columns.
        for name, projected in (("all", kobl), ("KDA", kda), ("KNNC", fold)):
            features = np.arange(projected.X_train.shape[1])
            curves[name].append(100 * nearest_neighbor_curve(projected, features, [features.size]))
    return {name: _summarize_curve(name, folds, sizes, n_train) for name, folds in curves.items()}


def fit_time_exponents(
    X: None, y: None, sizes: Sequence[int], gamma: float, n_repeats: int, seed: int
) -> Values:
    """Fit the exponent b of time = a N^b to the minimum processor time of several repeats at each N."""
    rng = np.random.default_rng(seed)
    samples = rng.standard_normal((max(sizes), 10))
    labels = (samples[:, 0] * samples[:, 1] > 0).astype(int)
    methods = {
        "TAKES": TAKESTransformer(gamma=gamma),
        "FSKPCA": KernelRelief(KernelPCA(kernel="rbf", gamma=gamma)),
        "FSKGS": KernelRelief(KernelGramSchmidt(gamma=gamma)),
        "KDA": KernelDiscriminantAnalysis(gamma=gamma),
        "GDA": GeneralizedDiscriminantAnalysis(gamma=gamma),
    }
    values: Values = {}
    for name, method in methods.items():
        seconds = [
            min(_fit_seconds(method, samples[:size], labels[:size]) for _ in range(n_repeats))
            for size in sizes
        ]
        exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        values[name] = {"exponent": exponent, "sizes": list(sizes), "mean": seconds}
    return values


def _folds(X: np.ndarray, y: np.ndarray, n_train: int, n_repeats: int, seed: int) -> Iterator[Fold]:
    """Yield random splits, standardized with their training sets."""
    codes = np.unique(y, return_inverse=True)[1]
    for train, test in RepeatedSplits(n_repeats, 1 - n_train / len(y)).splits(len(y), codes, seed):
        scaler = StandardScaler().fit(X[train])
        yield Fold(scaler.transform(X[train]), scaler.transform(X[test]), codes[train], codes[test])


def _fit_kobl(X: np.ndarray, dimension: int) -> KernelOrthogonalBasis:
    """Fit KOBL with the kernel width at which it learns ``dimension`` base vectors."""
    return KernelOrthogonalBasis(gamma="dimension", n_components=dimension).fit(X)


def _project(basis: BaseEstimator, fold: Fold) -> Fold:
    return Fold(basis.transform(fold.X_train), basis.transform(fold.X_test), fold.y_train, fold.y_test)


def _relief_order(fold: Fold) -> np.ndarray:
    return np.argsort(-relief_weights(fold.X_train, fold.y_train), kind="stable")


def _summarize_curve(name: str, curves: list[np.ndarray], sizes: list[int], n_train: int) -> dict[str, Any]:
    """Average the curves of all folds; ``sizes`` are the numbers of features that TAKES selects."""
    length = min(len(curve) for curve in curves)
    values = np.array([curve[:length] for curve in curves])
    accuracies = [curve[min(size, len(curve)) - 1] for size, curve in zip(sizes, curves, strict=True)]
    axis = list(range(1, length + 1))
    mean, std = values.mean(axis=0), values.std(axis=0)
    if name == "TAKES":  # a point, because TAKES determines its number of features
        axis = [round(float(np.mean(sizes)))]
        mean, std = np.mean(accuracies, keepdims=True), np.std(accuracies, keepdims=True)
    elif length == 1:  # constant, drawn over all sizes
        axis, mean, std = [1, n_train], np.repeat(mean, 2), np.repeat(std, 2)
    means = np.round(mean, 3).tolist()
    return {
        "sizes": axis,
        "mean": means,
        "std": np.round(std, 3).tolist(),
        "accuracy": float(np.mean(accuracies)),
        "best": float(max(means)),
    }


def _fit_seconds(method: BaseEstimator, X: np.ndarray, y: np.ndarray) -> float:
    """Return the processor time of a fit on one thread."""
    with threadpool_limits(1):  # processor time includes threads that wait for each other
        start = time.process_time()
        method.fit(X, y)
        return time.process_time() - start
