"""
Progress bars
=============

Long computations report their progress to scikit-learn's callbacks (scikit-learn 1.9 or newer).
``ProgressBar`` draws bars in a terminal or a notebook. Here, a callback of our own counts the steps instead,
because a page cannot show a moving bar.
"""

import time

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from featsieve import IterativeScore, LaplacianScore

X, _ = load_digits(return_X_y=True)


class Steps:
    """Callback that records the time of each finished step."""

    def setup(self, estimator, context):
        """Start the clock."""
        self.start, self.times = time.perf_counter(), []

    def on_fit_task_begin(self, estimator, context):
        """Do nothing."""

    def on_fit_task_end(self, estimator, context):
        """Record a step."""
        if context.task_name == "step":
            self.times.append(time.perf_counter() - self.start)

    def teardown(self, estimator, context):
        """Do nothing."""


# %%
# For bars, replace ``Steps()`` with ``sklearn.callback.ProgressBar()``, which needs the package rich.

steps = Steps()
IterativeScore(LaplacianScore(), n_features_to_select=10).set_callbacks(steps).fit(X[:500])
print(f"{len(steps.times)} steps were reported")

# %%
_, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(steps.times, range(1, len(steps.times) + 1))
_ = ax.set(xlabel="Seconds", ylabel="Finished steps")
