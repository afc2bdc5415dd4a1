"""The page of a paper in a browser, with the network off: figures are drawn, lines go and come."""

import pytest

from featsieve.papers import get_paper
from featsieve.papers.page import write_page
from featsieve.papers.summary import summarise
from papers.synthetic import outcomes

pytest.importorskip("jinja2", reason="the extra report is not installed")
pytest.importorskip("plotly", reason="the extra report is not installed")

SHOWN = "return [...document.querySelectorAll('figure[data-figure] .plot')].map((plot) => plot.data.length)"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for key in ("lkr", "leave-one-out"):
        paper = get_paper(key)
        write_page([summarise(paper, outcomes(paper), quick=True)], folder / f"{key}.html")
    return folder


def test_figures_are_drawn_and_lines_are_toggled(browser, pages):
    browser.open(pages / "lkr.html")
    before = browser.script(SHOWN)
    assert len(before) == 4 + 2 + 3 + 2  # panels of the four figures
    assert min(before) >= 4
    browser.click("figure[data-figure='0'] .legend button")
    assert browser.script(SHOWN) == [count - (place < 4) for place, count in enumerate(before)]
    browser.click("figure[data-figure='0'] .legend button")
    assert browser.script(SHOWN) == before


def test_axis_of_shares(browser, pages):
    browser.open(pages / "leave-one-out.html", width=390)
    plots = "[...document.querySelectorAll('.plot')]"
    assert browser.script(f"return {plots}.length") == 24
    largest = browser.script(f"return Math.max(...{plots}.flatMap((plot) => plot.data).flatMap((t) => t.x))")
    assert largest == 1
    titles = browser.script(f"return {plots}.map((plot) => plot.layout.xaxis.title.text)")
    assert set(titles) == {"share of the features"}
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_never_scrolls_sideways(browser, pages, width):
    browser.open(pages / "lkr.html", width=width, dark=True)
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth")
