"""
Two graphs, two rankings
========================

A graph score is as good as its graph. Neighbors are found without labels; the class graph uses them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from featsieve import ClassGraph, KNNGraph, LaplacianScore
from featsieve.plot import GraphDisplay

X, y = load_iris(return_X_y=True, as_frame=True)
neighbors = KNNGraph(n_neighbors=4).build(X)
classes = ClassGraph().build(X, y)

# %%
# Samples in the plane of their first two principal components, colored by the petal length:

_, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, graph, title in zip(axes, [neighbors, classes], ["Nearest neighbors", "Classes"], strict=True):
    GraphDisplay.from_graph(graph, X, feature="petal length (cm)", ax=ax)
    ax.set_title(title)

# %%
neighbors

# %%
for title, graph in [("neighbors", neighbors), ("classes", classes)]:
    selector = LaplacianScore(graph, n_features_to_select=2).fit(X, y)
    print(title, selector.scores_.round(3), selector.get_feature_names_out().tolist())
