"""Methods that choose features together: one in each file, as in ``scores``."""
