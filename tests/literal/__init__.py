"""Slow, literal versions of all scores, written from the papers and independent of featsieve.

Each function takes X of shape (n samples, d features), float64, and returns d scores. If the spread of a
feature is zero, the score is infinite if smaller is better and 0 if larger is better. Ties between neighbors
are resolved by sample index, so results on tied data depend on the order of the samples: compare on data
without ties, or average over random ties.
"""
