"""
A pipeline with a grid search over the graph
============================================

A graph builder is a parameter, so ``graph__n_neighbors`` can be tuned together with the number of features.
"""

import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from featsieve import KNNGraph, LaplacianScore

X, y = load_digits(return_X_y=True)
pipeline = Pipeline([("select", LaplacianScore(KNNGraph())), ("classify", KNeighborsClassifier(3))])
grid = {"select__graph__n_neighbors": [3, 10, 30], "select__n_features_to_select": [8, 16, 32]}
search = GridSearchCV(pipeline, grid, cv=3).fit(X[:500], y[:500])

# %%
results = pd.DataFrame(search.cv_results_)
table = results.pivot_table(
    "mean_test_score", "param_select__graph__n_neighbors", "param_select__n_features_to_select"
)
print(table.round(3))
print(f"held-out accuracy of the best: {search.score(X[500:], y[500:]):.3f}")

# %%
search.best_estimator_

# %%
import matplotlib.pyplot as plt

_, ax = plt.subplots(figsize=(5, 3), layout="constrained")
image = ax.imshow(table, cmap="viridis")
ax.set_xticks(range(3), labels=table.columns)
ax.set_yticks(range(3), labels=table.index)
ax.set(xlabel="Number of features", ylabel="Neighbors in the graph")
_ = ax.figure.colorbar(image, label="Accuracy")
