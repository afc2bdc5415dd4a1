"""The documentation site: complete, without broken links, and usable in a browser without a network.

`make docs` builds the site. Tests of the built pages are skipped if there is none, except on CI.
"""

import importlib
import inspect
import os
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import pytest
from sklearn.utils.estimator_checks import check_estimator

import featsieve

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SITE = DOCS / "_build" / "html"
PACKAGES = ("", *(f".{name}" for name in featsieve.__all__ if inspect.ismodule(getattr(featsieve, name))))


@pytest.fixture
def api_pages(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    return importlib.import_module("api_pages")


@pytest.fixture
def site():
    if not (SITE / "index.html").exists():
        if os.environ.get("CI"):
            pytest.fail("the site is not built: run make docs")
        pytest.skip("the site is not built: run make docs")
    return SITE


def test_every_public_object_is_on_exactly_one_page_of_the_reference(api_pages):
    documented = Counter(id(value) for page in api_pages.pages().values() for value in page.values())
    assert set(documented.values()) == {1}
    for package in PACKAGES:
        module = importlib.import_module(f"featsieve{package}")
        for name in getattr(module, "__all__", []):
            value = getattr(module, name)
            assert inspect.ismodule(value) or name == "__version__" or id(value) in documented, name


def test_methods_are_grouped_by_their_families(api_pages):
    pages = api_pages.pages()
    for method in featsieve.methods(role=None):
        assert method.estimator in pages[method.family].values()


def test_every_method_is_described_in_the_user_guide_once():
    text = "\n".join(path.read_text("utf-8") for path in (DOCS / "guide").glob("*.md"))
    described = re.findall(r"method-card:: ([\w-]+)", text)
    assert sorted(described) == sorted(method.name for method in featsieve.methods(role=None))


def test_every_equation_can_be_drawn(monkeypatch):
    pytest.importorskip("docutils")
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    mathml, method_pages = (importlib.import_module(name) for name in ("mathml", "method_pages"))
    formulas = 0
    for method in featsieve.methods(role=None):
        card = method_pages.card(method.name)
        for formula in re.findall(r"\.\. math::((?:.+\n?)+)", card):
            formulas += 1
            assert mathml.convert(formula).startswith("<math")
    assert formulas > 25


def test_the_gallery_has_twenty_examples():
    examples = sorted((ROOT / "examples").glob("plot_*.py"))
    assert len(examples) >= 20
    for example in examples:
        assert "\n====" in example.read_text("utf-8").split('"""')[1], example.name


def test_the_score_of_the_how_to_page_passes_the_checks_of_scikit_learn(tmp_path, monkeypatch):
    page = (DOCS / "howto" / "own-score.md").read_text("utf-8")
    session = re.search(r"```python\n(>>> .*?)\n\n```", page, re.DOTALL)[1]
    (tmp_path / "peak.py").write_text("\n".join(line[4:] for line in session.splitlines()), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    check_estimator(importlib.import_module("peak").PeakScore(), on_skip=None)


class Links(HTMLParser):
    """Addresses and identifiers of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.ids.add(value)


def test_no_link_is_broken(site):
    pages = {path.resolve(): Links(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if urlparse(link).scheme or link.startswith("//"):
                continue
            address, fragment = urldefrag(link.partition("?")[0] if "#" not in link else link)
            target = (path.parent / unquote(address.partition("?")[0])).resolve() if address else path
            if not target.exists() or (
                fragment and target in pages and unquote(fragment) not in pages[target].ids
            ):
                broken.append(f"{path.name}: {link}")
    assert len(pages) > 50
    assert broken == []


def test_llms_txt_lists_pages_and_methods(site):
    text = (site / "llms.txt").read_text("utf-8")
    for address in re.findall(r"\]\((\S+)\)", text):
        assert (site / address).exists()
    for method in featsieve.methods(role=None):
        assert f"`{method.name}`" in text


# The fixture ``browser`` fails if a page logs an error or requests anything from a network.
READY = "return document.readyState === 'complete'"


def test_search_works_offline(browser, site):
    browser.open(site / "search.html", ready=READY)
    browser.driver.get((site / "search.html").as_uri() + "?q=laplacian")
    browser.until("return document.querySelectorAll('#search-results li').length > 3")
    found = browser.script("return document.querySelector('#search-results').textContent")
    assert "LaplacianScore" in found


@pytest.mark.parametrize("dark", [False, True])
def test_dark_mode_follows_the_system(browser, site, dark):
    browser.open(site / "guide" / "graph-scores.html", dark=dark, ready=READY)
    browser.until("return document.documentElement.dataset.theme")
    assert browser.script("return document.documentElement.dataset.theme") == ("dark" if dark else "light")
    color = browser.script("return getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", color)[:3]))
    assert brightness < 200 if dark else brightness > 600
    assert browser.script("return document.querySelectorAll('math mfrac').length") > 2


PAGES = ("index", "which-method", "guide/subsets", "api/evaluation", "gallery/plot_13_pipeline", "ledger")


@pytest.mark.parametrize("page", PAGES)
def test_pages_fit_a_phone(browser, site, page):
    browser.open(site / f"{page}.html", width=390, height=800, ready=READY)
    width = browser.script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert width == [390, 390]
