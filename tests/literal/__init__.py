"""Slow, literal versions of every score, written from the papers and not from featsieve.

Every function takes X of shape (n samples, d features), float64, and returns d scores. Where the
spread of a feature is zero, a score of which smaller is better is +inf, and one of which larger is
better is 0. Ties between neighbors go to the smaller index, so on tied data these depend on the
order of the samples; compare on data without ties, or average over random ties.
"""
