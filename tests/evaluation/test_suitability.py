"""Methods that are left out of a comparison, and why."""

import numpy as np
import pytest
import scipy.sparse as sp

from featsieve.evaluation import Execution, Plan, RepeatedSplits, compare, runner, suitability
from featsieve.evaluation.candidates import choose_candidates
from featsieve.evaluation.data import prepare
from featsieve.evaluation.suitability import describe_left_out, describe_slow, leave_out, why_unsuitable


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((40, 6))


def reasons(X, y, target="auto"):
    data = prepare(X, y, target, False)
    candidates = choose_candidates(None, y is not None, data.target == "numeric")
    found = {candidate.label: why_unsuitable(candidate, data) for candidate in candidates}
    return {label: reason for label, reason in found.items() if reason}


def test_labels_classes_and_counts(X):
    unlabeled = reasons(X, None)
    assert unlabeled["fisher"] == "needs labels; name them with --target"
    assert "laplacian" not in unlabeled
    classes = reasons(X, np.arange(40) % 2)
    assert set(classes) == {"chi-square"}
    assert classes["chi-square"] == "needs values of at least 0, such as counts"  # shifts change its order
    assert reasons(np.abs(X), np.arange(40) % 2) == {}
    numbers = reasons(X, X[:, 0])
    assert numbers["fisher"].startswith("needs classes; --target-type classes")
    suitable = {
        "pearson",
        "mrmr",
        "l1-path",
        "forest",
        "laplacian",
        "relieff",
        "information-gain",
        "mcfs+labels",
    }
    assert not suitable & set(numbers)


def test_sparse_data(X, monkeypatch):
    monkeypatch.setattr("featsieve.evaluation.data.densify_small", lambda X: X)
    found = reasons(sp.csr_array(np.abs(X)), np.arange(40) % 2)
    assert found["relieff"] == "does not accept sparse data"
    assert "fisher" not in found


def test_the_quickest_methods_fill_the_budget(X, monkeypatch):
    seconds = {"fisher": 1.0, "pearson": 2.0, "relieff": 30.0, "takes": 4.0}
    monkeypatch.setattr(suitability, "estimate_seconds", lambda candidate, data: seconds[candidate.label])
    data = prepare(X, np.arange(40) % 2, "auto", False)
    candidates = choose_candidates(list(seconds), True)
    kept, left_out = leave_out(candidates, data, 10, 60)
    assert [candidate.label for candidate in kept] == ["random", "all", "variance", "fisher", "pearson"]
    assert [row["method"] for row in left_out] == ["takes", "relieff"]
    (line,) = describe_left_out(left_out)
    assert line == (
        "Left out takes (about 40 seconds), relieff (about 5 minutes): the slowest methods do not fit into "
        "the budget of 60 seconds; include one with --methods NAME, or all with a larger --budget."
    )
    assert leave_out(candidates, data, 10, None)[1] == []  # the data are small
    seconds["takes"] = 0.04
    (line,) = describe_left_out(leave_out(candidates, data, 10, 0.1)[1])
    assert "takes (about 0.4 seconds)" in line
    assert "budget of 0.1 seconds" in line


def test_the_estimate_grows_with_the_data(X, monkeypatch):
    times = iter([0.1, 0.4, 0.2])
    monkeypatch.setattr(suitability, "_time_fit", lambda *_: next(times))
    data = prepare(np.tile(X, (20, 40)), None, "auto", False)  # 800 x 240
    (candidate,) = choose_candidates("laplacian", False)[3:]
    # quadratic in the samples (100 -> 800), linear in the features (60 -> 240)
    assert suitability.estimate_seconds(candidate, data) == pytest.approx(0.1 * 8**2 * 4)


def test_left_out_methods_are_stored_and_described(X, tmp_path):
    plan, store = Plan(RepeatedSplits(2), draws=2), tmp_path / "s.sqlite"
    comparison = compare(X, X[:, 0], None, plan, Execution(store, budget=1e-9))
    assert comparison.labels == ["random", "all", "variance"]
    text = " ".join(comparison.left_out)
    assert "fisher" in text
    assert "needs classes" in text
    assert "do not fit into the budget" in text
    again = compare(X, X[:, 0], None, plan, Execution(store, budget=1000))
    assert again.labels == comparison.labels


def test_one_line_per_reason():
    rows = [{"method": "a", "reason": "x"}, {"method": "b", "reason": "y"}, {"method": "c", "reason": "x"}]
    assert describe_left_out(rows) == ["Left out a, c: x.", "Left out b: y."]


def test_slow_methods_are_named_before_they_run(X, monkeypatch):
    seconds = {"fisher": 1.0, "pearson": 2.0, "relieff": 3000.0, "takes": 50.0}
    monkeypatch.setattr(
        suitability, "estimate_seconds", lambda candidate, data: seconds.get(candidate.label, 0.0)
    )
    y = np.arange(40) % 2
    candidates = choose_candidates(list(seconds), True)
    message = describe_slow(candidates, prepare(np.tile(X, (1, 1000)), y, "auto", False), 20)
    assert message.startswith(
        "Expected to take long on one core: relieff (about 16.7 hours), takes (about 17 minutes). "
    )
    assert "--budget 10m leaves out the slowest methods, --timeout limits" in message
    assert describe_slow(candidates, prepare(X, y, "auto", False), 20) is None  # the data are small
    quick = choose_candidates("fisher", True)
    assert describe_slow(quick, prepare(np.tile(X, (1, 1000)), y, "auto", False), 20) is None


@pytest.mark.parametrize(
    ("methods", "budget", "told"),
    [("all", None, True), ("all", 1.0, False), (None, None, False), ("fisher", None, False)],
)
def test_only_groups_without_a_budget_are_told_about(X, methods, budget, told, monkeypatch):
    messages = []
    monkeypatch.setattr(runner, "describe_slow", lambda candidates, data, n_fits: f"{n_fits} fits")
    monkeypatch.setattr(runner._Run, "compute", lambda *_: None)
    compare(
        X,
        np.arange(40) % 2,
        methods,
        Plan(RepeatedSplits(5)),
        Execution(budget=budget, notify=messages.append),
    )
    assert messages == ["6 fits"] * told
