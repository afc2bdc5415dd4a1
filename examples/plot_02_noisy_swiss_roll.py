"""
A noisy Swiss roll, where variance fails
========================================

Samples lie on a rolled-up surface. Columns 1 and 3 are the plane in which it is rolled up, column 2 is its
width. Three noise columns with a slightly larger variance are added. The variance score chooses noise; graph
scores recognize the columns along which neighbors are alike.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_swiss_roll

from featsieve import LaplacianScore, LKRScore, VarianceScore
from featsieve.plot import ScoreDisplay

random = np.random.default_rng(0)
roll, _ = make_swiss_roll(600, random_state=0)
scale = 1.05 * roll.std(axis=0).max()
X = np.column_stack([roll, scale * random.standard_normal((600, 3))])
names = ["roll 1", "roll 2", "roll 3", "noise 1", "noise 2", "noise 3"]

# %%
# All methods see the same six columns. The graph methods use the nearest neighbors in these columns, noise
# included. The width of the surface is independent of all other columns, so no graph distinguishes it from
# noise.

_, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
for ax, method in zip(axes, [VarianceScore(), LaplacianScore(), LKRScore()], strict=True):
    selector = method.set_params(n_features_to_select=2).fit(X)
    ScoreDisplay.from_estimator(selector, feature_names=names, ax=ax)
    ax.set_title(type(selector).__name__)
    print(type(selector).__name__, "chooses", [names[index] for index in selector.order_[:2]])
