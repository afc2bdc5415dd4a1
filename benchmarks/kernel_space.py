"""Speed, memory and published numbers of the kernel-space methods, measured in one run.

    python benchmarks/kernel_space.py [--data DIR] [--only NAME ...]

``--data`` names a folder with australian.csv, diabetes_pima.csv, heart_statlog.csv, ionosphere.csv, sonar.csv
and new_thyroid.csv. Without it, the comparison with the published costs is skipped with a message.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ratios import finish, report, timed
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from featsieve import KernelOrthogonalBasis, kernel_reconstruction_cost
from featsieve.datasets import load

# Xu, Shen, Ping & Zhao, CIKM 2011, Table 2: training samples, KOBL's dimension and cost, KPCA's cost.
TABLE_2 = {
    "australian": (345, 36, 0.044, 0.412),
    "diabetes_pima": (468, 58, 0.062, 0.392),
    "heart_statlog": (170, 44, 0.145, 0.384),
    "ionosphere": (281, 69, 0.111, 0.383),
    "sonar": (104, 12, 0.047, 0.519),
    "new_thyroid": (140, 20, 0.043, 0.407),
}

# In a separate process and from /proc, because ru_maxrss includes the memory of the parent.
MEMORY = """
import numpy as np
from featsieve import KernelOrthogonalBasis

def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))

X = np.random.default_rng(0).standard_normal((100_000, 50))
KernelOrthogonalBasis(n_components=5).fit(X[:500])
before = memory("VmRSS")
with open("/proc/self/clear_refs", "w") as switch:
    switch.write("5")
basis = KernelOrthogonalBasis(n_components=300).fit(X)
assert basis.n_components_ == 300
print(memory("VmHWM") - before)
"""


def growth(folder: Path | None) -> None:
    print("KOBL, 50 features, 300 base vectors")
    X = np.random.default_rng(0).standard_normal((200_000, 50))
    sizes, times = [25_000, 50_000, 100_000, 200_000], []
    for n in sizes:
        seconds, basis = timed(lambda n=n: KernelOrthogonalBasis(n_components=300).fit(X[:n]), 3)
        assert basis.n_components_ == 300
        times.append(seconds)
        print(f"    {n} samples: {seconds:.2f} s")
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    report(f"log-log slope of the time over n = {sizes[0]} to {sizes[-1]}", slope, "at most", 1.1)
    run = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    report("additional peak memory with 100,000 samples, MB", float(run.stdout), "at most", 1500)


def peers(folder: Path | None) -> None:
    print("KOBL against the full KernelPCA of scikit-learn, 5,000 samples of 20 features, equal gamma")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, 4)) @ rng.standard_normal((4, 20)) + 0.1 * rng.standard_normal((5000, 20))
    search, basis = timed(lambda: KernelOrthogonalBasis(gamma="dimension", n_components=200).fit(X))
    report("dimension for a target of 200", basis.n_components_, "at least", 190)
    ours, _ = timed(lambda: KernelOrthogonalBasis(gamma=basis.gamma_).fit(X), 3)
    theirs, components = timed(lambda: KernelPCA(kernel="rbf", gamma=basis.gamma_).fit(X))
    report("KernelPCA / KOBL, time to fit", theirs / ours, "at least", 30)
    report("KernelPCA / KOBL with the search for gamma", theirs / search)
    truncated, _ = timed(
        lambda: KernelPCA(200, kernel="rbf", gamma=basis.gamma_, eigen_solver="randomized").fit(X)
    )
    report("KernelPCA of 200 components, randomized / KOBL", truncated / ours)
    report("reconstruction cost of KOBL", basis.reconstruction_cost_)
    report(
        "reconstruction cost of the same number of components of KernelPCA",
        _cost(components, basis.n_components_, X),
    )


def _cost(components: KernelPCA, count: int, X: np.ndarray) -> float:
    """Compute the cost, about the mean, of the leading components."""
    components.eigenvalues_ = components.eigenvalues_[:count]
    components.eigenvectors_ = components.eigenvectors_[:, :count]
    return kernel_reconstruction_cost(components, X, about_mean=True)


def table_2(folder: Path | None) -> None:
    print("Reconstruction costs and Table 2 of Xu, Shen, Ping & Zhao 2011, with gamma set by the dimension.")
    print(
        "The paper specifies neither the scaling of features nor the samples. Here features are standardized,"
    )
    print("or scaled to [0, 1], and costs are means over 10 random draws of the published number of samples.")
    if folder is None:
        print("  skipped: no --data")
        return
    scalers = {"standardized": StandardScaler(), "[0, 1]": MinMaxScaler()}
    for scaling, scaler in scalers.items():
        print(
            f"  {scaling:<14} dim published  KOBL published  ours (dim)    difference   KPCA published  ours"
        )
        errors = []
        for name, (size, dimension, published, published_kpca) in TABLE_2.items():
            data = load(str(folder / f"{name}.csv"))
            X = scaler.fit_transform(data.X)
            costs, dimensions, kpca = [], [], []
            for seed in range(10):
                sample, _ = train_test_split(X, train_size=size, stratify=data.y, random_state=seed)
                basis = KernelOrthogonalBasis(gamma="dimension", n_components=dimension).fit(sample)
                components = KernelPCA(kernel="rbf", gamma=basis.gamma_).fit(sample)
                costs.append(basis.reconstruction_cost_)
                dimensions.append(basis.n_components_)
                kpca.append(kernel_reconstruction_cost(components, sample))
            ours = np.mean(costs)
            errors.append(abs(ours / published - 1))
            print(
                f"  {name:<14} {dimension:13d}  {published:14.3f}  {ours:5.3f} ({np.mean(dimensions):4.1f})  "
                f"{ours / published - 1:+11.0%}   {published_kpca:14.3f}  {np.mean(kpca):5.3f}"
            )
        report(f"costs of KOBL, {scaling}: median of |ours / published - 1|", float(np.median(errors)))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("FEATSIEVE_DATA"))
    parser.add_argument("--only", nargs="*", help="run only these benchmarks")
    options = parser.parse_args()
    folder = Path(options.data) if options.data else None
    benchmarks: dict[str, Callable[[Path | None], None]] = {
        "growth": growth,
        "peers": peers,
        "table2": table_2,
    }
    print(f"data: {folder or 'none'}; {os.cpu_count()} cores; ratios of wall times")
    for name, run in benchmarks.items():
        if not options.only or name in options.only:
            run(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
