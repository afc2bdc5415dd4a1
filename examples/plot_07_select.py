"""
Select features in one line
===========================

``featsieve.select`` chooses a method, a number of features and the features. Its report says how.
"""

import textwrap

from sklearn.datasets import load_breast_cancer

import featsieve
from featsieve.plot import ScoreDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = featsieve.select(X, y, n_features=6)
print(textwrap.fill(selector.report_, 90))

# %%
# The selector is a fitted scikit-learn estimator. A notebook shows its diagram and the selected features:

selector

# %%
# The scores of the best ten features; those that are not selected are gray.

display = ScoreDisplay.from_estimator(selector, n_features=10)
