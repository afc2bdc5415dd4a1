"""The papers behind the methods, one package each: experiments, published numbers and claims.

In each package ``paper.toml`` contains the text: bibliographic data, titles and notes of the experiments,
claims and misprints. The module ``experiments`` defines the tables and figures, EXPERIMENTS, and the module
``claims`` the checks that the claims name. A small paper may be a single module with the record PAPER.
Packages and modules are discovered here; there is no list of papers.
"""

from __future__ import annotations

import pkgutil
import tomllib
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.resources import files

from featsieve.reproduction.schema import Claim, Experiment, Paper


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
        paper: Paper = getattr(import_module(module.name), "PAPER", None) or _read_paper(module.name)
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


def _read_paper(package: str) -> Paper:
    """Combine the text of a paper with its experiments and checks."""
    text = tomllib.loads((files(package) / "paper.toml").read_text(encoding="utf-8"))
    experiments: tuple[Experiment, ...] = import_module(f"{package}.experiments").EXPERIMENTS
    checks = import_module(f"{package}.claims")
    described = text.pop("experiments")
    if list(described) != [experiment.key for experiment in experiments]:
        raise RuntimeError(f"paper.toml must describe every experiment of {package}, in the same order.")
    titled = (
        replace(experiment, **entry | {"notes": (*experiment.notes, *entry.get("notes", ()))})
        for experiment, entry in zip(experiments, described.values(), strict=True)
    )
    claims = (
        Claim(
            **claim
            | {
                "experiments": tuple(claim.get("experiments", ())),
                "check": getattr(checks, claim["check"]) if "check" in claim else None,
            }
        )
        for claim in text.pop("claims")
    )
    misprints = tuple(text.pop("misprints", ()))
    return Paper(**text, experiments=tuple(titled), claims=tuple(claims), misprints=misprints)
