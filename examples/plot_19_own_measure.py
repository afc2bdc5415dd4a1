"""
A measure of your own
=====================

A measure is a function of a fold, an order of the features, and the numbers of features.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from featsieve.evaluation import Measure, Plan, RepeatedSplits, compare
from featsieve.plot import CurveDisplay


def naive_bayes_curve(fold, order, sizes):
    """Compute the accuracy of naive Bayes with the first m features, for each size m."""
    models = [(GaussianNB().fit(fold.X_train[:, order[:m]], fold.y_train), order[:m]) for m in sizes]
    return np.array([model.score(fold.X_test[:, chosen], fold.y_test) for model, chosen in models])


measure = Measure("nb", "naive Bayes accuracy", naive_bayes_curve, target="classes", percent=True)

# %%
X, y = load_wine(return_X_y=True, as_frame=True)
plan = Plan(RepeatedSplits(8), measures=[measure], draws=8)
display = CurveDisplay.from_comparison(compare(X, y, ["fisher", "pearson"], plan))
