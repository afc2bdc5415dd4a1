"""Where the numbers are computed: array namespaces, column blocks, threads, progress."""
