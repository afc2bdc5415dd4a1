"""
Iterative scores: rebuild the graph on what remains
===================================================

With many noise features, neighbors are found by noise, so the graph says little. ``IterativeScore`` drops the
worst features, rebuilds the graph on the rest, and repeats.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from featsieve import IterativeScore, LaplacianScore

# %%
# Five features contain clusters, all others are noise of the same variance. How many of the five are among
# the best five?

n_noise = [50, 150, 300, 500]
found = {"Laplacian score": [], "iterative": []}
for count in n_noise:
    hits = {name: [] for name in found}
    for seed in range(5):
        clusters, _ = make_blobs(150, 5, centers=4, cluster_std=2.0, random_state=seed)
        noise = np.random.default_rng(seed).standard_normal((150, count))
        X = np.column_stack([clusters / clusters.std(axis=0), noise])
        plain = LaplacianScore(n_features_to_select=5)
        iterative = IterativeScore(LaplacianScore(), n_features_to_select=5, step=0.05)
        for name, selector in zip(found, [plain, iterative], strict=True):
            hits[name].append(selector.fit(X).get_support()[:5].sum())
    for name, values in hits.items():
        found[name].append(np.mean(values))

# %%
_, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, values in found.items():
    ax.plot(n_noise, values, marker="o", label=name)
ax.set(xlabel="Noise features", ylabel="Found of 5 (mean of 5 datasets)", ylim=(0, 5.2))
_ = ax.legend()
