"""Feature selection in kernel space: bases, selection on them, and what they say of the original features."""
