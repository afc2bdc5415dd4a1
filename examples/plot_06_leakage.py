"""
Leakage: how noise becomes predictable
======================================

The data is pure noise, so no classifier can do better than chance, 50%. Choosing features on all samples
before the samples are split makes it look as if it could. This is one of the most frequent errors in
published work.
"""

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from featsieve import FisherScore

random = np.random.default_rng(0)
X, y = random.standard_normal((80, 3000)), np.repeat([0, 1], 40)
folds = StratifiedKFold(5, shuffle=True, random_state=0)

# %%
# **With the leak**: the selector sees the labels of the test samples.

chosen = FisherScore(n_features_to_select=20).fit_transform(X, y)
leaky = cross_val_score(GaussianNB(), chosen, y, cv=folds).mean()

# %%
# **Without**: the selector is part of the pipeline, so each fold chooses its features on its training
# samples.

honest = cross_val_score(
    make_pipeline(FisherScore(n_features_to_select=20), GaussianNB()), X, y, cv=folds
).mean()
print(f"with the leak: {leaky:.0%}, without: {honest:.0%}")

# %%
import matplotlib.pyplot as plt

_, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.bar(["with the leak", "without"], [leaky, honest], color=["C3", "C0"])
ax.axhline(0.5, color="0.3", linestyle="--", label="chance")
ax.set(ylabel="Accuracy on noise", ylim=(0, 1))
_ = ax.legend()
