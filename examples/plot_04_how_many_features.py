"""
How many features?
==================

``n_features_to_select="auto"`` chooses the smallest number of features whose performance on held-out samples
is within one standard error of the best.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from featsieve import MRMR

X, y = load_wine(return_X_y=True, as_frame=True)
selector = MRMR(n_features_to_select="auto").fit(X, y)
print(selector.n_features_, "features:", ", ".join(selector.get_feature_names_out()))

# %%
# The performance at each number of features that was tried:

curve = selector.n_features_curve_
print(curve.to_string(float_format="{:.3f}".format))

# %%
_, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.errorbar(curve["n_features"], curve["score"], curve["std_error"], marker="o", label="held-out samples")
ax.plot(curve["n_features"], curve["chance"], color="0.5", label="with permuted labels")
ax.axvline(selector.n_features_, color="0.3", linestyle="--", label="chosen")
ax.set(xlabel="Number of features", ylabel="Performance")
_ = ax.legend()
