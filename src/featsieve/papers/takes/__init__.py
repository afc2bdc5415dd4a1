"""Xu, Shen, Ping & Zhao 2011: TAKES, feature selection in kernel space."""

from featsieve.papers.takes.experiments import PAPER

__all__ = ["PAPER"]
