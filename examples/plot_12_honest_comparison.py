"""
An honest comparison in five lines
==================================

Every method is fitted on one part of the samples and measured on the other, beside random selection and all
features.
"""

from sklearn.datasets import load_breast_cancer

from featsieve.evaluation import Plan, RepeatedSplits, compare
from featsieve.plot import CurveDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
comparison = compare(
    X, y, ["fisher", "laplacian", "mrmr"], Plan(RepeatedSplits(8), measures=["nn"], draws=10)
)
display = CurveDisplay.from_comparison(comparison)

# %%
# The gray band contains 95% of the random selections. The comparison says which methods are better than them,
# and what to keep:

comparison
