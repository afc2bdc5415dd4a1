"""Reports are written completely or not at all."""

import os
import sys

import pytest

from featsieve.report import write_report
from featsieve.report.page import jinja_environment
from report.synthetic import comparison


def test_page_is_written(tmp_path):
    write_report(comparison(), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_failure_keeps_the_existing_file(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(ValueError, match=r"report\.html cannot be written: No space left on device"):
        write_report(comparison(), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_invalid_path(tmp_path):
    with pytest.raises(ValueError, match="cannot be written"):
        write_report(comparison(), tmp_path / "none" / "report.html")
    with pytest.raises(ValueError, match="is a folder"):
        write_report(comparison(), tmp_path)


@pytest.mark.parametrize("library", ["plotly.offline", "jinja2"])
def test_missing_extra(tmp_path, monkeypatch, library):
    jinja_environment.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"pip install 'featsieve\[report\]'"):
        write_report(comparison(), tmp_path / "report.html")
    assert not list(tmp_path.iterdir())
