"""Plots of rankings and comparisons with Matplotlib, in the convention of scikit-learn's displays.

A class method such as ``from_estimator`` or ``from_comparison`` creates a display and draws it. The display
keeps the numbers, so ``display.plot(ax=ax)`` draws them again without computing them. Install Matplotlib with
``pip install 'featsieve[plot]'``.
"""

from featsieve.plot.curve import CurveDisplay
from featsieve.plot.graph import GraphDisplay
from featsieve.plot.mask import MaskDisplay
from featsieve.plot.redundancy import RedundancyDisplay
from featsieve.plot.score import ScoreDisplay
from featsieve.plot.stability import StabilityDisplay

__all__ = [
    "CurveDisplay",
    "GraphDisplay",
    "MaskDisplay",
    "RedundancyDisplay",
    "ScoreDisplay",
    "StabilityDisplay",
]
