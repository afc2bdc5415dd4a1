"""Results know the source that made them."""

import pytest
from sklearn.datasets import load_iris

from featsieve.evaluation import Execution, Plan, RepeatedSplits, compare, versions


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_other_source_makes_another_run(iris, tmp_path, monkeypatch):
    plan = Plan(RepeatedSplits(2), sizes=[1], draws=1)
    first = compare(*iris, "fisher", plan, Execution(tmp_path / "s.sqlite"))
    assert f"(source {versions.source()})" in first.info["versions"]["featsieve"]
    assert compare(*iris, "fisher", plan, Execution(tmp_path / "s.sqlite")).run_id == first.run_id
    monkeypatch.setattr(versions, "source", lambda: "0123456789ab")
    other = compare(*iris, "fisher", plan, Execution(tmp_path / "s.sqlite"))
    assert other.run_id != first.run_id
    assert "0123456789ab" in other.info["versions"]["featsieve"]


def test_source_is_what_decides_results(tmp_path, monkeypatch):
    def source_of(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return versions.source.__wrapped__()

    monkeypatch.setattr(versions, "__file__", str(tmp_path / "evaluation" / "versions.py"))
    assert versions.source.__wrapped__() == "unknown"
    first = source_of({"scores/a.py": "1", "cli/b.py": "1", "papers/lle.py": "1", "papers/readings.py": "1"})
    assert source_of({"cli/b.py": "2", "papers/lle.py": "2"}) == first
    second = source_of({"scores/a.py": "2"})
    third = source_of({"papers/readings.py": "2"})
    assert len({first, second, third}) == 3
