"""Write docs/methods.md from the registry."""

from pathlib import Path

import featsieve

HEAD = """# Methods

Written from the registry by `make docs`; `featsieve methods` prints the same.

| name | estimator | what it measures | labels | better | also takes | from |
|---|---|---|---|---|---|---|
"""


def row(m: featsieve.Method) -> str:
    """One line of the table."""
    takes = ", ".join(
        {"sparse": "sparse", "array_api": "tensors"}[kind] for kind in sorted(m.inputs, reverse=True)
    )
    cells = (
        f"`{m.name}`",
        f"`{m.estimator.__name__}`",
        m.summary.rstrip("."),
        m.supervised,
        m.direction,
        takes,
        m.reference,
    )
    return "| " + " | ".join(cells) + " |\n"


Path(__file__).with_name("methods.md").write_text(
    HEAD + "".join(map(row, featsieve.methods())), encoding="utf-8"
)
