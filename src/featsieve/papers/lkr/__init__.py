"""Cheung & Zeng 2009: the local kernel regression (LKR) score."""
