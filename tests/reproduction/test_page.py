"""The page of papers in a browser without a network."""

import pytest

from featsieve.papers import get_paper
from featsieve.reproduction.page import write_page
from featsieve.reproduction.summary import summarize
from reproduction.synthetic import make_outcomes

pytest.importorskip("jinja2", reason="the extra report is not installed")
pytest.importorskip("plotly", reason="the extra report is not installed")

SHOWN = "return [...document.querySelectorAll('figure[data-figure] .plot')].map((plot) => plot.data.length)"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for key in ("lkr", "leave-one-out", "takes"):
        paper = get_paper(key)
        outcomes = make_outcomes(paper)
        if key == "leave-one-out":  # as in the quick form, which does not run all objectives for accuracy
            first = next(iter(outcomes["figure-1"].results.values()))
            for objective in ("clustering", "nmi"):
                del first.curves[f"leave one out, {objective}"]
        if key == "takes":
            for result in outcomes["figure-2"].results.values():
                for label, sizes in (("TAKES", [7]), ("KGS+KFFS", [1, 7, 9]), ("random", [1, 7, 9])):
                    result.values[label] = {"sizes": sizes, "mean": [50.0] * len(sizes)}
        write_page([summarize(paper, outcomes, quick=True)], folder / f"{key}.html")
    return folder


def drawn_lines(browser, panel):
    """Return the lines of a panel by name: mode, color, dash, width, and the marker's size and outline."""
    entries = browser.script(
        "return document.querySelectorAll('.plot')[arguments[0]].data.map((t) =>"
        " [t.name, [t.mode, t.line.color, t.line.dash, t.line.width, t.marker.size, t.marker.line?.width]])",
        panel,
    )
    return dict(entries)


def legend_symbols(browser, figure):
    """Return the symbols in the legend of a figure by name: the shape, its color, dashes and width."""
    entries = browser.script(
        "const buttons = document.querySelectorAll(`figure[data-figure='${arguments[0]}'] .legend button`);"
        "return [...buttons].map((button) => {"
        "  const shape = button.querySelector('svg').firstChild;"
        "  const { stroke, fill, strokeWidth } = getComputedStyle(shape), dot = shape.tagName === 'circle';"
        "  const dashes = shape.getAttribute('stroke-dasharray');"
        "  return [button.textContent, [shape.tagName, dot ? fill : stroke, dashes, strokeWidth]];"
        "})",
        figure,
    )
    return dict(entries)


def test_legend_toggles_lines(browser, pages):
    browser.open(pages / "lkr.html")
    before = browser.script(SHOWN)
    assert len(before) == 4 + 2 + 3 + 2  # panels of the four figures
    assert min(before) >= 4
    browser.click("figure[data-figure='0'] .legend button")
    assert browser.script(SHOWN) == [count - (index < 4) for index, count in enumerate(before)]
    browser.click("figure[data-figure='0'] .legend button")
    assert browser.script(SHOWN) == before


def test_axis_shows_fractions(browser, pages):
    browser.open(pages / "leave-one-out.html", width=390)
    plots = "[...document.querySelectorAll('.plot')]"
    runs = get_paper("leave-one-out").experiments[0].runs
    assert browser.script(f"return {plots}.length") == sum(len(run.measures) for run in runs)
    largest = browser.script(f"return Math.max(...{plots}.flatMap((plot) => plot.data).flatMap((t) => t.x))")
    assert largest == 1
    titles = browser.script(f"return {plots}.map((plot) => plot.layout.xaxis.title.text)")
    assert set(titles) == {"fraction of features"}
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [390, 1280])
def test_page_does_not_scroll_horizontally(browser, pages, width):
    browser.open(pages / "lkr.html", width=width, dark=True)
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("dark", [False, True])
def test_baselines_of_a_dataset_have_its_color(browser, pages, dark):
    browser.open(pages / "lkr.html", dark=dark)
    lines, legend = drawn_lines(browser, 6), legend_symbols(browser, 2)
    sizes = {"pendigit": 6, "sonar": 17, "wdbc": 15, "USPS49": 100}
    own = [f"{name}, {size} features" for name, size in sizes.items()]
    assert {*lines} == {*legend}
    assert len(lines) == 3 * len(own)
    assert len({lines[name][1] for name in own}) == len({legend[name][1] for name in own}) == len(own)
    assert len({tuple(key) for key in legend.values()}) == len(legend)
    for name, (key, size) in zip(own, sizes.items(), strict=True):
        _, color, dash, width, *_ = lines[name]
        assert (dash, legend[name][2]) == ("solid", "none")
        for other, dash in ((f"{key}, {size} random features", "dash"), (f"{key}, all features", "dot")):
            assert lines[other][:3] == ["lines", color, dash]
            assert lines[other][3] < width
            assert legend[other][1] == legend[name][1]
            assert float(legend[other][3][:-2]) < float(legend[name][3][:-2])


def test_baselines_use_no_colors_of_methods(browser, pages):
    browser.open(pages / "leave-one-out.html")
    legend = legend_symbols(browser, 0)
    own = [key for name, key in legend.items() if name not in ("Random selection", "All features")]
    assert len(own) == 8  # one more than there are colors
    assert len({key[1] for key in own[:7]}) == 7
    assert {key[2] for key in own[:7]} == {"none"}


def test_table_includes_lines_missing_from_the_first_panel(browser, pages):
    browser.open(pages / "leave-one-out.html")
    rows = "[...document.querySelectorAll('figure + details tbody tr')]"
    table = browser.script(f"return {rows}.map((row) => [...row.cells].map((cell) => cell.textContent))")
    assert [row[0] for row in table] == list(legend_symbols(browser, 0))
    cells = {row[0]: row[1:] for row in table}["Leave-one-out, mutual information"]
    assert cells[0] == ""
    assert float(cells[-1]) > 0


def test_single_point_is_a_large_marker_above_the_lines(browser, pages):
    browser.open(pages / "takes.html")
    lines, legend = drawn_lines(browser, 0), legend_symbols(browser, 0)
    assert [*lines][-1] == "TAKES"
    mode, *_, size, outline = lines["TAKES"]
    assert (mode, size) == ("markers", 11)
    assert outline > 0
    assert lines["KGS+KFFS"][0] == "lines+markers"
    assert lines["KGS+KFFS"][-2] < size
    assert [legend[name][0] for name in ("TAKES", "KGS+KFFS", "Random selection")] == [
        "circle",
        "line",
        "line",
    ]
    assert legend["TAKES"][1] not in ("none", legend["KGS+KFFS"][1])
