r"""Exact comparison of Euclidean distances, from fast products and a few direct differences.

The neighbor search, the nested curves, leave-one-out and the iterative score all follow one scheme:

1. :mod:`~featsieve.engines.distances.products` computes blocks of squared distances by a matrix product,

   .. math:: |a - b|^2 = |a|^2 - 2 a \cdot b + |b|^2

   with a certified bound on their rounding error.
2. Comparisons that the bound leaves undecided are recomputed by direct differences in float64, in
   :mod:`~featsieve.engines.distances.direct`. The relative error of these is below ``TIE_RTOL``.
3. :mod:`~featsieve.engines.distances.selection` selects the smallest. It owns the rule for ties.
"""
