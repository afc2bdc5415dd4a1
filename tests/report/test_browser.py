"""The report in a browser, with the network off: as a person would use it.

With FEATSIEVE_SCREENSHOT set, the screenshot in the README is updated.
"""

import base64
import itertools
import os
from pathlib import Path

import numpy as np
import pytest

from featsieve.report import write_report
from report.browser import Browser
from report.synthetic import HOSTILE, comparison

NAMES = [f"gene {index}" for index in range(12_000)]
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "report.png"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    results = comparison(names=NAMES, sizes=[1, 10, 100, 1000, 12_000])
    write_report(results, path, X=np.random.default_rng(0).uniform(size=(4, 12_000)), image_shape="100x120F")
    return path


def test_feature_table_sorts_searches_and_pages(browser, page):
    browser.open(page)
    assert browser.column(1) == [str(index) for index in range(1, 21)]
    assert browser.script("return document.querySelectorAll('#features tbody tr').length") == 20
    name, method = "#features thead th:nth-child(1)", "#features thead th:nth-child(8)"
    browser.click(f"{method} button")
    assert browser.column(7) == [str(index) for index in range(1, 21)]
    browser.click(f"{method} button")
    assert browser.column(7) == [str(12_000 - index) for index in range(20)]
    assert browser.find("css selector", method).get_attribute("aria-sort") == "descending"
    browser.click(f"{name} button")
    assert browser.column(0)[:12] == [f"gene {index}" for index in range(12)]  # by number, not by letter
    assert browser.find("css selector", method).get_attribute("aria-sort") is None
    browser.click("#feature-next")
    assert browser.column(0)[0] == "gene 20"
    browser.click("#feature-last")
    assert browser.column(0)[-1] == "gene 11999"
    browser.write("#feature-search", "GENE 1199")
    assert browser.column(0) == ["gene 1199", *(f"gene {index}" for index in range(11_990, 12_000))]
    assert browser.find("id", "feature-status").text == "1\N{EN DASH}11 of 11 features"
    browser.write("#feature-search", "no such name")
    assert browser.column(0) == []
    assert "no feature name contains this text" in browser.find("id", "feature-status").text


def test_feature_table_highlights_the_top_and_shows_scores(browser, page):
    browser.open(page)
    browser.click("#features thead th:nth-child(8) button")
    browser.write("#feature-top", "5")
    marked = "return [...document.querySelectorAll('#features tbody tr')].map((r) => r.cells[7].className)"
    assert browser.script(marked) == ["top"] * 5 + [""] * 15
    assert all(int(text.split()[0]) >= 1 for text in browser.column(6)[:5])
    browser.write("#feature-shows", "scores")
    scores = [float(text) for text in browser.column(7)]
    assert scores == sorted(scores)
    browser.write("#feature-page", "50")
    assert len(browser.column(0)) == 50


def test_columns_of_a_table_with_text(browser, tmp_path):
    columns, origins = ["age", "family", "<i>when</i>"], [0, *[1] * 15, *[2] * 8]
    names = [f"part {index} of {columns[origin]}" for index, origin in enumerate(origins)]
    write_report(comparison(names=names, columns=columns, origins=origins), tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    assert sorted(browser.column(0)) == sorted(columns)
    assert "of 3 columns" in browser.find("id", "feature-status").text
    browser.write("#feature-shows", "best_features")
    for name, part in zip(browser.column(0), browser.column(7), strict=True):
        assert part.endswith(f" of {name}")


def test_csv_contains_the_filtered_rows(browser, page):
    browser.open(page)
    browser.write("#feature-search", "gene 1199")
    # the file never leaves the page: read the blob that the link would save
    browser.script(
        "URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; });"
        " return 'data:,'; };"
        "HTMLAnchorElement.prototype.click = () => {};"
    )
    browser.click("#feature-csv")
    browser.until("return window.saved !== undefined")
    lines = browser.script("return window.saved").split("\r\n")
    own = ["feature", "rank", "score", "frequency", "interchangeable", "consensus"]
    assert lines[0] == ",".join(f'"{name}"' for name in [*own, "good", "fair", "variance", "poor"])
    assert len(lines) == 13
    assert sorted(line.split(",")[0] for line in lines[1:-1])[:2] == ['"gene 1199"', '"gene 11990"']


def test_legend_toggles_curves_and_select_changes_the_measure(browser, page):
    browser.open(page)
    names = "return document.querySelector('#curves .plot').data.filter((t) => t.name).map((t) => t.name)"
    assert browser.script(names) == ["good", "fair", "variance", "poor", "random selection", "all features"]
    button = browser.find("css selector", "#curves .legend li:nth-child(2) button")
    assert button.get_attribute("aria-pressed") == "true"
    browser.click("#curves .legend li:nth-child(2) button")
    assert browser.script(names) == ["good", "variance", "poor", "random selection", "all features"]
    assert button.get_attribute("aria-pressed") == "false"
    button.send_keys(" ")  # by keyboard as by mouse
    assert "fair" in browser.script(names)
    title = "return document.querySelector('#curves .plot').layout.yaxis.title.text"
    tables = "return [...document.querySelectorAll('[data-measure]')].map((part) => part.hidden)"
    assert (browser.script(title), browser.script(tables)) == ("score (%)", [False, True, True])
    browser.script(
        "const choice = document.getElementById('measure'); choice.selectedIndex = 1;"
        "choice.dispatchEvent(new Event('change'))"
    )
    assert browser.script(title) == "1-NN accuracy (%)"
    assert browser.script(tables) == [True, False, True]


def test_of_many_methods_only_the_recommended_one_has_a_band(browser, page):
    browser.open(page)
    bands = "return document.querySelector('#curves .plot').data.filter((t) => t.fill).length"
    assert browser.script(bands) == 2  # the other is that of random selection
    browser.click("#curves .legend li:nth-child(4) button")
    assert browser.script(bands) == 4


def test_cost_table_sorts(browser, page):
    browser.open(page)
    browser.click("#cost table thead th:nth-child(3) button")
    values = browser.script(
        "return [...document.querySelectorAll('#cost tbody tr')]"
        ".map((row) => Number(row.cells[2].dataset.value))"
    )
    assert values == sorted(values, reverse=True)
    assert len(values) == 6


def test_selected_pixels_are_colored(browser, page):
    browser.open(page)
    painted = """
        const canvas = document.querySelector('canvas[data-method="0"]');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += data[at] !== data[at + 2];
        return [canvas.width, canvas.height, count];
    """
    for top in (1, 700, 12_000):
        browser.write("#pixel-count", str(top))
        assert browser.script(painted) == [120, 100, top]
    browser.write("#pixel-count", "1")
    index = browser.script("return report.features.methods[0].ranks.indexOf(1)")
    at = browser.script(
        """
        const canvas = document.querySelector('canvas[data-method="0"]');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        for (let at = 0; at < data.length; at += 4) if (data[at] !== data[at + 2]) return at / 4;
        """
    )
    assert divmod(at, 120) == divmod(index, 100)[::-1]  # stored by columns


def test_long_names_that_begin_alike_are_told_apart_on_a_phone(browser, tmp_path):
    names = [f"Homo_sapiens_chromosome_7_transcript_variant_{index}_hypothetical" for index in range(24)]
    write_report(comparison(names=names), tmp_path / "names.html")
    browser.open(tmp_path / "names.html", width=390, height=800)
    for selector in (".chosen .name", "#features tbody th .cut"):
        cut = (
            "return [...document.querySelectorAll(arguments[0])]"
            ".filter((e) => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1).length"
        )
        assert browser.script(cut, selector) == 0
        assert browser.script("return document.querySelectorAll(arguments[0]).length", selector) > 0
    assert browser.script("return document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("width", [320, 400, 1280])
def test_labels_of_the_figures_do_not_overlap(browser, tmp_path, width):
    sizes = [1, 2, 3, 4, 6, 9, 15, 23, 36, 57, 88, 139, 217, 340, 532, 832, 1303, 2040, 3194, 5000]
    gains = {f"method {index}": 0.02 * index for index in range(7)}
    names = [f"feature {index}" for index in range(5000)]
    write_report(comparison(gains, names=names, sizes=sizes), tmp_path / "labels.html")
    browser.open(tmp_path / "labels.html", width=width, height=800)
    boxes = (
        "return [...document.querySelectorAll(arguments[0])].filter((t) => t.textContent)"
        ".map((t) => t.getBoundingClientRect()).map((box) => [box.top, box.left, box.right])"
    )
    for selector in ("#curves .xtick text", "#agreement-plot .annotation-text"):
        shown = sorted(browser.script(boxes, selector))
        assert len(shown) > 4 or (width < 500 and "annotation" in selector)
        for (top, _, right), (next_top, left, _) in itertools.pairwise(shown):
            assert next_top - top > 1 or right < left


@pytest.mark.parametrize("dark", [False, True])
def test_correlations_are_readable_on_their_shade(browser, page, dark):
    """The contrast of the text is that of large text in WCAG or better, for every correlation."""
    browser.open(page, dark=dark)
    contrasts = browser.script(
        """
        const light = (channels) => channels.map((c) => c / 255)
          .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
        return [-1, -0.8, -0.6, -0.3, 0, 0.3, 0.61, 0.7, 0.8, 1].map((value) => {
          const end = rgb(value < 0 ? "heat-low" : "heat-high");
          const shade = rgb("surface").map((c, i) => c + Math.abs(value) * (end[i] - c));
          const [a, b] = [light(shade), light(parse(textColor(value)))];
          return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        });
        """
    )
    assert min(contrasts) > 3.8


@pytest.mark.parametrize("width", [320, 390, 820, 1280])
def test_the_page_never_scrolls_sideways(browser, page, width):
    browser.open(page, width=width, height=800)
    browser.script("for (const each of document.querySelectorAll('details')) each.open = true")
    widths = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
    assert widths == [width, width]


def test_dark_mode_reaches_the_figures(browser, page):
    colors = (
        "return [getComputedStyle(document.body).backgroundColor,"
        " document.querySelector('#curves .plot').layout.font.color]"
    )
    browser.open(page)
    light = browser.script(colors)
    browser.open(page, dark=True)
    dark = browser.script(colors)
    assert light == ["rgb(255, 255, 255)", "#1a1f26"]
    assert dark == ["rgb(18, 22, 27)", "#e4e8ec"]
    scheme = {"name": "prefers-color-scheme", "value": "light"}
    browser.command("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.until("return document.querySelector('#curves .plot').layout.font.color === '#1a1f26'")


def test_printing_uses_light_colors_and_unfolds_tables(browser, page):
    browser.open(page, dark=True)
    browser.script("dispatchEvent(new Event('beforeprint'))")
    state = (
        "return [document.querySelector('#curves .plot').layout.font.color,"
        " getComputedStyle(document.body).backgroundColor,"
        " document.querySelectorAll('details:not([open])').length]"
    )
    assert browser.script(state) == ["#1a1f26", "rgb(255, 255, 255)", 0]
    browser.script("dispatchEvent(new Event('afterprint'))")
    assert browser.script(state)[0] == "#e4e8ec"
    assert browser.script(state)[2] > 0
    printed = browser.command("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


def test_all_controls_are_reachable_by_keyboard(browser, page):
    from selenium.webdriver.common.keys import Keys

    browser.open(page)
    body = browser.find("tag name", "body")
    body.send_keys(Keys.TAB)
    assert browser.script("return document.activeElement.className") == "skip"
    assert browser.script("return document.activeElement.getBoundingClientRect().left") >= 0
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.script("return location.hash") == "#answer"
    heading = browser.find("css selector", "#features thead th:nth-child(1) button")
    heading.send_keys(Keys.ENTER)
    assert browser.column(0)[0] == "gene 0"
    assert browser.script("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    # nothing that can be pressed is out of reach
    out = 'return document.querySelectorAll(\'button[tabindex="-1"], a[tabindex="-1"]\').length'
    assert browser.script(out) == 0


def test_hostile_names_execute_nothing(browser, tmp_path):
    names = HOSTILE + [f"f{index}" for index in range(14)]
    results = comparison(
        dict.fromkeys(HOSTILE, 0.05),
        names=names,
        dataset_name=HOSTILE[1],
        target=HOSTILE[0],
        class_counts=dict.fromkeys(HOSTILE, 3),
        notes=HOSTILE,
        transductive=True,
        sees_labels=True,
    )
    write_report(results, tmp_path / "hostile.html")
    browser.open(tmp_path / "hostile.html", width=390, height=800)
    browser.write("#feature-page", "50")
    shown = browser.column(0)
    for name in (HOSTILE[0], HOSTILE[1], HOSTILE[2], HOSTILE[3], HOSTILE[6], HOSTILE[9]):
        assert name in shown
    assert browser.script("return document.querySelector('#features .cut').title") in names
    assert browser.script("return window.hacked") is None
    assert browser.script("return document.querySelectorAll('img, .plot a, .plot b').length") == 0
    assert browser.script("return document.documentElement.scrollWidth") == 390
    # in a figure too, a name is text
    labels = browser.script(
        "return [...document.querySelectorAll('#agreement-plot .ytick text')].map((t) => t.textContent)"
    )
    assert any("<script>" in label for label in labels)
    assert any("<b>bold" in label for label in labels)


def test_labels_of_many_methods_do_not_overlap_on_a_phone(browser, tmp_path):
    write_report(comparison({f"method {index}": 0.0 for index in range(24)}), tmp_path / "many.html")
    browser.open(tmp_path / "many.html", width=390, height=800)
    boxes = browser.script(
        "return [...document.querySelectorAll('#agreement-plot .xtick text')].filter((t) => t.textContent)"
        ".map((t) => t.getBoundingClientRect()).map((box) => [box.left, box.right])"
    )
    assert len(boxes) > 3
    assert all(a[1] < b[0] for a, b in itertools.pairwise(sorted(boxes)))


def test_content_policy_blocks_injected_scripts(driver, page, tmp_path):
    """The policy of the page stops scripts and requests that escaping missed."""
    browser = Browser(driver)
    text = page.read_text(encoding="utf-8")
    hole = "<script>window.hacked = 1</script><img src='https://example.org/x.png'>"
    (tmp_path / "hole.html").write_text(
        text.replace('<main id="main">', f'<main id="main">{hole}'), encoding="utf-8"
    )
    browser.open(tmp_path / "hole.html")
    assert browser.script("return window.hacked") is None
    refused = [entry["message"] for entry in browser.driver.get_log("browser")]
    assert sum("Content Security Policy" in message for message in refused) == 2
    asked = browser.requests()
    assert "https://example.org/x.png" in asked  # so any request would have been seen


def test_screenshot_for_the_readme(browser, tmp_path):
    """The first screen of the report of a real comparison."""
    from sklearn.datasets import load_breast_cancer

    from featsieve.datasets import load
    from featsieve.evaluation import Plan, RepeatedSplits, compare

    wanted = os.environ.get("FEATSIEVE_SCREENSHOT")
    methods = None if wanted else ["fisher"]  # None is all that suit the data, as in `make demo`
    results = compare(load("breast_cancer"), methods=methods, plan=Plan(RepeatedSplits(10 if wanted else 3)))
    write_report(results, tmp_path / "report.html")
    browser.open(tmp_path / "report.html", width=1120, height=900)
    assert browser.find("tag name", "h1").text == "breast_cancer"
    browser.write("#feature-page", "50")
    assert set(browser.column(0)) == set(load_breast_cancer().feature_names)
    drawn = "return document.querySelector('#curves .plot').data.map((trace) => trace.y).flat()"
    assert all(0 <= value <= 100 for value in browser.script(drawn))
    picture = PICTURE if wanted else tmp_path / "report.png"
    picture.parent.mkdir(exist_ok=True)
    browser.picture(picture, height=900)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000
