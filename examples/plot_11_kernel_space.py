"""
Kernel space, read back in columns
==================================

The class depends on the distance from the center, so no column and no linear combination separates the
classes. TAKES finds features in the space of a kernel. ``original_feature_influence`` says which columns of
the table they depend on.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from featsieve import TAKESTransformer

random = np.random.default_rng(0)
X = random.standard_normal((300, 6))
y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)  # columns 2 to 5 are noise
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%
takes = TAKESTransformer(n_features_to_select=20).fit(X_train, y_train)
plain = LogisticRegression().fit(X_train, y_train).score(X_test, y_test)
linear = LogisticRegression(C=100).fit(takes.transform(X_train), y_train)
kernel = linear.score(takes.transform(X_test), y_test)
print(f"linear classifier of the columns: {plain:.2f}, of features of the kernel space: {kernel:.2f}")

# %%
# The influence of each column on the classes, through the features of the kernel space. The first two, which
# determine the classes, have the largest influence:

influence = takes.original_feature_influence(of="classes")
_, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.bar([f"column {index}" for index in range(6)], influence)
ax.tick_params(axis="x", rotation=45)
_ = ax.set(ylabel="Influence")
