"""Render a summary as one self-contained HTML page."""

from __future__ import annotations

from typing import Any

from featsieve.report.page import STYLES, jinja_environment, read_asset, render_page

SCRIPTS = ("page.js", "curves.js", "agreement.js", "tables.js", "pixels.js", "start.js")

# Identifier of each section, its title in the table of contents, and the key of the summary that it shows.
SECTIONS = (
    ("answer", "Recommendation", "answer"),
    ("keep", "What to keep", "features"),
    ("data", "Data and protocol", "data"),
    ("random", "Better than random?", "curves"),
    ("agree", "Agreement", "agreement"),
    ("stable", "Stability", "stability"),
    ("redundant", "Redundancy", "redundancy"),
    ("pixels", "Pixels", "pixels"),
    ("cost", "Time and memory", "cost"),
    ("repeat", "Reproduce", "repeat"),
)


def render(summary: dict[str, Any]) -> str:
    """Render a summary as an HTML page that contains its styles, scripts and data.

    Parameters
    ----------
    summary : dict
        Return value of :func:`featsieve.report.summarize`.

    Returns
    -------
    str
        The page. Its content security policy forbids every request and every script except its own.

    Raises
    ------
    ImportError
        If the extra ``report`` (Jinja2 and Plotly) is not installed.
    """
    sections = [{"id": id_, "title": title} for id_, title, key in SECTIONS if summary.get(key)]
    return render_page(
        jinja_environment().get_template("report.html"),
        summary | {"sections": sections, "version": summary["repeat"]["versions"].get("featsieve", "")},
        payload=summary,
        style="\n".join(map(read_asset, STYLES)),
        script="\n".join(map(read_asset, SCRIPTS)),
    )
