"""Zhu, Miao & Zhang 2012: the iterative Laplacian score."""
