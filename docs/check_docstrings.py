"""Check the docstrings of all public names with numpydoc; exit with 1 and a list if any is incomplete.

python docs/check_docstrings.py
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator

from numpydoc.validate import validate

PACKAGES = (
    "",
    ".datasets",
    ".evaluation",
    ".graphs",
    ".kernel_space",
    ".plot",
    ".report",
    ".scores",
    ".subsets",
)
# Not required: an extended summary (ES01), a description where the type is sufficient (RT03, SA04), the
# position of quotes (GL01, GL02), and examples and See Also of everything that is not a class (EX01, SA01).
IGNORED = {"ES01", "GL01", "GL02", "RT02", "RT03", "SA04"}
ONLY_FOR_CLASSES = {"EX01", "SA01"}
NOT_FOR_METHODS = {
    "PR01",
    "RT01",
    "YD01",
}  # short methods and properties of records, whose types are sufficient


def public_names() -> Iterator[tuple[str, str]]:
    """Yield the kind and the full name of every public class and function, and of the methods of classes."""
    for package in PACKAGES:
        module = importlib.import_module(f"featsieve{package}")
        for name in module.__all__:
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            full_name = f"{value.__module__}.{value.__qualname__}"
            yield ("class" if inspect.isclass(value) else "function"), full_name
            if inspect.isclass(value):
                for member in vars(value):
                    if not member.startswith("_") and inspect.isfunction(
                        inspect.unwrap(getattr(value, member))
                    ):
                        yield "method", f"{full_name}.{member}"


def faults() -> list[str]:
    """Return a line for every violation."""
    lines = []
    for kind, name in dict.fromkeys(public_names()):
        for code, message in validate(name)["errors"]:
            ignored = code in IGNORED or (kind != "class" and code in ONLY_FOR_CLASSES)
            if not ignored and not (kind == "method" and code in NOT_FOR_METHODS):
                lines.append(f"{name}: {code} {message}")
    return lines


if __name__ == "__main__":
    violations = faults()
    print("\n".join(violations) or "All public docstrings are complete.")
    sys.exit(bool(violations))
