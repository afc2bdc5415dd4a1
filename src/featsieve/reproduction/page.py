"""What came of papers, as one HTML page that needs nothing else."""

from __future__ import annotations

import os
from importlib import resources
from typing import Any

from featsieve.report.page import STYLES, jinja_environment, read_asset, render_page, write_html
from featsieve.reproduction.checks import RULE
from featsieve.reproduction.summary import difference, missing, names_of_lines, number_of_line, text

# Points of a line that a figure draws; more would not be seen.
_POINTS = 200
_VERDICTS = {"holds": "good", "holds partly": "fair", "does not hold": "bad", "cannot be tested": "none"}


def write_page(summaries: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write the page.

    Parameters
    ----------
    summaries : list of dict
        What :func:`featsieve.reproduction.summary.summarize` gives, one for each paper.
    path : str or path

    Raises
    ------
    ImportError
        When the extra ``report`` (Jinja2 and Plotly) is not installed.
    ValueError
        When the path cannot be written.
    """
    write_html(render_html(summaries), path)


def render_html(summaries: list[dict[str, Any]]) -> str:
    """The page: tables side by side, the figures, the claims, the misprints."""
    import jinja2

    shared = jinja_environment()
    environment = shared.overlay(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("featsieve.reproduction", "templates"), shared.loader]
        )
    )
    own = (difference, missing, names_of_lines, number_of_line)
    environment.filters = shared.filters | {"number": text} | {each.__name__: each for each in own}
    figures = [
        {"panels": [_thin(panel) for panel in experiment["panels"]]}
        for summary in summaries
        for experiment in summary["experiments"]
        if experiment["kind"] == "figure"
    ]
    drawn = any(figure["panels"] for figure in figures)
    versions = _versions(summaries)
    return render_page(
        environment.get_template("papers.html"),
        {
            "papers": summaries,
            "verdicts": _VERDICTS,
            "rule": RULE,
            "versions": versions,
            "version": versions.get("featsieve", ""),
        },
        payload={"figures": figures},
        style="\n".join([*map(read_asset, STYLES), _own("assets", "papers.css")]),
        script="\n".join([read_asset("page.js"), _own("assets", "figures.js")]) if drawn else "",
    )


def _own(*path: str) -> str:
    return resources.files("featsieve.reproduction").joinpath(*path).read_text(encoding="utf-8")


def _thin(panel: dict[str, Any]) -> dict[str, Any]:
    """The panel with fewer points where lines have very many."""
    lines = []
    for line in panel["lines"]:
        step = -(-len(line["sizes"]) // _POINTS)
        # the last point is all features and stays
        lines.append(
            line | {key: (line[key] or [])[::-1][::step][::-1] for key in ("sizes", "mean", "spread")}
        )
    return panel | {"lines": lines}


def _versions(summaries: list[dict[str, Any]]) -> dict[str, str]:
    for summary in summaries:
        for experiment in summary["experiments"]:
            for info in experiment["runs"].values():
                return info["versions"]
    return {}
