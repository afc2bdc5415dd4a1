"""Peak memory of a part of a long-lived process."""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from pathlib import Path

# Linux: the peak of the resident memory, and the file that resets it.
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_memory() -> int | None:
    """Return the peak memory of this process since the last reset in bytes, None on Windows."""
    if _STATUS.exists() and (peak := re.search(r"VmHWM:\s*(\d+) kB", _STATUS.read_text())):
        return int(peak[1]) * 1024
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def reset_peak_memory() -> bool:
    """Free unused memory and start to measure the peak anew; return False if that is impossible."""
    if sys.platform == "win32":  # where no peak is measured
        return True
    gc.collect()
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):  # glibc
        library.malloc_trim(0)
    try:
        _RESET.write_text("5")
    except OSError:
        return False
    return True
