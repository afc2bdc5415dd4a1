"""HTML reports of comparisons.

:func:`summarize` converts a comparison to plain data, :func:`render` converts the data to an HTML page, and
:func:`write_report` does both and writes the page to a file.
"""

from featsieve.report.pixels import ImageShape
from featsieve.report.render import render
from featsieve.report.summarize import summarize
from featsieve.report.write import write_report

__all__ = ["ImageShape", "render", "summarize", "write_report"]
