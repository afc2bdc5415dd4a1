"""Write the reproduction of papers as one self-contained HTML page."""

from __future__ import annotations

import os
from importlib import resources
from typing import Any

from featsieve.report.page import STYLES, jinja_environment, read_asset, render_page, write_html
from featsieve.reproduction.checks import RULE, group_keys
from featsieve.reproduction.formatting import format_difference, format_number
from featsieve.reproduction.panels import Panel, line_names, line_value

# More points per line cannot be distinguished in a figure.
MAX_POINTS = 200
VERDICT_STYLES = {"holds": "good", "holds partly": "fair", "does not hold": "bad", "cannot be tested": "none"}


def write_page(summaries: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write the page.

    Parameters
    ----------
    summaries : list of dict
        Results of :func:`featsieve.reproduction.summary.summarize`, one per paper.
    path : str or path
        Path of the HTML file.

    Raises
    ------
    ImportError
        If the extra ``report`` (Jinja2 and Plotly) is not installed.
    ValueError
        If the file cannot be written.
    """
    write_html(render_html(summaries), path)


def render_html(summaries: list[dict[str, Any]]) -> str:
    """Render tables, figures, claims and misprints."""
    import jinja2

    shared = jinja_environment()
    packages = ("featsieve.reproduction", "featsieve.report")
    loaders = [jinja2.PackageLoader(package, "templates") for package in packages]
    environment = shared.overlay(loader=jinja2.ChoiceLoader(loaders))
    filters = (format_difference, format_number, group_keys, line_names, line_value)
    environment.filters = shared.filters | {function.__name__: function for function in filters}
    figures = [
        {"panels": [_thin(panel) for panel in experiment["panels"]]}
        for summary in summaries
        for experiment in summary["experiments"]
        if experiment["kind"] == "figure"
    ]
    has_panels = any(figure["panels"] for figure in figures)
    versions = _versions(summaries)
    return render_page(
        environment.get_template("papers.html"),
        {
            "papers": summaries,
            "verdict_styles": VERDICT_STYLES,
            "rule": RULE,
            "versions": versions,
            "version": versions.get("featsieve", ""),
        },
        payload={"figures": figures},
        style="\n".join([*map(read_asset, STYLES), _read("papers.css")]),
        script="\n".join([read_asset("page.js"), _read("figures.js")]) if has_panels else "",
    )


def _read(asset: str) -> str:
    return (resources.files("featsieve.reproduction") / "assets" / asset).read_text(encoding="utf-8")


def _thin(panel: Panel) -> Panel:
    """Reduce the number of points of long lines."""
    lines = []
    for line in panel["lines"]:
        step = -(-len(line["sizes"]) // MAX_POINTS)
        # Slicing from the end retains the last point, which is all features.
        lines.append(line | {key: (line[key] or [])[::-1][::step][::-1] for key in ("sizes", "mean", "std")})
    return panel | {"lines": lines}


def _versions(summaries: list[dict[str, Any]]) -> dict[str, str]:
    infos = (
        info
        for summary in summaries
        for experiment in summary["experiments"]
        for info in experiment["runs"].values()
    )
    return next((info["versions"] for info in infos), {})
