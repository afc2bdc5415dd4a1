"""Every module has a file of tests at the same place."""

from pathlib import Path

import pytest

import featsieve

ROOT, TESTS = Path(featsieve.__file__).parent, Path(__file__).parent
# Types only; and scripts, which tests of other modules run as processes.
EXCEPTIONS = {"types.py", "cli/__main__.py", "evaluation/_preload.py"}
# Tests of all papers together judge the modules of each.
PAPERS = "papers/"
MODULES = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if path.name != "__init__.py"
)


@pytest.mark.parametrize("module", [m for m in MODULES if m not in EXCEPTIONS and not m.startswith(PAPERS)])
def test_module_has_tests(module):
    path = TESTS / module
    assert path.with_name(f"test_{path.name.removeprefix('_')}").exists()
