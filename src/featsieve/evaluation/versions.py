"""With which code results were made."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# What results depend on; a change of one of these makes a run another one.
LIBRARIES = ("featsieve", "numpy", "scipy", "scikit-learn")
# Packages that show and judge results and decide none; but these modules of theirs do.
_SHOWING, _COMPUTING = (
    ("cli", "report", "papers", "reproduction"),
    ("computations", "protocols", "readings"),
)


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries, featsieve's own with a hash of its source."""
    found = {"python": platform.python_version()}
    for name in (*LIBRARIES, "pandas", "joblib"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    found["featsieve"] += f" (source {source()})"
    return found


@cache
def source() -> str:
    """Hash of the modules that decide results: a version may be many while it is worked on."""
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    files = sorted(root.rglob("*.py"))
    if not files:  # installed without source
        return "unknown"
    for file in files:
        name = file.relative_to(root)
        if name.parts[0] not in _SHOWING or file.stem in _COMPUTING:
            digest.update(name.as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]
