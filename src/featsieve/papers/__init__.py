"""Papers as data: their experiments, the numbers they print, what they claim, and what comes of it here."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from featsieve.reproduction.schema import Paper


@cache
def papers() -> tuple[Paper, ...]:
    """The papers, by year: every module of this package that has a ``PAPER``.

    Examples
    --------
    >>> from featsieve.papers import papers
    >>> [paper.year for paper in papers() if paper.key == "lle"]
    [2017]
    """
    from featsieve.reproduction.schema import Paper

    found: dict[str, Paper] = {}
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        record = getattr(importlib.import_module(module.name), "PAPER", None)
        if not isinstance(record, Paper):
            continue
        if record.key in found:
            raise RuntimeError(f"two papers are called {record.key!r}")
        found[record.key] = record
    return tuple(sorted(found.values(), key=lambda paper: (paper.year, paper.key)))


def get_paper(key: str) -> Paper:
    """The paper of that name; ValueError with the names there are."""
    for paper in papers():
        if paper.key == key.lower():
            return paper
    raise ValueError(f"no paper {key!r}: choose of {', '.join(paper.key for paper in papers())}.")
