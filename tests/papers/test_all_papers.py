"""Claims of every paper on made-up outcomes: all of them, with data missing, with methods that failed."""

from dataclasses import replace

import pytest
from reproduction.synthetic import outcomes

from featsieve.papers import get_paper, papers
from featsieve.reproduction.ledger import as_markdown, condense
from featsieve.reproduction.session import judge
from featsieve.reproduction.summary import summarize

JUDGMENTS = ("holds", "holds partly", "does not hold", "cannot be tested")


@pytest.mark.parametrize("key", [paper.key for paper in papers()])
def test_every_claim_is_judged_with_what_stands_beside(key):
    paper = get_paper(key)
    found = judge(paper, outcomes(paper))
    assert len(found) == len(paper.claims)
    for claim, verdict in found:
        assert verdict.judgment in JUDGMENTS
        assert "nan" not in verdict.text
        if claim.check is not None and not {"table-1", "table-2"} & {*claim.experiments}:
            assert verdict.judgment != "cannot be tested", (claim.text, verdict.text)
            if claim.experiments == ("table-scaling",):  # of scores, not of accuracy
                continue
            assert "random" in f"{claim.text} {verdict.text}".lower(), claim.text
            if claim.experiments != ("table-IV", "table-V"):  # orders have no accuracy
                assert "all features" in verdict.text.lower(), claim.text


def broken(paper):
    """The outcomes with one run or one method less; of runs that are alike, the first."""
    asked = {key for claim in paper.claims for key in claim.experiments}
    whole = {key: outcome for key, outcome in outcomes(paper).items() if key in asked}
    for key, outcome in whole.items():
        for column, one in list(outcome.findings.items())[:1]:
            rest = {name: each for name, each in outcome.findings.items() if name != column}
            yield whole | {key: replace(outcome, findings=rest, missing={column: "gone"})}
            nothing = replace(outcome, findings={}, missing=dict.fromkeys(outcome.findings, "gone"))
            yield whole | {key: nothing}
            for label in one.curves or one.values:
                less = replace(
                    one,
                    curves={name: each for name, each in one.curves.items() if name != label},
                    orders={name: each for name, each in one.orders.items() if name != label},
                    values={name: each for name, each in one.values.items() if name != label},
                    errors={label: ["no luck"]},
                )
                yield whole | {key: replace(outcome, findings=outcome.findings | {column: less})}


@pytest.mark.parametrize("key", [paper.key for paper in papers()])
def test_nothing_that_is_missing_or_failed_takes_the_rest_down(key):
    paper = get_paper(key)
    for number, found in enumerate(broken(paper)):
        for _, verdict in judge(paper, found):
            assert verdict.judgment in JUDGMENTS
        if number % 25 == 0:
            assert as_markdown([condense(summarize(paper, found, quick=True))], [])


def test_the_ledger_tells_the_rule_and_the_readings():
    paper = get_paper("lle")
    page = as_markdown([condense(summarize(paper, outcomes(paper), quick=True))], [])
    assert "did not see the results" in page
    assert "- Laplacian score: as most cells of Tables VI and VII have it" in page
    assert "The methods were run as in Table VI." in page
    assert "- Laplacian score: as in Tables VI and VII, worst features first: whether it was so here" in page


def test_the_ledger_has_the_verdicts_of_the_other_form_beside():
    lkr = get_paper("lkr")
    quick, full = (condense(summarize(lkr, outcomes(lkr), quick=quick)) for quick in (True, False))
    full["claims"] = [each | {"verdict": f"verdict {number}"} for number, each in enumerate(full["claims"])]
    page = as_markdown([quick], [full])
    assert "| claim | verdict | in full | measured |" in page
    for number, each in enumerate(quick["claims"]):
        assert f"({each['where']}) | **{each['verdict']}** | verdict {number} | {each['measured']} |" in page
    other = as_markdown([full], [quick])
    assert "| claim | verdict | quick | measured |" in other
    assert f"| **verdict 0** | {quick['claims'][0]['verdict']} |" in other


def test_where_all_features_tie_nothing_was_chosen():
    paper = get_paper("leave-one-out")
    found = outcomes(paper)
    figure = found["figure-1"]
    column = next(key for key in figure.findings if key.endswith("clustered"))
    tied = replace(figure.findings[column], tied={"leave one out, clustering": 1.0})
    less = found | {"figure-1": replace(figure, findings={**figure.findings, column: tied})}
    for (_, whole), (_, verdict) in zip(judge(paper, found), judge(paper, less), strict=True):
        assert "of 24 cases" in whole.text
        assert "of 23 cases" in verdict.text
        assert f"Left out: {column} ACC" in verdict.text
        assert "in 1 of 24 situations over half" in verdict.text
