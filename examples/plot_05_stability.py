"""
Stability: would other samples lead to the same features?
=========================================================

The index of Nogueira et al. is 1 if every training set leads to the same features and 0 if features are
chosen at random. The band is its 95% interval.
"""

from sklearn.datasets import load_breast_cancer

from featsieve.evaluation import Plan, RepeatedSplits, compare
from featsieve.plot import StabilityDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
plan = Plan(RepeatedSplits(8), measures=["ncm"], draws=5)
comparison = compare(X, y, ["fisher", "relieff", "mrmr"], plan)
display = StabilityDisplay.from_comparison(comparison)

# %%
# A stable method is not necessarily a good one: always choosing the first columns is perfectly stable. Look
# at the performance as well. Methods that avoid redundancy are less stable where features can replace each
# other.

print(comparison.summary()[["method", "mean_over_sizes", "gain", "outcome"]].round(3).to_string(index=False))
