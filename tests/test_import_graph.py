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


def private_imports(importer, tree):
    """Yield a line for every import of a private module or name of another package, also in functions."""
    for module, name in imported_names(tree):
        parts = [*module.split("."), name or ""]
        is_private = any(part.startswith("_") and not part.startswith("__") for part in parts)
        if is_private and package(module) != package(importer):
            yield f"{importer} imports {name or module} of {module}"


def test_no_private_name_of_another_package_is_imported():
    private = [line for importer, tree in MODULES.items() for line in private_imports(importer, tree)]
    assert private == []


def test_private_imports_in_functions_are_found():
    source = "def f():\n    from featsieve.subsets import _kmeans\n    import featsieve.subsets._nearest"
    assert len([*private_imports("featsieve.scores.lle", ast.parse(source))]) == 2
    assert not [*private_imports("featsieve.subsets.spfs", ast.parse(source))]


def test_imports_are_absolute():
    relative = [
        importer
        for importer, tree in MODULES.items()
        if any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))
    ]
    assert relative == []


def test_no_module_imports_itself_through_others():
    graph = {importer: set(imports_at_import_time(tree)) - {importer} for importer, tree in MODULES.items()}
    assert graph["featsieve.scores.laplacian"]
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError, which names the cycle
