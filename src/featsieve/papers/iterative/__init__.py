"""Zhu, Miao & Zhang 2012: the iterative Laplacian score."""

from featsieve.papers.iterative.experiments import PAPER

__all__ = ["PAPER"]
