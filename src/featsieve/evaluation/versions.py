"""The code behind a result: versions of the libraries and a hash of the source that computed it."""

from __future__ import annotations

import ast
import hashlib
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

# A new version of one of these starts a new run.
LIBRARIES = ("featsieve", "numpy", "scipy", "scikit-learn")
PACKAGE_NAME = __name__.split(".")[0]
PACKAGE = Path(__file__).parents[1]


def versions(*objects: object) -> dict[str, str]:
    """Return the versions of Python and of the libraries.

    The :func:`source_hash` of the objects, which compute the result, is added to the version of featsieve.
    """
    installed = {"python": platform.python_version()}
    for library in (*LIBRARIES, "pandas", "joblib"):
        try:
            installed[library] = version(library)
        except PackageNotFoundError:
            installed[library] = "unknown"
    if objects:
        installed["featsieve"] += f" (source {source_hash(*objects)})"
    return installed


def source_hash(*objects: object) -> str:
    """Hash the source of the featsieve modules that the objects are defined in or depend on.

    A module depends on all modules that it imports, at its top or inside a function, and on the modules
    that those import in turn. Imports are read from the source, so nothing is imported or run.

    Parameters
    ----------
    *objects : module, class, function or instance
        Code that computes a result. Objects from outside featsieve are ignored.

    Returns
    -------
    str
        Twelve hexadecimal digits; empty without objects of featsieve, "unknown" if the source is not
        installed.
    """
    return _hash(PACKAGE, frozenset(defining_modules(objects)))


def defining_modules(objects: Iterable[Any]) -> set[str]:
    """Return the names of the featsieve modules that define the objects."""
    names = {
        getattr(obj, "__name__" if isinstance(obj, ModuleType) else "__module__", None) for obj in objects
    }
    return {name for name in names if isinstance(name, str) and name.split(".")[0] == PACKAGE_NAME}


@cache
def _hash(root: Path, modules: frozenset[str]) -> str:
    if not modules:
        return ""
    digest = hashlib.sha256()
    for module in sorted(_import_closure(root, modules)):
        file = _source_file(root, module)
        if file is None:
            return "unknown"
        digest.update(module.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def _import_closure(root: Path, modules: Iterable[str]) -> set[str]:
    """Return the modules and all featsieve modules that they import, directly or indirectly."""
    closure: set[str] = set()
    pending = list(modules)
    while pending:
        module = pending.pop()
        if module not in closure:
            closure.add(module)
            pending += [
                origin if name is None else _defining_module(root, origin, name)
                for origin, name, _ in _imported_names(root, module)
            ]
    return closure


def _source_file(root: Path, module: str) -> Path | None:
    path = root.joinpath(*module.split(".")[1:])
    candidates = (path / "__init__.py", path.with_name(f"{path.name}.py"))
    return next((file for file in candidates if file.is_file()), None)


@cache
def _imported_names(root: Path, module: str) -> list[tuple[str, str | None, str]]:
    """Return (module, name, local name) of each featsieve import; the name of a whole module is None."""
    file = _source_file(root, module)
    if file is None:
        return []
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    imports: list[tuple[str, str | None, str]] = []
    for node in _import_statements(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            imports += [(alias.name, None, alias.asname or alias.name) for alias in node.names]
        else:
            origin = resolve_name("." * node.level + (node.module or ""), package)
            imports += [(origin, alias.name, alias.asname or alias.name) for alias in node.names]
    return [names for names in imports if names[0].split(".")[0] == PACKAGE_NAME]


def _import_statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports at any depth, without those for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not (isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")):
            yield from _import_statements(node)


@cache
def _defining_module(root: Path, module: str, name: str) -> str:
    """Return the module that ``from module import name`` reads, following names that packages re-export."""
    if _source_file(root, f"{module}.{name}") is not None:
        return f"{module}.{name}"
    file = _source_file(root, module)
    if file is not None and file.name == "__init__.py":
        for origin, original, local in _imported_names(root, module):
            if local == name and original is not None:
                return _defining_module(root, origin, original)
    return module
