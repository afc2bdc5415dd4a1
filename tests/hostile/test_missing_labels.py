"""A label of -1 marks unlabeled samples for methods that take partial labels; for others it is a class."""

import json

import numpy as np
import pandas as pd
import pytest
from literal import graphs, scores
from numpy.testing import assert_allclose, assert_array_equal
from typer.testing import CliRunner

from featsieve import ConstraintScore, FisherScore
from featsieve.cli.app import app
from featsieve.evaluation import Plan, compare

from .cases import plain, rejects

KINDS = [int, float, str]


def partly_labeled():
    X, y = plain(n=42)
    return X, np.where(np.arange(len(y)) % 4 == 0, -1, y)


@pytest.mark.parametrize("kind", KINDS)
def test_minus_one_means_unlabeled_as_number_and_as_text(kind):
    X, y = partly_labeled()
    expected = scores.constraint(X, *graphs.pairs_from_labels(y))
    assert_allclose(ConstraintScore().fit(X, y.astype(kind)).scores_, expected, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_minus_one_is_a_class_for_other_methods(kind):
    X, y = partly_labeled()
    assert_allclose(FisherScore().fit(X, y.astype(kind)).scores_, scores.fisher(X, y), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_one_class_and_minus_one_is_rejected_with_an_explanation(kind):
    X, y = plain()
    labels = np.where(y == 0, -1, 1).astype(kind)
    rejects(lambda: ConstraintScore().fit(X, labels), "y must", "-1 means 'no label'", "recode")


def test_explanation_is_omitted_without_minus_one():
    X, _ = plain()
    assert "-1" not in rejects(lambda: ConstraintScore().fit(X, np.zeros(len(X))), "y must")


@pytest.mark.parametrize("kind", KINDS)
def test_compare_treats_minus_one_as_unlabeled(kind):
    X, y = partly_labeled()
    # without scaling, fitted on all samples
    orders = compare(X, y.astype(kind), ["constraint"], Plan(scale=False)).orders()
    assert_array_equal(orders["constraint"], ConstraintScore().fit(X, y).order_)
    assert any("-1" in note for note in compare(X, y, ["constraint"]).info["dataset"]["notes"])


@pytest.mark.parametrize("kind", KINDS)
def test_rank_treats_minus_one_as_unlabeled(kind, tmp_path):
    X, y = partly_labeled()
    if kind is str:
        y = np.where(y < 0, "-1", np.char.add("class ", y.astype(str)))
    frame = pd.DataFrame(X, columns=list("abcdefg")).assign(target=y)
    frame.to_csv(tmp_path / "partly.csv", index=False)
    outcome = CliRunner().invoke(
        app, ["rank", str(tmp_path / "partly.csv"), "--method", "constraint", "--json"]
    )
    ranked = [row["score"] for row in json.loads(outcome.stdout)["features"]]
    assert_allclose(ranked, np.sort(ConstraintScore().fit(X, y).scores_), rtol=1e-9)
    assert_allclose(ranked, np.sort(scores.constraint(X, *graphs.pairs_from_labels(partly_labeled()[1]))))
