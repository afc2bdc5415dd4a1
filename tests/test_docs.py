"""Committed pages and lists of names agree with the source that they are generated from."""

import importlib
import re
import sys
from pathlib import Path

import pytest

import featsieve

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    yield importlib.import_module
    for name in ("build_methods", "build_exports"):
        sys.modules.pop(name, None)


def test_page_of_methods_is_current(script):
    module = script("build_methods")
    assert module.PAGE.read_text("utf-8") == module.as_markdown(), "run make docs"
    page = module.SCALE.read_text("utf-8")
    assert page == module.scale_page(page), "run make docs"


def test_lists_of_exported_names_are_current(script):
    module = script("build_exports")
    for package in module.PACKAGES:
        exported = importlib.import_module(package).__all__
        assert {*exported} <= {*module.package_exports(package)}, "run make exports"
    assert {*module.stub_exports()} == {*featsieve.__all__}, "run make exports"


def test_new_scores_methods_and_builders_are_exported(script):
    module = script("build_exports")

    def my_score(X):
        return X

    class MyGraph:
        requires_y = False
        build = get_params = None

    class MyMethod:
        method = None

    class Helper:
        pass

    assert module.is_added(my_score, "my_score")
    assert module.is_added(MyGraph, "MyGraph")
    assert module.is_added(MyMethod, "MyMethod")
    assert not module.is_added(Helper, "Helper")
    assert not module.is_added(my_score, "helper")


def test_commands_of_the_containers_are_valid():
    yaml = pytest.importorskip("yaml", reason="Dask is not installed")
    cli = pytest.importorskip("distributed.cli", reason="Dask is not installed").__name__
    services = yaml.safe_load((DOCS.parent / "compose.yaml").read_text("utf-8"))["services"]
    for name in ("scheduler", "worker"):
        dask, kind, *arguments = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", services[name]["command"]).split()
        assert (dask, kind) == ("dask", name)
        context = importlib.import_module(f"{cli}.dask_{kind}").main.make_context(kind, arguments)
        assert not context.args
        for file in re.findall(r"COPY (.*) \S+\n", services[name]["build"]["dockerfile_inline"]):
            assert all((DOCS.parent / part).exists() for part in file.split())
