"""The ledger as Markdown."""

from featsieve.papers import get_paper
from featsieve.reproduction.ledger import as_markdown, condense
from featsieve.reproduction.summary import summarize
from reproduction.synthetic import make_outcomes


def test_ledger_contains_the_rule_and_the_readings():
    paper = get_paper("lle")
    page = as_markdown([condense(summarize(paper, make_outcomes(paper), quick=True))], [])
    assert "had not seen the results" in page
    assert "- Laplacian score: matches most cells of Tables VI and VII" in page
    assert "Methods as in Table VI." in page
    assert "- Laplacian score: worst features first, as in Tables VI and VII; it is unknown whether" in page


def test_ledger_shows_the_verdicts_of_the_other_form():
    paper = get_paper("lkr")
    quick, full = (condense(summarize(paper, make_outcomes(paper), quick=quick)) for quick in (True, False))
    full["claims"] = [claim | {"verdict": f"verdict {index}"} for index, claim in enumerate(full["claims"])]
    page = as_markdown([quick], [full])
    assert "| claim | verdict | full form | measured |" in page
    for index, claim in enumerate(quick["claims"]):
        row = f"({claim['section']}) | **{claim['verdict']}** | verdict {index} | {claim['measured']} |"
        assert row in page
    page = as_markdown([full], [quick])
    assert "| claim | verdict | quick form | measured |" in page
    assert f"| **verdict 0** | {quick['claims'][0]['verdict']} |" in page
