"""Update the lists of exported names of the packages of methods and graphs, and of featsieve.

python docs/build_exports.py

Registered estimators, graph builders and functions named ``*_score`` or ``*_ranking`` are
added. Other names stay as long as they exist.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import featsieve
from featsieve.registry import PACKAGES as METHOD_PACKAGES

PACKAGES = (*METHOD_PACKAGES, "featsieve.graphs")
ROOT = Path(featsieve.__file__).parent
STUB = ROOT / "__init__.pyi"


def imported_names(path: Path) -> dict[str, str]:
    """Return the imported names of a file and the modules that they come from."""
    return {
        alias.name: node.module or ""
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def is_added(value: object, name: str) -> bool:
    """Return whether a public object of a module is exported although no list names it yet."""
    if inspect.isfunction(value):
        return name.endswith(("_score", "_ranking"))
    is_builder = hasattr(value, "build") and hasattr(value, "requires_y") and hasattr(value, "get_params")
    return isinstance(value, type) and ("method" in vars(value) or is_builder)


def package_exports(package: str) -> dict[str, str]:
    """Return the names that a package exports, and the modules that define them."""
    path = Path(importlib.import_module(package).__path__[0])
    previous = imported_names(path / "__init__.py")
    return {
        name: module.__name__
        for file in sorted(path.glob("[!_]*.py"))
        for module in [importlib.import_module(f"{package}.{file.stem}")]
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
        and not name.startswith("_")
        and (name in previous or is_added(value, name))
    }


def stub_exports() -> dict[str, str]:
    """Return the names that featsieve exports, and the modules that they are imported from."""
    previous = imported_names(STUB)
    folders = {package: package.removeprefix("featsieve.") for package in PACKAGES}
    exports = {name: module for name, module in previous.items() if module not in folders.values()}
    for package, folder in folders.items():
        module = importlib.import_module(package)
        exports |= {
            name: folder
            for name in package_exports(package)
            if name in previous or (is_added(getattr(module, name, None), name) and not name.islower())
        }
    return exports


def as_source(names: dict[str, str], exported: list[str], level: str = "") -> str:
    """Return import statements for the names, and ``__all__``."""
    lines = [
        f"from {level}{module} import {name}" + ("" if name in exported else f" as {name}")
        for name, module in names.items()
    ]
    return "\n".join([*lines, "", f"__all__ = {sorted(exported)!r}", ""])


def main() -> None:
    """Write all lists."""
    for package in PACKAGES:
        names, module = package_exports(package), importlib.import_module(package)
        hidden = {*imported_names(Path(module.__file__ or ""))} - {*module.__all__}
        source = as_source(names, [name for name in names if name not in hidden])
        Path(module.__file__ or "").write_text(f'"""{module.__doc__}"""\n\n{source}', encoding="utf-8")
    # in a new process, because the packages have been imported with their previous lists
    stub = subprocess.run(
        [sys.executable, __file__, "--stub"], check=True, capture_output=True, text=True
    ).stdout
    STUB.write_text(stub, encoding="utf-8")
    for command in (["check", "--select", "I,RUF022", "--fix", "--quiet"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, str(ROOT)], check=True)


if __name__ == "__main__":
    if "--stub" in sys.argv:
        exports = stub_exports()
        print("# Exports of `featsieve`, read by lazy_loader, type checkers and editors.")
        print(as_source(exports, ["__version__", *exports], "."))
        print("__version__: str")
    else:
        main()
