"""Feng, Chen & Xu 2013: leave-one-out feature selection."""

from featsieve.papers.leave_one_out.experiments import PAPER

__all__ = ["PAPER"]
