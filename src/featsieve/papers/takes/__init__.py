"""Xu, Shen, Ping & Zhao 2011: TAKES, feature selection in kernel space."""
