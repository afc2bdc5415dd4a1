"""From a summary to one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from typing import Any

from featsieve.report.numbers import bytes_, duration, fixed, grouped, probability, signed
from featsieve.report.text import brief

STYLES = ("style.css", "print.css")
SCRIPTS = ("page.js", "curves.js", "agreement.js", "tables.js", "pixels.js", "start.js")
INSTALL = "pip install 'featsieve[report]'"

# Where each section stands, what it is called in the contents, and the part of the summary it needs.
SECTIONS = (
    ("answer", "The answer", "answer"),
    ("data", "The data", "data"),
    ("keep", "What to keep", "features"),
    ("random", "Does it beat random?", "curves"),
    ("agree", "Do the methods agree?", "agreement"),
    ("stable", "How stable?", "stability"),
    ("redundant", "How redundant?", "redundancy"),
    ("pixels", "Which pixels?", "pixels"),
    ("cost", "What did it cost?", "cost"),
    ("repeat", "How to repeat it", "repeat"),
)


def render(summary: dict[str, Any]) -> str:
    """The summary as one HTML page that holds its styles, its scripts and its data.

    Parameters
    ----------
    summary : dict
        What :func:`featsieve.report.summarize` gives.

    Returns
    -------
    str
        The page. Its content security policy forbids every request, and every script but its own.

    Raises
    ------
    ImportError
        When the extra ``report`` (Jinja2 and Plotly) is not installed.
    """
    environment, plotly = jinja_environment(), plotly_script()
    from markupsafe import Markup

    script = "\n".join(read_asset(name) for name in SCRIPTS)
    page = environment.get_template("report.html").render(
        summary,
        sections=[{"id": id_, "title": title} for id_, title, part in SECTIONS if summary.get(part)],
        policy=content_policy(plotly, script),
        style=Markup("\n".join(read_asset(name) for name in STYLES)),
        payload=Markup(as_payload(summary)),
        plotly=Markup(plotly),
        script=Markup(script),
    )
    return page


def as_payload(summary: dict[str, Any]) -> str:
    """JSON that can stand inside an HTML element: nothing in it can end the element or begin another."""
    text = json.dumps(summary, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def content_policy(*scripts: str) -> str:
    """Content security policy: no request at all, and no script but these."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def read_asset(name: str) -> str:
    """A style sheet or script of the report."""
    return (resources.files("featsieve.report") / "assets" / name).read_text(encoding="utf-8")


def plotly_script() -> str:
    """Plotly for browsers, whole; ImportError that says how to get it."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise ImportError(f"the report needs Plotly: {INSTALL}") from error
    # A parser of HTML reads \r\n as \n, which would change the hash of the script.
    return get_plotlyjs().replace("\r\n", "\n").replace("\r", "\n")


@cache
def jinja_environment() -> Any:
    """The templates, with everything escaped that is put into them."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(f"the report needs Jinja2: {INSTALL}") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("featsieve.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (fixed, signed, probability, grouped, duration, bytes_, brief)
    environment.filters.update({each.__name__.rstrip("_"): each for each in filters})
    return environment
