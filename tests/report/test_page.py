"""The frame of a page: its policy, its data, and where it can be written."""

import base64
import hashlib
import json

import pytest

from featsieve.report.page import as_payload, check_html_path, content_policy, read_asset, write_html

pytest.importorskip("plotly")
pytest.importorskip("jinja2")


def test_policy_allows_only_the_given_scripts():
    digest = base64.b64encode(hashlib.sha256(b"alert(1)").digest()).decode()
    policy = dict(part.split(" ", 1) for part in content_policy("alert(1)", "x").split("; "))
    assert policy["default-src"] == "'none'"
    assert f"'sha256-{digest}'" in policy["script-src"].split()
    assert len(policy["script-src"].split()) == 2
    assert "script-src 'none'" in content_policy()


def test_data_cannot_end_its_element():
    data = {"name": "</script><!-- & -->"}
    text = as_payload(data)
    assert not set(text) & set("<>&")
    assert json.loads(text) == data


def test_infinite_numbers_are_an_error():
    with pytest.raises(ValueError, match="JSON"):
        as_payload({"value": float("inf")})


def test_path_is_checked_before_the_work(tmp_path):
    check_html_path(tmp_path / "new.html")
    check_html_path(tmp_path / "NEW.HTM")
    with pytest.raises(ValueError, match=r"must end with .html or .htm; got .*x.csv"):
        check_html_path(tmp_path / "x.csv")
    with pytest.raises(ValueError, match="is a folder"):
        check_html_path(tmp_path)
    with pytest.raises(ValueError, match="its folder does not exist"):
        check_html_path(tmp_path / "none" / "new.html")


def test_page_is_written_as_utf8(tmp_path):
    write_html("\N{SNOWMAN}", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == "\N{SNOWMAN}".encode()


def test_assets_do_not_load_others():
    for name in ("style.css", "print.css"):
        assert "url(" not in read_asset(name)
        assert "@import" not in read_asset(name)
