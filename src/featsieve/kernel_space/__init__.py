"""Feature selection in kernel space: bases, selection on them, and what they say of the original features.

One method in each file, as in ``scores``; :func:`featsieve.kernel_reconstruction_cost` measures any basis.
"""
