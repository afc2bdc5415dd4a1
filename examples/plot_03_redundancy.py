"""
Redundancy: ten copies are not ten features
===========================================

Thirty features measure three things, ten times each. A score of single features chooses one thing ten times
over. ``Diverse`` multiplies the same score by 1 minus the largest correlation with the features chosen
before.
"""

import matplotlib.pyplot as plt
import numpy as np

from featsieve import Diverse, FisherScore
from featsieve.plot import RedundancyDisplay

random = np.random.default_rng(0)
y = np.repeat([0, 1, 2, 3], 60)
# three things, each of which separates other classes; the first does so most clearly
things = np.column_stack([2.0 * (y > 1), 1.5 * (y % 2), 1.2 * (y == 3)]) + 0.8 * random.standard_normal(
    (240, 3)
)
X = np.repeat(things, 10, axis=1) + 0.2 * random.standard_normal((240, 30))
names = [f"thing {thing}, {copy}" for thing in "ABC" for copy in range(10)]

# %%
# Correlations among the three features that each method chooses:

_, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
selectors = [FisherScore(n_features_to_select=3), Diverse(FisherScore(), n_features_to_select=3)]
for ax, selector in zip(axes, selectors, strict=True):
    RedundancyDisplay.from_estimator(selector.fit(X, y), X, feature_names=names, ax=ax)
    ax.set_title(type(selector).__name__)

# %%
# Accuracy of the nearest neighbor with three features. The selection is part of the pipeline, so it is
# repeated in each fold:

from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

for selector in selectors:
    scores = cross_val_score(make_pipeline(selector, KNeighborsClassifier(5)), X, y, cv=5)
    print(f"{type(selector).__name__}: {scores.mean():.2f}")
