"""Computation on arrays of any namespace: blocks, threads, progress, distances and content hashes."""
