"""
Pixels of handwritten digits
============================

Which pixels matter? Three methods without labels choose 15 of the 64 pixels of handwritten digits. The chosen
pixels are drawn over the mean image.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from featsieve import ColumnSubset, LaplacianScore, LLEScore
from featsieve.plot import MaskDisplay

X, _ = load_digits(return_X_y=True)

# %%
# The Laplacian score prefers pixels that vary smoothly over neighboring images; these are near each other.
# The column subset chooses pixels that together explain all others, so they are spread over the image.

methods = [LaplacianScore(), LLEScore(), ColumnSubset()]
_, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for ax, method in zip(axes, methods, strict=True):
    selector = method.set_params(n_features_to_select=15).fit(X[:600])
    MaskDisplay.from_estimator(selector, X, image_shape=(8, 8), ax=ax)
    ax.set_title(type(selector).__name__)

# %%
# How well do the chosen pixels predict the others? R² on images that no method has seen, over all pixels that
# vary:

from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

for method in methods:
    kept = method.transform(X)
    predicted = LinearRegression().fit(kept[:600], X[:600]).predict(kept[600:])
    r2 = r2_score(X[600:], predicted, multioutput="variance_weighted")
    print(f"{type(method).__name__}: R² = {r2:.2f}")
