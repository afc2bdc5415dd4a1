"""Xu et al. 2011."""

from featsieve.papers import get_paper
from featsieve.reproduction.checks import judge
from featsieve.reproduction.outcome import Outcome, RunResult


def test_published_costs_satisfy_their_claims():
    paper = get_paper("takes")
    table = paper.experiment("table-2")
    results = {
        run.key: RunResult(
            values={
                row.label: {
                    statistic: table.published[row.name, run.key, "", statistic].value
                    for statistic in ("cost", "dimension")
                }
                | {"largest product": 1.0}
                for row in table.rows
                if row.name in ("KOBL", "KGS", "KPCA", "KDA")
            }
        )
        for run in table.runs
    }
    verdicts = {
        claim.text: verdict for claim, verdict in judge(paper, {"table-2": Outcome(table, results, {})})
    }
    assert len(verdicts) == 4
    assert {verdict.judgment for verdict in verdicts.values()} == {"holds"}
