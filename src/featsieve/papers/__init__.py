"""The papers behind the methods, one package each: experiments, published numbers and claims.

A paper is a package with a record named ``PAPER``. It is discovered here; there is no list of papers.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from featsieve.reproduction.schema import Paper


@cache
def papers() -> tuple[Paper, ...]:
    """Return all papers, sorted by year.

    Examples
    --------
    >>> from featsieve.papers import papers
    >>> [paper.year for paper in papers() if paper.key == "lle"]
    [2017]
    """
    records: dict[str, Paper] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        paper: Paper = importlib.import_module(module.name).PAPER
        if paper.key in records:
            raise RuntimeError(f"The key of a paper must be unique; two papers have {paper.key!r}.")
        records[paper.key] = paper
    return tuple(sorted(records.values(), key=lambda paper: (paper.year, paper.key)))


def get_paper(key: str) -> Paper:
    """Return the paper with that key, or raise a ValueError."""
    for paper in papers():
        if paper.key == key.lower():
            return paper
    known = ", ".join(paper.key for paper in papers())
    raise ValueError(f"`paper` must be one of {known}; got {key!r}.")
