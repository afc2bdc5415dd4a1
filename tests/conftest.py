"""Shared fixtures: synthetic matrices, the folder of real datasets, and a browser; and the slow tests."""

import os
from pathlib import Path

import numpy as np
import pytest
from report.browser import Browser, chromium

# Most tests of these folders and files are slow; `make test-fast` leaves them out. Slow tests of other
# files have the mark themselves.
SLOW_FOLDERS = {"exact", "fuzz", "hostile", "literal", "papers", "reproduction"}
SLOW_FILES = {
    "cli": {"compare", "data", "main"},
    "contract": {"memory"},
    "datasets": {"hostile_files", "isolated"},
    "distances": {"products"},
    "evaluation": {
        "data",
        "held_out",
        "nested",
        "results",
        "runner",
        "runner_interrupted",
        "store",
        "versions",
        "worker",
    },
    "graphs": {"l1", "neighbors"},
    "kernel_space": {"basis", "discriminant_analysis"},
    "measures": {"classification", "measures"},
    "report": {"browser"},
    "scores": {"laplacian", "line", "lle", "published", "sparsity"},
    "subsets": {"distances", "iterative", "leave_one_out", "model_importance", "objectives"},
    "tests": {"benchmarks"},
}
# Comparisons with the versions of 100 digits are slow.
EXACT = "exact_version"
# Methods that fit many models; their contract tests are slow.
SLOW_METHODS = {
    "auto",
    "AutoSelector",
    "boosting",
    "forest",
    "KernelRelief",
    "leave-one-out",
    "LeaveOneFeatureOut",
    "ModelImportance",
}


def pytest_ignore_collect(collection_path, config):
    if config.getoption("markexpr") == "not slow" and collection_path.name in SLOW_FOLDERS:
        return True
    return None


def pytest_collection_modifyitems(items):
    for item in items:
        folders = item.path.relative_to(item.config.rootpath).parts[:-1]
        name = item.path.stem.removeprefix("test_")
        test, _, parameters = item.name.partition("[")
        if (
            SLOW_FOLDERS & {*folders}
            or (folders and name in SLOW_FILES.get(folders[-1], ()))
            or test.endswith(EXACT)
            or ("contract" in folders and any(method in parameters for method in SLOW_METHODS))
        ):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(
    params=[(30, 5, 0), (30, 5, 1), (75, 17, 2), (120, 40, 3)], ids=lambda p: f"{p[0]}x{p[1]}, seed {p[2]}"
)
def data(request):
    """A tie-free matrix whose features differ in scale, shift and relation to the classes."""
    n, d, seed = request.param
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 5, d) + np.outer(y, rng.standard_normal(d)) + 3
    return X, y


@pytest.fixture(scope="session")
def data_dir():
    """Folder of the real datasets."""
    folder = os.environ.get("FEATSIEVE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("FEATSIEVE_DATA does not name a folder of datasets")
    return Path(folder)


@pytest.fixture(scope="module")
def driver():
    with chromium() as driver:
        yield driver


@pytest.fixture
def browser(driver):
    """A browser. Its page must log no error and must not request anything else."""
    browser = Browser(driver)
    yield browser
    assert [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []
    requests = browser.requests()
    assert requests, "the log of requests is empty"
    assert {address.split(":")[0] for address in requests} <= {"file", "data", "blob"}
