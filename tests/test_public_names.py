"""Public names are listed in files that type checkers and editors read, and the lists are complete."""

import ast
import importlib
from pathlib import Path

import pytest

import featsieve

PACKAGES = ("datasets", "evaluation", "graphs", "kernel_space", "plot", "report", "scores", "subsets")
STUB = Path(featsieve.__file__).with_suffix(".pyi")


def exported_names(path):
    """Return the names in ``__all__`` of a file, read without importing it."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    raise AssertionError(f"{path} has no __all__")


def test_the_stub_exports_what_can_be_imported():
    exported = exported_names(STUB)
    assert sorted(exported) == sorted({*exported})
    assert {*exported} - {"__version__"} == {*featsieve.__all__}
    assert {*featsieve.__all__} <= {*dir(featsieve)}
    for name in exported:
        assert getattr(featsieve, name) is not None


def test_every_method_is_exported():
    for method in featsieve.methods(role=None):
        name = method.estimator.__name__
        package = importlib.import_module(method.estimator.__module__.rpartition(".")[0])
        assert name in featsieve.__all__, "run make exports"
        assert name in package.__all__, "run make exports"
        assert getattr(featsieve, name) is getattr(package, name) is method.estimator


def test_every_exported_ranker_is_a_method():
    estimators = {method.estimator for method in featsieve.methods(role=None)}
    exported = {
        getattr(featsieve, name) for name in featsieve.__all__ if hasattr(getattr(featsieve, name), "fit")
    }
    assert exported == estimators


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_export_what_they_define(package):
    module = importlib.import_module(f"featsieve.{package}")
    exported = exported_names(Path(module.__file__))
    assert sorted(exported) == sorted({*exported})
    for name in exported:
        value = getattr(module, name)
        assert getattr(value, "__module__", module.__name__).startswith(module.__name__)


@pytest.mark.parametrize("name", ["Laplacian", "_private"])
def test_unknown_names_are_attribute_errors(name):
    with pytest.raises(AttributeError, match=name):
        getattr(featsieve, name)
