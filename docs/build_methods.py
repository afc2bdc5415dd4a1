"""Write docs/methods.md from the registry."""

from pathlib import Path

import featsieve

HEAD = """# Methods

[Which method should I use?](which-method.md) compares them. This list is generated from the registry by
`make docs`; `featsieve methods` prints the same.

| name | estimator | what it measures | labels | better | also takes | from |
|---|---|---|---|---|---|---|
"""

OTHERS = """
## Transformers and classifiers

`featsieve rank` does not accept these methods; use them in Python.

| name | estimator | role | what it does | labels | also takes | from |
|---|---|---|---|---|---|---|
"""


# Names of the kinds of input in the tables.
KINDS = {
    "sparse": "sparse",
    "multioutput": "several targets",
    "chunked": "[chunks](guide/scale.md#data-in-chunks)",
    "array_api": "tensors",
}
PAGE = Path(__file__).with_name("methods.md")


def row(m: featsieve.Method) -> str:
    """Return one line of the table."""
    takes = ", ".join(KINDS[kind] for kind in sorted(m.inputs, reverse=True))
    name, summary = (f"`{m.name}`", f"`{m.estimator.__name__}`"), m.summary.rstrip(".")
    if m.direction:
        cells = (*name, summary, m.supervised, m.direction, takes, m.reference)
    else:
        cells = (*name, m.role, summary, m.supervised, takes, m.reference)
    return "| " + " | ".join(cells) + " |\n"


def as_markdown() -> str:
    """Return the page."""
    others = [method for method in featsieve.methods(role=None) if method.role != "ranker"]
    return HEAD + "".join(map(row, featsieve.methods())) + OTHERS + "".join(map(row, others))


if __name__ == "__main__":
    PAGE.write_text(as_markdown(), encoding="utf-8")
