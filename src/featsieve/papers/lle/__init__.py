"""Yao et al. 2017: LLE score, and LLE in the graph-preserving framework (Algorithm 1)."""
