"""Directive that describes a registered method from its record and its docstrings.

``.. method-card:: laplacian`` writes the summary, the equations, what is supported, the costs and the
publication.
"""

from __future__ import annotations

import inspect
import re
import sys
from types import FunctionType
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

import featsieve

INPUTS = {
    "sparse": "sparse matrices",
    "multioutput": "several targets",
    "chunked": "data in chunks",
    "array_api": "PyTorch and CuPy tensors",
}
LABELS = {"no": "not used", "yes": "required", "optional": "optional"}
UNITS = {True: "do not affect the ranking", False: "matter; consider standardizing the columns"}
DIRECTIONS = {"smaller": "smaller is better", "larger": "larger is better", None: "no score"}


def section(doc: str, title: str) -> str:
    """Return a section of a numpydoc docstring without its title; the head if the title is empty."""
    parts = re.split(r"\n\n(?=.+\n---)", doc)
    if not title:
        return parts[0]
    return next((part.split("\n", 2)[2] for part in parts if part.startswith(f"{title}\n")), "")


def equations(estimator: type) -> list[Any]:
    """Return the functions, or else the class, whose docstrings have the equations of an estimator."""
    module = sys.modules[estimator.__module__]
    exported = sys.modules[estimator.__module__.rpartition(".")[0]].__all__
    functions = [
        value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and not name.startswith("_")
        and "math::" in (value.__doc__ or "")
    ]
    public = [function for function in functions if function.__name__ in exported]
    sources = public or functions
    return sources or ([estimator] if "math::" in (estimator.__doc__ or "") else [])


def card(name: str) -> str:
    """Return the description of a method in reStructuredText."""
    record = featsieve.get_method(name)
    doc = inspect.getdoc(record.estimator) or ""
    head = section(doc, "")
    sources = equations(record.estimator)
    parts = [head if record.estimator in sources else head.split(".. math::")[0]]
    parts += [
        section(inspect.getdoc(source) or "", "").partition("\n\n")[2]
        for source in sources
        if source is not record.estimator
    ]
    inputs = [text for key, text in INPUTS.items() if key in record.inputs]
    parts.append(
        f":Class: :class:`featsieve.{record.estimator.__name__}`\n"
        f":Name: ``{record.name}``\n"
        f":Labels: {LABELS[record.supervised]}\n"
        f":Score: {DIRECTIONS[record.direction]}\n"
        f":Also accepts: {', '.join(inputs) or 'dense arrays and data frames only'}\n"
        f":Units: {UNITS[record.scale_invariant]}\n"
        f":Publication: {record.reference}"
    )
    notes = [section(inspect.getdoc(source) or "", "Notes") for source in [*sources, record.estimator]]
    parts += list(dict.fromkeys(note for note in notes if note))
    return "\n\n".join(parts)


class MethodCard(Directive):
    """Description of a registered method."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse the description."""
        container = nodes.container()
        lines = StringList(card(self.arguments[0]).splitlines(), source=f"method {self.arguments[0]}")
        self.state.nested_parse(lines, self.content_offset, container)
        return container.children


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("method-card", MethodCard)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
