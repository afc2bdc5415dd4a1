"""Feng, Chen & Xu 2013: leave-one-out feature selection."""
