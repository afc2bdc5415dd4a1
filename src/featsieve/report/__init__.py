"""One HTML file that tells what a comparison found.

:func:`summarize` makes plain data of a comparison, :func:`render` a page of the data, and
:func:`write_report` both, into a file.
"""

from featsieve.report.pixels import ImageShape
from featsieve.report.render import render
from featsieve.report.summarize import summarize
from featsieve.report.write import write_report

__all__ = ["ImageShape", "render", "summarize", "write_report"]
