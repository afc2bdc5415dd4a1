"""Files about the project agree with each other: versions, lowest supported versions, commands."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

import featsieve

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def lowest_versions(requirements):
    return dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups() for requirement in requirements)


def test_version_is_in_one_place():
    assert "version" in PROJECT["dynamic"]
    assert f'version: "{featsieve.__version__}"' in (ROOT / "conda/recipe.yaml").read_text("utf-8")


def test_oldest_versions_are_the_lower_bounds():
    lines = (ROOT / ".ci/oldest.txt").read_text("utf-8").splitlines()
    oldest = dict(line.split("==") for line in lines if not line.startswith("#"))
    bounds = lowest_versions(PROJECT["dependencies"])
    assert oldest.keys() >= bounds.keys()
    assert all(Version(oldest[name]) == Version(bounds[name]) for name in bounds)


def test_conda_recipe_has_the_dependencies():
    recipe = (ROOT / "conda/recipe.yaml").read_text("utf-8")
    listed = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe, re.MULTILINE))
    assert listed.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    assert listed == lowest_versions(PROJECT["dependencies"])


def test_pre_commit_runs_the_checks_of_make_lint():
    assert "entry: make lint" in (ROOT / ".pre-commit-config.yaml").read_text("utf-8")


@pytest.mark.parametrize("path", ["README.md", "docs/tutorial.md", "docs/install.md", "CONTRIBUTING.md"])
def test_named_make_targets_exist(path):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = set(re.findall(r"\bmake ([a-z][a-z-]+)\b", (ROOT / path).read_text("utf-8")))
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert named - {"it"} <= targets


def test_extras_on_the_page_of_installation_exist():
    page = (ROOT / "docs/install.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == {*PROJECT["optional-dependencies"]}
