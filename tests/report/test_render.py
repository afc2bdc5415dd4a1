"""The page holds all it needs, and shows names as text, whatever they are."""

import base64
import hashlib
import json
import os
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from featsieve.report import render, summarize, write_report
from featsieve.report.page import STYLES, jinja_environment, read_asset
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
    names = HOSTILE + [f"f{place}" for place in range(14)]
    given = comparison(
        dict.fromkeys(HOSTILE, 0.05),
        names=names,
        dataset_name=HOSTILE[0],
        target=HOSTILE[1],
        class_counts=dict.fromkeys(HOSTILE, 3),
        notes=HOSTILE,
        description=HOSTILE[2],
        parameters={HOSTILE[3]: HOSTILE[4]},
    )
    given.info["command"] = HOSTILE[1]
    return summarize(given)


@pytest.fixture(scope="module")
def page(hostile):
    return render(hostile)


def test_hostile_names_are_text(page, hostile):
    found = Page(page)
    assert len(found.scripts) == 3
    assert json.loads(found.scripts[0]) == hostile
    assert not set("<>&") & set(found.scripts[0])  # nothing that could end the element or begin another
    assert not found.attributes("img")
    assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes)
    assert {attributes["href"][0] for attributes in found.attributes("a")} == {"#"}
    text = "".join(found.text)
    for name in HOSTILE:
        if name.isprintable() or "\u202e" in name:
            assert name in text
    assert "{{ 7 * 7 }}" in text
    assert HOSTILE[6] in {attributes.get("title") for attributes in found.attributes("span")}


def test_nothing_comes_from_elsewhere(page):
    found = Page(page)
    for tag, attributes in found.elements:
        assert "src" not in attributes
        if tag == "link":
            assert attributes["href"] == "data:,"
    assert "@import" not in "".join(read_asset(name) for name in STYLES)
    (policy,) = [each["content"] for each in found.attributes("meta") if "http-equiv" in each]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    scripts = policy.split("script-src ")[1].split(";")[0].split()
    digests = [hashlib.sha256(script.encode()).digest() for script in found.scripts[1:]]
    assert scripts == [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def test_every_file_is_inside(page):
    for name in (*STYLES, *SCRIPTS):
        assert read_asset(name) in page


def test_identifiers_are_one_of_a_kind_and_links_lead_somewhere():
    found = Page(render(summarize(comparison(), image_shape="4x6")))
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"][1:] for attributes in found.attributes("a")]
    assert set(links) == {section[0] for section in SECTIONS}
    for _, attributes in found.elements:
        for name in ("aria-labelledby", "for", "data-copy"):
            assert attributes.get(name, ids[0]) in ids


def test_scripts_find_the_elements_they_ask_for():
    page = render(summarize(comparison(), image_shape="4x6"))
    ids = {attributes["id"] for _, attributes in Page(page).elements if "id" in attributes}
    script = Page(page).scripts[2]
    asked = set(re.findall(r'(?:getElementById|control)\("([\w-]+)"\)', script))
    assert len(asked) > 12
    assert asked <= ids


def test_sections_without_anything_to_say_are_left_out():
    ids = {a["id"] for _, a in Page(render(summarize(comparison()))).elements if "id" in a}
    assert "pixels" not in ids
    assert {"answer", "data", "keep", "random", "agree", "stable", "redundant", "cost", "repeat"} <= ids


def test_protocol_is_marked():
    text = " ".join(Page(render(summarize(comparison(transductive=True, sees_labels=True)))).text)
    assert "Features were selected on the test samples" in text
    assert "Some methods have seen the test labels" in text


class TestWrite:
    def test_writes(self, tmp_path):
        write_report(comparison(), tmp_path / "report.html")
        assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_a_failure_leaves_the_old_file_and_no_other(self, tmp_path, monkeypatch):
        target = tmp_path / "report.html"
        target.write_text("old")

        def broken(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", broken)
        with pytest.raises(ValueError, match=r"report\.html cannot be written: No space left on device"):
            write_report(comparison(), target)
        assert target.read_text() == "old"
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_no_folder(self, tmp_path):
        with pytest.raises(ValueError, match="cannot be written"):
            write_report(comparison(), tmp_path / "none" / "report.html")
        with pytest.raises(ValueError, match="is a folder"):
            write_report(comparison(), tmp_path)

    @pytest.mark.parametrize("library", ["plotly.offline", "jinja2"])
    def test_missing_extra(self, tmp_path, monkeypatch, library):
        jinja_environment.cache_clear()
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(ImportError, match=r"pip install 'featsieve\[report\]'"):
            write_report(comparison(), tmp_path / "report.html")
        assert not list(tmp_path.iterdir())


def test_methods_that_all_failed_are_all_named():
    given = comparison({f"method {place}": 0.0 for place in range(12)})
    cells = [replace(cell, status="failed", error="no luck", result=None) for cell in given.cells]
    page = render(summarize(replace(given, cells=cells)))
    answer = page[page.index('id="answer-title"') : page.index('id="data-title"')]
    assert all(f">method {place}<" in answer for place in range(12))
    assert "95% intervals" not in answer
