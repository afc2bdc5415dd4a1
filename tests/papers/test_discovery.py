"""Papers are found wherever they are: packages with a paper.toml, and modules with a record."""

import sys

import pytest

from featsieve import papers as package
from featsieve.reproduction.session import Session

MODULE = """
from featsieve.evaluation import RepeatedSplits
from featsieve.reproduction.cases import Scope, check_better
from featsieve.reproduction.checks import EVERY
from featsieve.reproduction.schema import BASELINES, Claim, Experiment, Paper, Row, Run
from featsieve.scores import FisherScore

PAPER = Paper(
    key="toy",
    title="A toy paper",
    authors="Toy",
    venue="Journal of Toys",
    year=2026,
    experiments=(
        Experiment(
            key="table-1",
            title="Nearest neighbor accuracy on iris",
            runs=(
                Run(
                    key="iris",
                    dataset="iris",
                    methods={"fisher": FisherScore()},
                    protocol=RepeatedSplits(2, 1 / 3),
                    measures=("nn",),
                ),
            ),
            rows=(Row("Fisher score", "fisher"), Row("Variance", "variance"), *BASELINES),
        ),
    ),
    claims=(
        Claim(
            text="The Fisher score is better than the variance.",
            section="Table 1",
            experiments=("table-1",),
            check=check_better(Scope(experiments=("table-1",)), "Fisher score", "Variance", EVERY),
        ),
    ),
)
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    (tmp_path / "toy.py").write_text(MODULE)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    package.papers.cache_clear()
    yield package.get_paper("toy")
    package.papers.cache_clear()
    sys.modules.pop("featsieve.papers.toy", None)


def test_a_paper_may_be_one_module(toy):
    assert toy in package.papers()
    outcome = Session(n_jobs=1).run_experiment(toy.experiment("table-1"))
    verdict = toy.claims[0].check({"table-1": outcome})
    assert verdict.judgment in ("holds", "holds partly", "does not hold")


def test_all_published_papers_are_found():
    assert {paper.key for paper in package.papers()} == {
        "iterative",
        "leave-one-out",
        "lkr",
        "lle",
        "takes",
    }
