"""How well ``n_features_to_select="auto"`` chooses the number of features.

    python benchmarks/auto_size.py [--data DIR] [--only informative noise real] [--draws N]

1. Three informative of 30 features: share of draws in which 3 to 5 are chosen.
2. Noise: share of draws in which the warning says that nothing beats chance.
3. Datasets of scikit-learn and of DIR with at most 700 features (at most 1000 samples of each): how far the
   chosen size stays behind the best size of the same ranking, on samples that neither has seen. The unit is
   the standard error of the best size over the splits.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from effectiveness import tables
from joblib import Parallel, delayed
from ratios import finish, report

from featsieve import AutoSelector, FisherScore, LaplacianScore, PearsonScore
from featsieve.evaluation import Resamples

MAX_FEATURES = 700
OUTER_SPLITS = 8
# The level of the test was chosen on draws 0 to 199.
FIRST_DRAW = 5000
Problem = tuple[np.ndarray, np.ndarray | None]


def shifted_classes(random: np.random.Generator) -> Problem:
    y = random.permutation(np.arange(200) % 2)
    X = random.standard_normal((200, 30))
    X[:, :3] += 0.7 * (2 * y[:, None] - 1)
    return X, y


def divided_sum(random: np.random.Generator) -> Problem:
    X, y = sum_of_three(random)
    return X, y > 0


def sum_of_three(random: np.random.Generator) -> Problem:
    X = random.standard_normal((200, 30))
    return X, X[:, :3].sum(axis=1) + 0.5 * random.standard_normal(200)


def noise(make_labels: Callable[[np.random.Generator], Any]) -> Callable[[np.random.Generator], Problem]:
    return lambda random: (random.standard_normal((120, 30)), make_labels(random))


INFORMATIVE = {"shifted classes": shifted_classes, "sign of a sum": divided_sum, "sum": sum_of_three}
NOISE = {
    "2 equal classes": noise(lambda random: random.permutation(np.arange(120) % 2)),
    "2 classes, 85% and 15%": noise(lambda random: random.permutation(np.arange(120) < 18)),
    "4 classes": noise(lambda random: random.permutation(np.arange(120) % 4)),
    "numbers": noise(lambda random: random.standard_normal(120)),
    "skewed numbers": noise(lambda random: random.lognormal(0, 1.5, 120)),
    "no labels": noise(lambda random: None),
}


def rankers(y: np.ndarray | None) -> dict[str, Any]:
    """Return the rankers to test with these labels."""
    rankers = {"auto": AutoSelector(), "laplacian": LaplacianScore()}
    if y is not None:
        rankers |= {"pearson": PearsonScore()} if y.dtype.kind == "f" else {"fisher": FisherScore()}
    return rankers


def fit(ranker: Any, X: np.ndarray, y: np.ndarray | None) -> tuple[Any, bool]:
    """Return the fitted ranker, and whether it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker.set_params(n_features_to_select="auto").fit(X, y)
    return ranker, any("no better than" in str(warning.message) for warning in caught)


def draw(problem: str, seed: int) -> dict[str, tuple[int, bool, float]]:
    """Return the number of features, whether there was a warning, and the time, by ranker."""
    X, y = (INFORMATIVE | NOISE)[problem](np.random.default_rng(seed))
    results = {}
    for name, ranker in rankers(y).items():
        if problem in INFORMATIVE and name == "laplacian":
            continue  # it does not rank the informative features first
        start = time.process_time()
        model, warned = fit(ranker, X, y)
        results[name] = model.n_features_, warned, time.process_time() - start
    return results


def on_draws(problem: str, n_draws: int, n_jobs: int) -> None:
    """Report the shares of draws for each ranker."""
    results = Parallel(n_jobs)(
        delayed(draw)(problem, seed) for seed in range(FIRST_DRAW, FIRST_DRAW + n_draws)
    )
    for name in results[0]:
        chosen, warned, seconds = (
            np.array(values) for values in zip(*(r[name] for r in results), strict=True)
        )
        what = f"{problem}, {name}: "
        if problem in INFORMATIVE:
            report(what + "3 to 5 of 30 features", np.mean((chosen >= 3) & (chosen <= 5)), "at least", 0.9)
            report(what + "false warning", np.mean(warned))
        else:
            report(what + "warning", np.mean(warned), "at least", 0.95)
            report(what + "mean number of features", np.mean(chosen))
        report(what + "processor seconds", np.median(seconds))


def behind(table: Any, name: str, ranker: Any) -> tuple[str, float]:
    """Return how far the chosen size is behind the best size, in standard errors."""
    chosen = []

    def rank(X: np.ndarray, y: np.ndarray, n_features: int) -> dict[str, np.ndarray]:
        model, _ = fit(ranker, X, y)
        chosen.append(model.n_features_)
        return {"": model.order_}

    outer = Resamples(table.X, table.y, n_resamples=OUTER_SPLITS)
    curves = outer.curves(rank)[""]
    sizes: Any = outer.sizes
    best = int(curves.mean(axis=0).argmax())
    values = [row[sizes.index(n)] for row, n in zip(curves, chosen, strict=True)]
    ratio = outer.test_size / (1 - outer.test_size)
    error = np.sqrt(1 / OUTER_SPLITS + ratio) * curves[:, best].std(ddof=1)
    deficit = float(curves[:, best].mean() - np.mean(values))
    text = (
        f"{table.name} {table.X.shape}, {name}: {100 * deficit:.1f} points behind {sizes[best]} features "
        f"({100 * curves[:, best].mean():.1f}, standard error {100 * error:.1f}); chosen: {sorted(chosen)}"
    )
    return text, deficit / error if error else 0.0


def on_datasets(folder: Path | None, n_jobs: int) -> None:
    """Report how far the chosen sizes are behind the best ones."""
    small = [table for table in tables(folder) if table.X.shape[1] <= MAX_FEATURES]
    cases = [(table, *pair) for table in small for pair in rankers(table.y).items()]
    behinds: dict[str, list[float]] = {}
    for (_, name, _), (text, ratio) in zip(
        cases, Parallel(n_jobs, return_as="generator")(delayed(behind)(*case) for case in cases), strict=True
    ):
        print(f"  {text}", flush=True)
        behinds.setdefault(name, []).append(ratio)
    for name, ratios in behinds.items():
        what = f"{name}, {len(ratios)} datasets: standard errors behind the best size, "
        report(what + "mean", np.mean(ratios), "at most", 1)
        report(what + "largest", np.max(ratios))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    parser.add_argument("--only", nargs="*", help="informative, noise, real, or names of problems")
    parser.add_argument("--draws", type=int, help="number of draws; default: 50, and 100 of noise")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    for title, problems, n_draws in (("informative", INFORMATIVE, 50), ("noise", NOISE, 100)):
        for problem in problems:
            if not options.only or {title, problem} & {*options.only}:
                on_draws(problem, options.draws or n_draws, options.jobs)
    if not options.only or "real" in options.only:
        on_datasets(Path(options.data) if options.data else None, options.jobs)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
