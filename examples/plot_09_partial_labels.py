"""
Labels for a few samples only
=============================

Labels are expensive. The constraint score uses those that there are: pairs of samples with the same label
must link, pairs with different labels cannot. In ``y``, -1 means "no label".
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from featsieve import ConstraintScore

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
X = np.column_stack([X, np.random.default_rng(1).standard_normal((len(X), 60))])

# %%
# Choose 5 of 73 columns with a few labels per class, and measure the nearest-neighbor accuracy of these
# columns on the samples without a label.


def accuracy(n_labels, seed):
    random = np.random.default_rng(seed)
    partial = np.full(len(y), -1)
    for label in range(3):
        known = random.choice(np.flatnonzero(y == label), n_labels, replace=False)
        partial[known] = label
    chosen = ConstraintScore(n_features_to_select=5).fit(X, partial).get_support()
    train, test = partial >= 0, partial < 0
    return KNeighborsClassifier(1).fit(X[train][:, chosen], y[train]).score(X[test][:, chosen], y[test])


def accuracy_with_all(n_labels, seed):
    random = np.random.default_rng(seed)
    train = np.zeros(len(y), dtype=bool)
    for label in range(3):
        train[random.choice(np.flatnonzero(y == label), n_labels, replace=False)] = True
    return KNeighborsClassifier(1).fit(X[train], y[train]).score(X[~train], y[~train])


n_labels = [2, 3, 5, 8, 12]
chosen = [np.mean([accuracy(n, seed) for seed in range(10)]) for n in n_labels]
everything = [np.mean([accuracy_with_all(n, seed) for seed in range(10)]) for n in n_labels]

# %%
_, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(n_labels, chosen, marker="o", label="5 columns by the constraint score")
ax.plot(n_labels, everything, marker="o", color="0.5", linestyle=":", label="all 73 columns")
ax.set(xlabel="Labels per class", ylabel="Accuracy")
_ = ax.legend()

# %%
# Pairs can also be passed directly, without any labels:

selector = ConstraintScore(must_link=[(0, 1), (60, 61)], cannot_link=[(0, 60), (1, 61)])
print(selector.fit(X).order_[:5])
