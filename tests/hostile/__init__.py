"""Data of extreme magnitudes, shapes and layouts, and invalid input, for all methods."""
