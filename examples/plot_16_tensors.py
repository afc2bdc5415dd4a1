"""
PyTorch tensors
===============

Many methods accept tensors and compute on their device, a GPU if the tensor is on one. This example uses the
processor.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import load_digits

from featsieve import KNNGraph, LaplacianScore

X, _ = load_digits(return_X_y=True)
tensor = torch.from_numpy(X)

# %%
graph = KNNGraph(5).build(X)
from_array = LaplacianScore(graph).fit(X)
from_tensor = LaplacianScore(graph).fit(tensor)
finite = np.isfinite(from_array.scores_)
difference = np.abs(from_array.scores_[finite] - from_tensor.scores_[finite]).max()
print(f"largest difference between the scores: {difference:.1e}")

# %%
# ``transform`` returns a tensor on the same device:

selected = from_tensor.transform(tensor)
print(type(selected).__name__, tuple(selected.shape), selected.device)

# %%
_, ax = plt.subplots(figsize=(4.5, 4), layout="constrained")
ax.scatter(from_array.scores_[finite], from_tensor.scores_[finite], s=14)
_ = ax.set(xlabel="Score from a NumPy array", ylabel="Score from a PyTorch tensor")
