"""Cheung & Zeng 2009: the local kernel regression (LKR) score."""

from featsieve.papers.lkr.experiments import PAPER

__all__ = ["PAPER"]
