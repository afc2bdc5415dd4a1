"""Pages of the API reference, written from the public names: every name is on exactly one page."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import featsieve

PACKAGES = (
    "",
    ".scores",
    ".subsets",
    ".kernel_space",
    ".graphs",
    ".evaluation",
    ".datasets",
    ".report",
    ".plot",
)
# Page of each family of the registry, and of each package whose names belong to no family.
FAMILIES = {
    "statistic": "Statistics of single features",
    "graph": "Graph scores",
    "reconstruction": "Reconstruction scores",
    "neighbor": "Scores by neighbors in each feature",
    "subset": "Features chosen together",
    "kernel": "Kernel space",
}
TITLES = {
    "selection": "Select features and find methods",
    **FAMILIES,
    "graphs": "Graphs",
    "scale": "Large data",
    "evaluation": "Evaluation",
    "datasets": "Data",
    "report": "Reports",
    "plot": "Plots",
    "extending": "Extending featsieve",
}
# Page of other packages and modules, if it is not named as they are.
PAGES = {
    "selection": "selection",
    "registry": "selection",
    "kernel_space": "kernel",
    "estimation": "scale",
    "engines": "scale",
}
# Documented although no package exports them: what a new method needs, and what other docstrings refer to.
ADDED = {
    "extending": ("featsieve.selectors.Ranker", "featsieve.registry.method"),
    "evaluation": (
        "featsieve.evaluation.permutations.permute_labels",
        "featsieve.evaluation.verdicts.simultaneous_interval",
    ),
}
# The page of evaluation ends with the tables of the file in which comparisons are stored.
STORE = """
Format of the store
-------------------

.. automodule:: featsieve.evaluation.store
   :no-members:
"""
NOT_DOCUMENTED = {"__version__"}


def public_names() -> dict[str, Any]:
    """Return every public object by the shortest of its names."""
    names: dict[int, tuple[str, Any]] = {}
    for package in PACKAGES:
        module = importlib.import_module(f"featsieve{package}")
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.ismodule(value) and name not in NOT_DOCUMENTED:
                names.setdefault(id(value), (f"featsieve{package}.{name}", value))
    return dict(names.values())


def page_of(name: str, value: Any) -> str:
    """Return the page of a public object."""
    families = {m.estimator.__module__: m.family for m in reversed(featsieve.methods(role=None))}
    module = getattr(value, "__module__", "") or ""
    package = (module if name.count(".") == 1 else name).split(".")[1]
    if module in families:
        return families[module]
    return PAGES.get(package, package)


def pages() -> dict[str, dict[str, Any]]:
    """Return the objects of each page by name."""
    content: dict[str, dict[str, Any]] = {page: {} for page in TITLES}
    for name, value in public_names().items():
        content[page_of(name, value)][name] = value
    for page, names in ADDED.items():
        for name in names:
            module, _, attribute = name.rpartition(".")
            content[page][name] = getattr(importlib.import_module(module), attribute)
    return content


def entry(name: str, value: Any) -> str:
    """Return the directive that documents an object."""
    if inspect.isclass(value):
        return f".. autoclass:: {name}\n   :members:\n"
    if inspect.isfunction(value) or hasattr(value, "__wrapped__"):
        return f".. autofunction:: {name}\n"
    return f".. autodata:: {name}\n   :no-value:\n"


def page(title: str, objects: dict[str, Any]) -> str:
    """Return a page: a table of the names, then an entry for each."""
    ordered = sorted(objects.items(), key=lambda item: (not inspect.isclass(item[1]), item[0].lower()))
    table = "".join(f"   ~{name}\n" for name, _ in ordered)
    entries = "\n".join(entry(name, value) for name, value in ordered)
    text = f"{title}\n{'=' * len(title)}\n\n.. autosummary::\n\n{table}\n{entries}"
    if any(name.endswith(".Store") for name in objects):
        text += STORE
    return text


def write_pages(folder: Path) -> None:
    """Write all pages and their index; files that would not change keep their time."""
    folder.mkdir(exist_ok=True)
    texts = {name: page(TITLES[name], objects) for name, objects in pages().items()}
    index = "API reference\n=============\n\n.. toctree::\n\n" + "".join(f"   {name}\n" for name in TITLES)
    for name, text in {**texts, "index": index}.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def other_names() -> dict[str, str]:
    """Return the documented name of every other name of a public object."""
    documented = {id(value): name for name, value in public_names().items()}
    return {
        f"featsieve{package}.{name}": documented[id(value)]
        for package in PACKAGES[1:]
        for name, value in vars(importlib.import_module(f"featsieve{package}")).items()
        if id(value) in documented
    }


def resolve_other_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Link a name such as ``featsieve.graphs.KNNGraph`` to where its object is documented."""
    if node.get("refdomain") != "py":
        return None
    aliases, target = app.featsieve_other_names, node["reftarget"]
    name = aliases.get(target) or aliases.get(f"{node.get('py:module')}.{target}")
    if name is None:
        return None
    domain = env.domains["py"]
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, contnode)


def is_generated(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the methods that scikit-learn generates for the routing of metadata."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def escape_types(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape names such as ``n_features_`` in shapes; they would be links in reStructuredText."""
    for index, line in enumerate(lines):
        if "shape (" in line:
            lines[index] = re.sub(r"(\w)_(?=[,)])", r"\1\\_", line)


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("config-inited", lambda app, config: write_pages(Path(app.srcdir) / "api"))
    app.featsieve_other_names = other_names()
    app.connect("autodoc-process-docstring", escape_types, priority=100)  # before numpydoc
    app.connect("missing-reference", resolve_other_name)
    app.connect("autodoc-skip-member", is_generated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
