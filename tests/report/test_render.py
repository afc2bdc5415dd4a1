"""The page is self-contained and shows any name as text."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from featsieve.cli.results import describe_recommendation, explain_table, make_title
from featsieve.report import render, summarize
from featsieve.report.page import STYLES, read_asset
from featsieve.report.render import SCRIPTS, SECTIONS
from report.synthetic import HOSTILE, comparison


class Page(HTMLParser):
    """Elements, scripts and text of a page."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.scripts, self.text, self._inside = [], [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text.append(data)

    def attributes(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def hostile():
    names = HOSTILE + [f"f{index}" for index in range(14)]
    results = comparison(
        dict.fromkeys(HOSTILE, 0.05),
        names=names,
        dataset_name=HOSTILE[0],
        target=HOSTILE[1],
        class_counts=dict.fromkeys(HOSTILE, 3),
        notes=HOSTILE,
        description=HOSTILE[2],
        parameters={HOSTILE[3]: HOSTILE[4]},
    )
    results.info["command"] = HOSTILE[1]
    return summarize(results)


@pytest.fixture(scope="module")
def page(hostile):
    return render(hostile)


def test_hostile_names_are_shown_as_text(page, hostile):
    parsed = Page(page)
    assert len(parsed.scripts) == 3
    assert json.loads(parsed.scripts[0]) == hostile
    assert not set("<>&") & set(parsed.scripts[0])  # nothing that could end the element or begin another
    assert not parsed.attributes("img")
    assert not any(name.startswith("on") for _, attributes in parsed.elements for name in attributes)
    assert {attributes["href"][0] for attributes in parsed.attributes("a")} == {"#"}
    text = "".join(parsed.text)
    for name in HOSTILE:
        if name.isprintable() or "\u202e" in name:
            assert name in text
    assert "{{ 7 * 7 }}" in text
    assert HOSTILE[6] in {attributes.get("title") for attributes in parsed.attributes("span")}


def test_page_loads_nothing_else(page):
    parsed = Page(page)
    for tag, attributes in parsed.elements:
        assert "src" not in attributes
        if tag == "link":
            assert attributes["href"] == "data:,"
    assert "@import" not in "".join(read_asset(name) for name in STYLES)
    (policy,) = [each["content"] for each in parsed.attributes("meta") if "http-equiv" in each]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    scripts = policy.split("script-src ")[1].split(";")[0].split()
    digests = [hashlib.sha256(script.encode()).digest() for script in parsed.scripts[1:]]
    assert scripts == [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def test_page_contains_every_asset(page):
    for name in (*STYLES, *SCRIPTS):
        assert read_asset(name) in page


def test_identifiers_are_unique_and_links_have_targets():
    parsed = Page(render(summarize(comparison(), image_shape="4x6")))
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"][1:] for attributes in parsed.attributes("a")]
    assert set(links) == {section[0] for section in SECTIONS}
    for _, attributes in parsed.elements:
        for name in ("aria-labelledby", "for", "data-copy"):
            assert attributes.get(name, ids[0]) in ids


def test_elements_used_by_scripts_exist():
    page = render(summarize(comparison(), image_shape="4x6"))
    ids = {attributes["id"] for _, attributes in Page(page).elements if "id" in attributes}
    script = Page(page).scripts[2]
    asked = set(re.findall(r'(?:getElementById|control)\("([\w-]+)"\)', script))
    assert len(asked) > 12
    assert asked <= ids


def test_empty_sections_are_omitted():
    ids = {a["id"] for _, a in Page(render(summarize(comparison()))).elements if "id" in a}
    assert "pixels" not in ids
    assert {"answer", "data", "keep", "random", "agree", "stable", "redundant", "cost", "repeat"} <= ids


def test_warnings_of_the_protocol_are_shown():
    text = " ".join(Page(render(summarize(comparison(transductive=True, sees_labels=True)))).text)
    assert "Features were selected on the test samples" in text
    assert "Some methods have seen the test labels" in text


def test_all_failed_methods_are_listed():
    results = comparison({f"method {index}": 0.0 for index in range(12)})
    cells = [replace(cell, status="failed", error="no luck", result=None) for cell in results.cells]
    page = render(summarize(replace(results, cells=cells)))
    answer = page[page.index('id="answer-title"') : page.index('id="data-title"')]
    assert all(f">method {index}<" in answer for index in range(12))
    assert "95% intervals" not in answer


@pytest.mark.parametrize("n_splits", [1, 6])
def test_one_of_each_is_singular(n_splits):
    one = comparison(
        {"good": 0.1, "variance": -0.1}, names=["only"], sizes=[1], n_splits=n_splits, n_samples=1,
        class_counts={"a": 1, "b": 1},
    )  # fmt: skip
    assert one.recommend().method == ("good" if n_splits > 1 else None)
    failed = replace(one.cells[1], status="failed", result=None, error="broken")
    broken = replace(one, cells=[failed, *one.cells[2:]])
    shown = (one, broken, replace(one, cells=[failed]))
    texts = [" ".join(Page(render(summarize(results))).text) for results in shown]
    texts += [make_title(one), explain_table(broken), describe_recommendation(one), repr(one)]
    for text in texts:
        plural = re.search(r"\b1 (feature|(subset )?size|split|sample|method|column|classe|run)s\b", text)
        assert not plural, text[max(0, plural.start() - 60) : plural.end() + 20]
