"""
Predict numbers, one or several
===============================

With a numeric target, ``featsieve.select`` chooses the features that predict it. With several targets, it
chooses features that together predict all of them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes, load_linnerud

import featsieve

X, y = load_diabetes(return_X_y=True, as_frame=True)
selector = featsieve.select(X, y, n_features=3)
print("diabetes:", selector.get_feature_names_out().tolist())

# %%
# Three exercises predict weight, waist and pulse:

X_several, Y = load_linnerud(return_X_y=True, as_frame=True)
ranking = featsieve.SupervisedColumnSubset(n_features_to_select=2).fit(X_several, Y)
print("linnerud:", X_several.columns[ranking.order_].tolist())

# %%
_, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
best = selector.get_feature_names_out()[0]
ax.scatter(X[best], y, s=8)
_ = ax.set(xlabel=best, ylabel="Disease progression")
