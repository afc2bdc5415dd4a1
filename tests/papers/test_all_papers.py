"""Records of every paper: consistent, and judged also if data is missing or methods failed."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from reproduction.synthetic import incomplete_outcomes, make_outcomes

from featsieve import papers as package
from featsieve.papers import _read_paper, get_paper, papers
from featsieve.papers.leave_one_out.experiments import SEEN
from featsieve.reproduction.checks import judge
from featsieve.reproduction.ledger import as_markdown, condense
from featsieve.reproduction.outcome import Outcome
from featsieve.reproduction.schema import Run
from featsieve.reproduction.summary import summarize

EXPERIMENTS = [(paper, experiment) for paper in papers() for experiment in paper.experiments]
KEYS = [paper.key for paper in papers()]
# Comparisons whose rows are orders of features only, which random selection and all features do not have.
ONLY_ORDERS = {("lle", "table-V")}
# Experiments about costs of bases, which all features do not have.
ONLY_COSTS = {("takes", "table-2")}
JUDGMENTS = ("holds", "holds partly", "does not hold", "cannot be tested")


@pytest.mark.parametrize(("paper", "experiment"), EXPERIMENTS, ids=lambda record: record.key)
def test_published_numbers_have_a_row_a_column_and_a_statistic(paper, experiment):
    rows = {row.name: row for row in experiment.rows}
    columns = {run.key for run in experiment.runs}
    for key, number in experiment.published.items():
        assert key.column in columns
        assert key.measure in experiment.measures
        statistics = rows[key.row].statistics
        assert key.statistic in (*statistics, *(("argmax",) if "max" in statistics else ()))
        if number.mark is not None and number.mark.source is not None:
            assert number.mark.source in experiment.published


@pytest.mark.parametrize(("paper", "experiment"), EXPERIMENTS, ids=lambda record: record.key)
def test_rows_name_methods_of_the_runs(paper, experiment):
    for run in experiment.runs:
        if not isinstance(run, Run):
            continue
        known = {"random", "all", "variance", *run.methods}
        for row in experiment.rows:
            for measure in experiment.measures:
                label = row.label_for(measure, run.key)
                # Other objectives are not run with labels seen.
                assert label in known or (run.key.endswith(SEEN) and label.startswith("leave one out"))
        labels = {row.label_for(m, run.key) for row in experiment.rows for m in experiment.measures}
        if (paper.key, experiment.key) not in ONLY_ORDERS:
            assert {"random", "all"} <= labels


def test_exceptions_are_experiments():
    assert {(paper.key, experiment.key) for paper, experiment in EXPERIMENTS} >= ONLY_ORDERS | ONLY_COSTS


def test_claims_name_experiments():
    for paper in papers():
        keys = {experiment.key for experiment in paper.experiments}
        for claim in paper.claims:
            assert set(claim.experiments) <= keys
            assert (claim.check is None) == bool(claim.reason)


# Packages of papers; a paper that is one module has no functions apart from its record.
CLAIMS = sorted(path.parent.name for path in Path(package.__file__).parent.glob("*/claims.py"))


@pytest.mark.parametrize("name", CLAIMS)
def test_every_check_belongs_to_a_claim(name):
    module = import_module(f"featsieve.papers.{name}.claims")
    key = name.replace("_", "-")
    checks = {
        value
        for name, value in vars(module).items()
        if callable(value)
        and name.islower()
        and not name.startswith("_")
        # Not imported under its own name.
        and (value.__module__ == module.__name__ or value.__name__ != name)
    }
    assert checks == {claim.check for claim in get_paper(key).claims if claim.check is not None}


def test_text_must_describe_every_experiment(monkeypatch):
    monkeypatch.setattr("featsieve.papers.lkr.experiments.EXPERIMENTS", ())
    with pytest.raises(RuntimeError, match="must describe every experiment"):
        _read_paper("featsieve.papers.lkr")


def test_quick_forms_have_the_keys_of_full_forms():
    for _, experiment in EXPERIMENTS:
        for run in experiment.runs:
            assert run.quick_form().key == run.key


def test_unknown_names_raise():
    with pytest.raises(ValueError, match=r"must be one of .*lle"):
        get_paper("nothing")
    with pytest.raises(ValueError, match="has no table XX"):
        get_paper("lle").experiment("table-XX")


@pytest.mark.parametrize("key", KEYS)
def test_claims_without_data_cannot_be_tested(key):
    paper = get_paper(key)
    empty = {experiment.key: Outcome(experiment, {}, {"p=2": "gone"}) for experiment in paper.experiments}
    verdicts = {verdict.judgment for _, verdict in judge(paper, empty)}
    assert verdicts == {"cannot be tested"}
    assert judge(paper, {}) == []


@pytest.mark.parametrize("key", KEYS)
def test_every_claim_is_judged_next_to_the_baselines(key):
    paper = get_paper(key)
    verdicts = judge(paper, make_outcomes(paper))
    assert len(verdicts) == len(paper.claims)
    for claim, verdict in verdicts:
        assert verdict.judgment in JUDGMENTS
        assert "nan" not in verdict.text
        if claim.check is None:
            continue
        assert verdict.judgment != "cannot be tested", (claim.text, verdict.text)
        if not {(key, experiment) for experiment in claim.experiments} & ONLY_COSTS:
            assert "random" in f"{claim.text} {verdict.text}".lower(), claim.text
            assert "all features" in verdict.text.lower(), claim.text


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_claims_are_judged_if_runs_are_missing_or_methods_failed(key):
    paper = get_paper(key)
    for index, outcomes in enumerate(incomplete_outcomes(paper)):
        for _, verdict in judge(paper, outcomes):
            assert verdict.judgment in JUDGMENTS
        if index % 25 == 0:
            assert as_markdown([condense(summarize(paper, outcomes, quick=True))], [])


def test_cases_in_which_all_features_tie_are_omitted():
    paper = get_paper("leave-one-out")
    outcomes = make_outcomes(paper)
    figure = outcomes["figure-1"]
    column = next(key for key in figure.results if key.endswith("clustered"))
    tied = replace(figure.results[column], tied={"leave one out, clustering": 1.0})
    with_tie = outcomes | {"figure-1": replace(figure, results={**figure.results, column: tied})}
    for (_, complete), (_, verdict) in zip(judge(paper, outcomes), judge(paper, with_tie), strict=True):
        assert "of 24 cases" in complete.text
        assert "of 23 cases" in verdict.text
        assert f"Omitted: {column} ACC" in verdict.text
        assert "in 1 of 24 situations more than half" in verdict.text
