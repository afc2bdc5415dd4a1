"""Update the lists of exported names from the methods that the registry finds.

python docs/build_exports.py

Writes ``__init__.py`` of the packages of methods, and ``featsieve/__init__.pyi``. Estimators and
functions named ``*_score`` are added; other names stay as long as they exist.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import featsieve
from featsieve.registry import FAMILIES

ROOT = Path(featsieve.__file__).parent
STUB = ROOT / "__init__.pyi"


def exported_names(path: Path) -> dict[str, str]:
    """Return the imported names of a file and the modules they come from."""
    return {
        alias.name: node.module or ""
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def as_source(names: dict[str, str], level: str = "") -> str:
    """Return import statements for the names, and ``__all__``."""
    lines = [f"from {level}{module} import {name}" for name, module in names.items()]
    return "\n".join([*lines, "", f"__all__ = {sorted(names)!r}", ""])


def package_exports(package: str) -> dict[str, str]:
    """Return the names that a package of methods exports, and the modules that define them."""
    path = Path(importlib.import_module(package).__path__[0])
    previous = exported_names(path / "__init__.py")
    names = {}
    for file in sorted(path.glob("[!_]*.py")):
        module = importlib.import_module(f"{package}.{file.stem}")
        for name, value in vars(module).items():
            public = inspect.isfunction(value) and (name.endswith("_score") or name in previous)
            recorded = isinstance(value, type) and "method" in vars(value)
            if (public or recorded) and value.__module__ == module.__name__ and not name.startswith("_"):
                names[name] = module.__name__
    return names


def main() -> None:
    """Write all lists."""
    previous = exported_names(STUB)
    exports = {
        name: module for name, module in previous.items() if module not in {f.split(".")[1] for f in FAMILIES}
    }
    for package in FAMILIES:
        names = package_exports(package)
        path = ROOT / package.split(".")[1] / "__init__.py"
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")), clean=False)
        path.write_text(f'"""{docstring}"""\n\n{as_source(names)}', encoding="utf-8")
        exports |= {
            name: package.split(".")[1] for name in names if not name[0].islower() or name in previous
        }
    comment = "# Exports of `featsieve`, read by lazy_loader, type checkers and editors.\n"
    text = as_source(exports, ".").replace("__all__ = [", "__all__ = ['__version__', ")
    STUB.write_text(f"{comment}{text}\n__version__: str\n", encoding="utf-8")
    for command in (["check", "--select", "I,RUF022", "--fix", "--quiet"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, str(ROOT)], check=True)


if __name__ == "__main__":
    main()
