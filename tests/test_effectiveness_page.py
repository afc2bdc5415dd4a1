"""The page about effectiveness: generated from its results, and true to them."""

import importlib
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = {
    "date": "2030-01-02",
    "version": "9.8",
    "tried": 3,
    "splits": 4,
    "clusterings": 2,
    "timeout": 60.0,
    "only": None,
}
# view, dataset: level of each method in percent, and the p-values of the default and of fisher
LEVELS = {
    ("prediction", "apples", "auto"): 70,
    ("prediction", "apples", "laplacian"): 60,
    ("prediction", "apples", "variance"): 50,
    ("prediction", "apples", "diverse:variance"): 51,
    ("prediction", "plums", "diverse:variance"): 53,
    ("prediction", "pears", "auto"): 90,
    ("prediction", "pears", "laplacian"): 80,
    ("prediction", "pears", "variance"): 85,
    ("prediction", "plums", "auto"): 54,
    ("prediction", "plums", "laplacian"): None,
    ("prediction", "plums", "variance"): 55,
    ("prediction", "apples", "auto+labels"): 75,
    ("prediction", "pears", "auto+labels"): 91,
    ("prediction", "plums", "auto+labels"): 66,
    ("prediction", "apples", "mrmr_selection"): 76,
    ("prediction", "apples", "fisher"): 74,
    ("prediction", "pears", "fisher"): 92,
    ("prediction", "plums", "fisher"): 65,
    ("clustering", "apples", "auto"): 64,
    ("clustering", "apples", "lkr"): 68,
    ("clustering", "apples", "variance"): 61,
    ("clustering", "apples", "fastcan (10 components)"): 69,
}
LABELED = ("auto+labels", "fisher", "mrmr_selection")
RANDOM, ALL = 60, 95


def row(view, dataset, method, level):
    gain = None if level is None else (level - RANDOM) / 100
    return {
        "view": view,
        "dataset": dataset,
        "n_samples": 100,
        "n_features": 20,
        "numeric": False,
        "design": dataset == "pears",
        "method": method,
        "labels": method in LABELED,
        "level": None if level is None else level / 100,
        "gain": gain,
        "p": 0.01 if gain and abs(gain) >= 0.1 else 0.5,
        "seconds": None if level is None else 0.2 if method == "variance" else 3.0,
        "failed": 4 if level is None else 0,
        "equal_picks": 0.75 if method == "mrmr_selection" else None,
    }


@pytest.fixture
def script(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = importlib.import_module("build_effectiveness")
    yield module
    for name in ("build_effectiveness", "effectiveness", "rank_plot"):
        sys.modules.pop(name, None)


@pytest.fixture
def page(script, monkeypatch, tmp_path):
    """Return the page of the results above, and the folder with its images."""
    rows = [row(*key, level) for key, level in LEVELS.items()]
    cases = {(view, dataset) for view, dataset, _ in LEVELS}
    rows += [
        row(*case, name, level)
        for case in sorted(cases)
        for name, level in (("random", RANDOM), ("all", ALL))
    ]
    monkeypatch.setattr(script, "RESULTS", tmp_path / "effectiveness.json")
    monkeypatch.setattr(script, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(script, "IMAGES", tmp_path)
    script.main()
    assert not script.PAGE.exists()  # no results, no page
    script.RESULTS.write_text(json.dumps({"run": RUN, "rows": rows}))
    script.main()
    return script.PAGE.read_text(), tmp_path


def lines_of(text, section):
    """Return the lines of a section without bold type."""
    return text.split(f"\n## {section}\n")[1].split("\n## ")[0].replace("*", "").splitlines()


def test_committed_page_is_current(script):
    if not script.RESULTS.exists():
        assert not script.PAGE.exists()
        return
    text, images = script.build(*script.read())
    assert script.PAGE.read_text("utf-8") == text, "run make docs"
    for name, image in images.items():
        assert (script.IMAGES / name).read_text("utf-8") == image, "run make docs"


def test_gains_ranks_and_outcomes(page):
    # gains of auto: +10, +30 (designed) and -6; laplacian failed on plums and has the last rank there
    lines = lines_of(page[0], "Without labels")
    assert "| `auto` (default) | +11.3 | +2.0 | +30.0 | 1.3 | 2 / 1 / 0 |  | 15 |" in lines
    assert "| `laplacian` | +10.0 | +0.0 | +20.0 | 3.0 | 1 / 1 / 0 | 2 of 2 | 15 |" in lines
    assert "| `variance` | +3.3 | -7.5 | +25.0 | 2.3 | 1 / 1 / 1 | 2 of 3 | 1.0 |" in lines
    assert "| all features | +35.0 | +35.0 | +35.0 |  |  |  |  |" in lines
    assert "| random features | +0.0 | +0.0 | +0.0 |  |  |  |  |" in lines
    claim = "On 2 datasets that the default was not designed on, it gains 2.0 points over random features"
    assert any(line.startswith(f"{claim} on average: 1 / 1 / 0") for line in lines)


def test_a_method_that_was_not_run_everywhere_has_ranks_where_it_was_run(page):
    lines = lines_of(page[0], "With classes")
    assert any(
        line.startswith("| mrmr_selection (another package) | +16.0 | +16.0 |  | 1.0 |") for line in lines
    )
    assert any(line.startswith("| `fisher` | +17.0 | +9.5 | +32.0 | 2.0 |") for line in lines)
    assert "was run on 1 dataset. There, 75% of its choices equal those of `mrmr`" in page[0]


def test_views_and_datasets(page):
    text, _ = page
    assert lines_of(text, "With numbers")[1] == "The run has no such dataset."
    datasets = text.split("## Gains of the default on each dataset")[1]
    assert "| apples | 100 x 20 | confirm | +10.0* | +15.0* | +4.0 |" in datasets
    assert "| Without labels | `variance` | +3.3 | -8.0 | 2.3 | 3.0 |" in text
    assert "| pears | 100 x 20 | design | +30.0* | +31.0* |  |" in datasets
    # the best method of the clustering view that is not of another package
    assert "--method lkr --top 20" in text
    assert text.count("<details>") == text.count("</details>") == 3


def test_the_run_is_described(page):
    text, _ = page
    assert "designed on 1 dataset, on which 3 variants were compared. There are 2 others." in text
    assert "featsieve 9.8, 2030-01-02. 4 random splits" in text
    assert "benchmarks/effectiveness.py --data DIR --splits 4 --clusterings 2 --timeout 60 --write" in text
    assert "$" not in text


def test_plot_shows_mean_ranks(page):
    text, folder = page
    images = sorted(path.name for path in folder.glob("*.svg"))
    assert images == ["ranks-with-classes.svg", "ranks-without-labels.svg"]  # one dataset has no mean ranks
    assert all(f"/{name})" in text for name in images)
    root = ET.parse(folder / "ranks-without-labels.svg").getroot()
    labels = [
        text.text
        for text in root.iter("{http://www.w3.org/2000/svg}text")
        if text.get("text-anchor") == "end"
    ]
    # mean ranks among these four: 10/6, 15/6, 16/6, 19/6
    assert labels == ["auto", "random", "variance", "laplacian"]
    points = [float(c.get("cx")) for c in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert (points[3] - points[0]) / (points[1] - points[0]) == pytest.approx(9 / 5, abs=0.02)
