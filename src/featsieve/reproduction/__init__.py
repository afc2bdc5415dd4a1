"""Reproduction of published experiments: run them, compare their numbers, and judge their claims."""
