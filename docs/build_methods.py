"""Write docs/methods.md from the registry."""

from pathlib import Path

import featsieve

HEAD = """# Methods

Written from the registry by `make docs`; `featsieve methods` prints the same.

| name | estimator | what it measures | labels | better | also takes | from |
|---|---|---|---|---|---|---|
"""

OTHERS = """
## Methods that make new features, or predictions

`featsieve rank` does not take these: they are transformers and classifiers for Python.

| name | estimator | role | what it does | labels | also takes | from |
|---|---|---|---|---|---|---|
"""


def row(m: featsieve.Method) -> str:
    """One line of the table."""
    takes = ", ".join(
        {"sparse": "sparse", "array_api": "tensors"}[kind] for kind in sorted(m.inputs, reverse=True)
    )
    name, summary = (f"`{m.name}`", f"`{m.estimator.__name__}`"), m.summary.rstrip(".")
    if m.direction:
        cells = (*name, summary, m.supervised, m.direction, takes, m.reference)
    else:
        cells = (*name, m.role, summary, m.supervised, takes, m.reference)
    return "| " + " | ".join(cells) + " |\n"


others = [m for m in featsieve.methods(role=None) if m.role != "ranker"]
Path(__file__).with_name("methods.md").write_text(
    HEAD + "".join(map(row, featsieve.methods())) + OTHERS + "".join(map(row, others)), encoding="utf-8"
)
