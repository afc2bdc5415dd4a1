"""Speed of the lasso paths of featsieve against solvers from PyPI, as ratios measured in one run.

    python benchmarks/solvers.py [--data DIR]

``--data`` names a folder with COIL20.mat; without it, synthetic data of the same shape is used. Peers that
are not installed are skipped with a message.

Both problems have many responses on the same features. A path that must stop at a number of coefficients does
not know its last penalty, which coordinate descent has to be given; here it is.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ratios import coil20, finish, report, timed
from sklearn.datasets import load_digits
from sklearn.linear_model import lars_path, lars_path_gram, lasso_path

from featsieve.engines.distances.products import gram_matrix
from featsieve.graphs import l1_weights
from featsieve.solvers.lasso import lasso_paths

# Solves min |y - X a|^2 / 2n + alpha |a|_1 for a decreasing sequence of alpha; returns the last solution.
Solver = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def coordinate_descent() -> dict[str, Solver]:
    """Return the installed solvers for given penalties."""
    solvers: dict[str, Solver] = {
        "scikit-learn's lasso_path": lambda X, y, alphas: lasso_path(X, y, alphas=alphas, tol=1e-10)[1][:, -1]
    }
    try:
        from celer import celer_path
    except ImportError:
        print("  skipped: celer is not installed")
    else:
        solvers["celer"] = lambda X, y, alphas: celer_path(X, y, "lasso", alphas=alphas, tol=1e-10)[1][:, -1]
    try:
        from skglm.datafits import Quadratic
        from skglm.penalties import L1
        from skglm.solvers import AndersonCD
        from skglm.utils.jit_compilation import compiled_clone
    except ImportError:
        print("  skipped: skglm is not installed")
    else:
        solver = AndersonCD(tol=1e-10, fit_intercept=False)
        datafit, penalty = compiled_clone(Quadratic()), compiled_clone(L1(1.0))
        solvers["skglm"] = lambda X, y, alphas: solver.path(X, y, datafit, penalty, alphas=alphas)[1][:, -1]
    return solvers


def paths(name: str, X: np.ndarray, Y: np.ndarray, n_nonzero: int) -> None:
    """Compare paths that stop at a number of coefficients, as in MCFS."""
    n, d = X.shape
    print(f"Lasso paths to {n_nonzero} coefficients, {name}, {n} x {d}, {len(Y)} responses")
    covariances = Y @ X
    ours, found = timed(lambda: lasso_paths(X, covariances, n_nonzero, d <= 8 * n_nonzero), 3)
    residuals = covariances - found @ (X.T @ X)
    levels = np.abs(residuals).max(axis=1)
    options = {"method": "lasso", "max_iter": 5000, "return_path": False}

    def by_lars_path() -> np.ndarray:
        ends = zip(Y, levels / n, strict=True)
        return np.array([lars_path(X, y, alpha_min=alpha, **options)[2] for y, alpha in ends])

    def by_lars_path_gram() -> np.ndarray:
        gram = X.T @ X
        ends = zip(covariances, levels / n, strict=True)
        return np.array(
            [lars_path_gram(c, gram, n_samples=n, alpha_min=alpha, **options)[2] for c, alpha in ends]
        )

    for peer, call in (("lars_path", by_lars_path), ("lars_path_gram", by_lars_path_gram)):
        theirs, expected = timed(call, 2)
        report(f"scikit-learn's {peer} / ours", theirs / ours, "at least", 1)
        gap = np.abs(expected - found).max() / np.abs(found).max()
        report(f"largest difference to {peer} / largest coefficient", gap)
    for peer, solve in coordinate_descent().items():
        largest = np.abs(covariances).max(axis=1)
        sequences = np.geomspace(largest, levels, 20, axis=1) / n
        F = np.asfortranarray(X)
        solve(F, Y[0], sequences[0])  # compiles the solver
        theirs, expected = timed(lambda: [solve(F, y, s) for y, s in zip(Y, sequences, strict=True)])  # noqa: B023
        report(f"{peer}, given the last penalty / ours", theirs / ours)
        gap = np.abs(np.array(expected) - found).max() / np.abs(found).max()
        report(f"largest difference to {peer} / largest coefficient", gap)


def sparse_weights(n_peer: int = 100) -> None:
    """Compare the regression of each sample on all others at a given penalty, as in the sparsity score."""
    X = load_digits().data
    n, d = X.shape
    alpha = 0.05
    print(f"Each sample from all others, digits, {n} x {d}, at a given penalty")
    ours, weights = timed(lambda: l1_weights(X, alpha), 2)
    X = X - X.mean(axis=0)
    gram = gram_matrix(X)
    samples = np.linspace(0, n - 1, n_peer).astype(int)
    for peer, solve in coordinate_descent().items():

        def regress(i: int, solve: Solver = solve) -> np.ndarray:
            others = np.delete(np.arange(n), i)
            penalty = alpha * np.abs(gram[i, others]).max() / d
            row = np.zeros(n)
            row[others] = solve(np.asfortranarray(X[others].T), X[i], np.array([penalty]))
            return row

        regress(0)
        theirs, expected = timed(lambda: np.array([regress(i) for i in samples]))
        report(f"{peer}, from {n_peer} samples / ours", theirs * n / n_peer / ours, "at least", 1)
        report(f"largest difference to {peer}", np.abs(weights[samples].toarray() - expected).max())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    options = parser.parse_args()
    folder = Path(options.data) if options.data else None
    warnings.simplefilter("ignore")  # of the peers
    print(f"data: {folder or 'synthetic'}; {os.cpu_count()} cores; ratios of wall times")
    rng = np.random.default_rng(0)
    X, y = coil20(folder)
    X -= X.mean(axis=0)
    indicators = (y == np.unique(y)[:, None]).astype(float)
    paths("COIL20", X, indicators - indicators.mean(axis=1, keepdims=True), 50)
    X, Y = rng.standard_normal((300, 2000)), rng.standard_normal((5, 300))
    paths("noise", X - X.mean(axis=0), Y - Y.mean(axis=1, keepdims=True), 200)
    sparse_weights()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
