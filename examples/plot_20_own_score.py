"""
A score of your own in one class
================================

Register a class and implement ``_score``. It is then a scikit-learn selector, and can be compared with all
others.
"""

import numpy as np
from scipy.stats import kruskal
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine

from featsieve.evaluation import Plan, RepeatedSplits, compare
from featsieve.plot import CurveDisplay, ScoreDisplay
from featsieve.registry import method
from featsieve.selectors import Ranker


@method(
    "kruskal", family="statistic", supervised="yes", direction="larger", reference="Kruskal & Wallis, 1952"
)
class KruskalScore(Ranker, BaseEstimator):
    """Kruskal score: rank features by the Kruskal-Wallis test of differences between classes."""

    def _score(self, X, y):
        return kruskal(*(X[y == label] for label in np.unique(y))).statistic


# %%
X, y = load_wine(return_X_y=True, as_frame=True)
display = ScoreDisplay.from_estimator(KruskalScore(n_features_to_select=5).fit(X, y))

# %%
plan = Plan(RepeatedSplits(6), measures=["ncm"], draws=6)
comparison = compare(X, y, {"kruskal": KruskalScore(), "fisher": "fisher"}, plan)
display = CurveDisplay.from_comparison(comparison)
