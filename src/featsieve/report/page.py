"""The frame of every HTML page: templates, styles, scripts and a content security policy, in one file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from featsieve.datasets.saving import write_atomically
from featsieve.report.numbers import bytes_, duration, fixed, grouped, probability, signed
from featsieve.report.text import brief
from featsieve.wording import counted

if TYPE_CHECKING:
    import jinja2

STYLES = ("style.css", "print.css")
SUFFIXES = (".html", ".htm")
INSTALL = "pip install 'featsieve[report]'"


def render_page(
    template: jinja2.Template, context: dict[str, Any], *, payload: dict[str, Any], style: str, script: str
) -> str:
    """Render a template that extends ``page.html``, with data for the scripts as JSON in the page.

    Without a script, Plotly is left out as well. The content security policy of the page forbids every
    request and every other script.
    """
    from markupsafe import Markup

    scripts = [plotly_script(), script] if script else []
    return template.render(
        context,
        policy=content_policy(*scripts),
        style=Markup(style),
        payload=Markup(as_payload(payload)),
        scripts=[Markup(text) for text in scripts],
    )


def check_html_path(path: str | os.PathLike[str]) -> None:
    """Raise an error if a page cannot be written to this path, before any work is done."""
    target = Path(path).expanduser()
    if target.is_dir():
        raise ValueError(f"The report cannot be written to {os.fspath(path)}, which is a folder.")
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(
            f"The report is an HTML page, so its file name must end with {' or '.join(SUFFIXES)}; "
            f"got {os.fspath(path)}."
        )
    if not target.resolve().parent.is_dir():
        raise ValueError(f"The report cannot be written to {os.fspath(path)}: its folder does not exist.")
    jinja_environment()
    plotly_script()


def write_html(page: str, path: str | os.PathLike[str]) -> None:
    """Write a page to a file, which appears only when it is complete."""
    check_html_path(path)
    with write_atomically(Path(path).expanduser()) as file:
        file.write(page.encode("utf-8"))


def as_payload(data: dict[str, Any]) -> str:
    """Return JSON without characters that could end the HTML element around it or start another."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def content_policy(*scripts: str) -> str:
    """Return a content security policy that allows these scripts, no other script, and no request."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def read_asset(name: str) -> str:
    """Return the text of a style sheet or script of the report."""
    return (resources.files("featsieve.report") / "assets" / name).read_text(encoding="utf-8")


def plotly_script() -> str:
    """Return the source of Plotly for browsers."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise ImportError(f"The report needs Plotly: {INSTALL}") from error
    # HTML parsers read \r\n as \n, which would change the hash of the script.
    return get_plotlyjs().replace("\r\n", "\n").replace("\r", "\n")


@cache
def jinja_environment() -> jinja2.Environment:
    """Return the Jinja2 environment of the report, which escapes every value."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(f"The report needs Jinja2: {INSTALL}") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("featsieve.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (fixed, signed, probability, grouped, duration, bytes_, brief, counted)
    environment.filters.update({function.__name__.rstrip("_"): function for function in filters})
    return environment
