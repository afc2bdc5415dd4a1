"""
Resume a comparison
===================

A comparison with a store keeps each result as soon as it is computed. After an interruption, the same call
goes on where it stopped.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

from featsieve.evaluation import Comparison, Execution, Plan, RepeatedSplits, compare
from featsieve.plot import CurveDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
plan = Plan(RepeatedSplits(4), measures=["ncm"], draws=5)
store = Path(tempfile.mkdtemp()) / "results.sqlite"

# %%
# Interrupt the comparison after six results, as a person would with Ctrl-C:


class Interruption:
    """Interrupts after a number of results."""

    def __init__(self, count):
        self.remaining = count

    def __call__(self, cell, total):
        self.remaining -= 1
        if self.remaining == 0:
            raise KeyboardInterrupt


try:
    compare(X, y, ["fisher", "relieff"], plan, Execution(store, progress=Interruption(6)))
except KeyboardInterrupt:
    print("interrupted with", len(Comparison.read(store).cells), "results in the store")

# %%
# The same call again computes only the others:

computed = []
execution = Execution(store, progress=lambda cell, total: computed.append(cell))
comparison = compare(X, y, ["fisher", "relieff"], plan, execution)
print(f"computed {len(computed)} results; the store has {len(comparison.cells)}")
print(f"complete: {comparison.complete}")

# %%
display = CurveDisplay.from_comparison(comparison)
