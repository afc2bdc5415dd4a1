"""Reconstruction costs, accuracies and times of kernel-space methods, which rank no columns of a table."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
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


def _folds(X: Any, y: Any, n_train: int, n_repeats: int, seed: int) -> list[Fold]:
    """Random training sets of that size, standardized by themselves."""
    codes = np.unique(y, return_inverse=True)[1]
    found = []
    for train, test in RepeatedSplits(n_repeats, 1 - n_train / len(y)).splits(len(y), codes, seed):
        scaler = StandardScaler().fit(X[train])
        found.append(Fold(scaler.transform(X[train]), scaler.transform(X[test]), codes[train], codes[test]))
    return found


def _basis(X: np.ndarray, dimension: int) -> KernelOrthogonalBasis:
    """KOBL with the kernel width at which it learns so many base vectors."""
    return KernelOrthogonalBasis(gamma="dimension", n_components=dimension).fit(X)


def costs(
    X: Any, y: Any, n_train: int, dimension: int, n_repeats: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Reconstruction cost (eq. 19) and dimension of each basis, mean over random training sets."""
    found: dict[str, list[tuple[float, float]]] = {}
    gammas, angles = [], []
    for number, fold in enumerate(_folds(X, y, n_train, n_repeats, seed)):
        X_train, random = fold.X_train, np.random.default_rng([seed, 1, number])
        kobl = _basis(X_train, dimension)
        gamma = float(kobl.gamma_)
        gammas.append(gamma)
        some = random.permutation(n_train)[:dimension]
        bases = {
            "KOBL": kobl,
            "KGS": KernelGramSchmidt(gamma=gamma).fit(X_train),
            "KPCA": KernelPCA(n_train, kernel="rbf", gamma=gamma).fit(X_train),
            "KDA": KernelDiscriminantAnalysis(gamma=gamma).fit(X_train, fold.y_train),
            "random": KernelGramSchmidt(gamma=gamma).fit(X_train[some]),
        }
        for name, basis in bases.items():
            size = getattr(basis, "n_components_", None) or len(basis.eigenvalues_)
            found.setdefault(name, []).append((kernel_reconstruction_cost(basis, X_train), float(size)))
        moved = kernel_reconstruction_cost(bases["KPCA"], X_train, about_mean=True)
        found.setdefault("KPCA, moved", []).append((moved, found["KPCA"][-1][1]))
        angles.append(largest_product(bases["KPCA"], X_train))
    means = {name: np.mean(values, axis=0) for name, values in found.items()}
    result = {name: {"cost": float(cost), "dimension": float(size)} for name, (cost, size) in means.items()}
    result["KOBL"]["gamma"] = float(np.mean(gammas))
    result["KPCA"]["largest product"] = float(max(angles))
    return result


def largest_product(components: KernelPCA, X: np.ndarray) -> float:
    """The largest inner product, in the kernel space, of two unit vectors that KPCA gives; 0: orthogonal."""
    kernel = rbf_kernel(X, gamma=components.gamma_)
    centerd = kernel - kernel.mean(axis=0) - kernel.mean(axis=1, keepdims=True) + kernel.mean()
    # directions without spread are no components: their length is rounding
    kept = components.eigenvalues_ > 1e-10 * components.eigenvalues_.max()
    weights = components.eigenvectors_[:, kept] / np.sqrt(components.eigenvalues_[kept])
    products = np.abs(weights.T @ centerd @ weights)
    np.fill_diagonal(products, 0.0)
    return float(products.max(initial=0.0))


def accuracies(
    X: Any, y: Any, n_train: int, dimension: int, n_repeats: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Accuracy (%) of the nearest neighbor with the first m features of each basis and selection.

    "accuracy" is that at the number of features that TAKES keeps, "best" the largest of the mean curve.
    """
    curves: dict[str, list[np.ndarray]] = {}
    kept = []
    for number, fold in enumerate(_folds(X, y, n_train, n_repeats, seed)):
        random = np.random.default_rng([seed, 2, number])
        gamma = float(_basis(fold.X_train, dimension).gamma_)
        takes = TAKESTransformer(gamma=gamma).fit(fold.X_train, fold.y_train)
        learnt = _projected(takes.basis_, fold)
        full = _projected(KernelGramSchmidt(gamma=gamma).fit(fold.X_train), fold)
        centerd = _projected(KernelPCA(n_train, kernel="rbf", gamma=gamma).fit(fold.X_train), fold)
        forward = KernelForwardSelection().fit(full.X_train, fold.y_train)
        kept.append(takes.n_features_)
        orders = {
            "TAKES": (learnt, takes.selection_.order_),
            "KGS+KFFS": (full, forward.order_),
            "FSKGS": (full, np.argsort(-relief_weights(full.X_train, fold.y_train), kind="stable")),
            "FSKPCA": (centerd, np.argsort(-relief_weights(centerd.X_train, fold.y_train), kind="stable")),
        }
        for name, (samples, order) in orders.items():
            curves.setdefault(name, []).append(100 * nearest_neighbor_curve(samples, order))
        dims = np.arange(learnt.X_train.shape[1])
        draws = [nearest_neighbor_curve(learnt, random.permutation(dims)) for _ in range(10)]
        curves.setdefault("random", []).append(100 * np.mean(draws, axis=0))
        curves.setdefault("all", []).append(100 * nearest_neighbor_curve(learnt, dims, [dims.size]))
        separated = _projected(KernelDiscriminantAnalysis(gamma=gamma).fit(fold.X_train, fold.y_train), fold)
        every = np.arange(separated.X_train.shape[1])
        curves.setdefault("KDA", []).append(100 * nearest_neighbor_curve(separated, every, [every.size]))
        # distances grow with distances in the kernel space, so the neighbors there are those here
        columns = np.arange(fold.X_train.shape[1])
        curves.setdefault("KNNC", []).append(100 * nearest_neighbor_curve(fold, columns, [columns.size]))
    return {name: _line(name, found, kept, n_train) for name, found in curves.items()}


def _projected(basis: Any, fold: Fold) -> Fold:
    return Fold(basis.transform(fold.X_train), basis.transform(fold.X_test), fold.y_train, fold.y_test)


def _line(name: str, curves: list[np.ndarray], kept: list[int], longest: int) -> dict[str, Any]:
    length = min(len(curve) for curve in curves)
    values = np.array([curve[:length] for curve in curves])
    at = [curve[min(size, len(curve)) - 1] for size, curve in zip(kept, curves, strict=True)]
    sizes = list(range(1, length + 1))
    line = {"mean": values.mean(axis=0), "spread": values.std(axis=0)}
    if name == "TAKES":  # its number of features is its own: a point
        sizes, line = (
            [round(float(np.mean(kept)))],
            {"mean": np.mean(at, keepdims=True), "spread": np.std(at, keepdims=True)},
        )
    elif length == 1:  # a level for all sizes
        sizes, line = [1, longest], {key: np.repeat(value, 2) for key, value in line.items()}
    rounded = {key: np.round(value, 3).tolist() for key, value in line.items()}
    return {"sizes": sizes, **rounded, "accuracy": float(np.mean(at)), "best": float(max(rounded["mean"]))}


def growth(
    X: Any, y: Any, sizes: list[int], gamma: float, n_repeats: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Exponent b of time = a N^b, fitted to the least processor time of some repeats at each N."""
    random = np.random.default_rng(seed)
    samples = random.standard_normal((max(sizes), 10))
    labels = (samples[:, 0] * samples[:, 1] > 0).astype(int)
    methods = {
        "TAKES": TAKESTransformer(gamma=gamma),
        "FSKPCA": KernelRelief(KernelPCA(kernel="rbf", gamma=gamma)),
        "FSKGS": KernelRelief(KernelGramSchmidt(gamma=gamma)),
        "KDA": KernelDiscriminantAnalysis(gamma=gamma),
        "GDA": GeneralizedDiscriminantAnalysis(gamma=gamma),
    }
    found = {}
    for name, method in methods.items():
        seconds = [
            min(_seconds(method, samples[:size], labels[:size]) for _ in range(n_repeats)) for size in sizes
        ]
        exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        found[name] = {"exponent": exponent, "sizes": list(sizes), "mean": seconds}
    return found


def _seconds(method: Any, X: np.ndarray, y: np.ndarray) -> float:
    with threadpool_limits(1):  # others that wait for the same cores must not count
        start = time.process_time()
        method.fit(X, y)
        return time.process_time() - start
