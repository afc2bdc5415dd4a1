"""Modules import each other without cycles, and no private names of another package."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import featsieve

ROOT = Path(featsieve.__file__).parent


def module_name(path):
    parts = ("featsieve", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def imported_names(tree):
    """Yield the module and the name (None for whole modules) of every import of featsieve."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "featsieve":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if alias.name.split(".")[0] == "featsieve")


def imports_at_import_time(tree):
    """Yield the modules that a module imports outside of functions and ``if TYPE_CHECKING`` blocks."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module, name in imported_names(ast.Module([node], [])):
                submodule = f"{module}.{name}"
                yield submodule if submodule in MODULES else module


def package(module):
    return module.split(".")[1] if "." in module else ""


def test_no_private_name_of_another_package_is_imported():
    private = [
        f"{importer} imports {name or module} of {module}"
        for importer, tree in MODULES.items()
        for module, name in imported_names(tree)
        if package(module) != package(importer)
        and any(
            part.startswith("_") and not part.startswith("__") for part in [*module.split("."), name or ""]
        )
    ]
    assert private == []


def test_no_module_imports_itself_through_others():
    graph = {importer: set(imports_at_import_time(tree)) - {importer} for importer, tree in MODULES.items()}
    assert graph["featsieve.scores.laplacian"]
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError, which names the cycle
