"""Solvers for convex problems: many small problems solved side by side."""
