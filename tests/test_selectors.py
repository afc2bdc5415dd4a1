"""Rankers: documented parameters and attributes, and whether they require labels."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import featsieve
from featsieve import ClassGraph, ConstraintGraph, KNNGraph, LaplacianScore, RBFGraph
from featsieve.selectors import Ranker

SHARED = (
    "scores_",
    "order_",
    "ranking_",
    "n_features_",
    "n_features_curve_",
    "n_features_in_",
    "feature_names_in_",
)


def documented_attributes(cls):
    """Return the entries of the Attributes section, which must directly follow the parameters."""
    docstring = inspect.getdoc(cls)
    assert docstring.count("Attributes\n----------\n") == 1
    before, section = docstring.split("Attributes\n----------\n")
    assert before.count("\n---") == (1 if "Parameters\n----------\n" in docstring else 0)
    return {line.split(" :")[0]: line for line in section.split("\n\n")[0].splitlines() if line[0] != " "}


@pytest.mark.parametrize("method", featsieve.methods(), ids=lambda m: m.name)
def test_docstrings_of_rankers_list_the_shared_attributes(method):
    assert set(documented_attributes(method.estimator)) >= set(SHARED)


def test_parameters_are_documented_in_the_order_of_the_signature():
    for method in featsieve.methods():
        section = inspect.getdoc(method.estimator).split("Parameters\n----------\n")[1].split("\n\n")[0]
        documented = [line.split(" :")[0] for line in section.splitlines() if line[0] != " "]
        assert documented == [*inspect.signature(method.estimator).parameters], method.name


def test_own_entries_take_precedence_over_shared_ones():
    class Score(Ranker, BaseEstimator):
        """Score.

        Parameters
        ----------
        n_features_to_select : int
            Own number.

        Attributes
        ----------
        order_ : list
            Own order.
        extra_ : int
            More.

        Notes
        -----
        None.
        """

    attributes = documented_attributes(Score)
    assert list(attributes) == [*SHARED, "extra_"]
    assert attributes["order_"] == "order_ : list"
    assert inspect.getdoc(Score).endswith("More.\n\nNotes\n-----\nNone.")
    assert "n_features_to_select : int\n    Own number.\n\nAttributes" in inspect.getdoc(Score)


@pytest.mark.parametrize(
    ("builder", "requires_y"),
    [
        (KNNGraph(), False),
        (RBFGraph(), False),
        (ClassGraph(), True),
        (ConstraintGraph("cannot"), True),
        (ConstraintGraph(pairs=[(0, 1)]), False),
    ],
    ids=str,
)
def test_a_ranker_requires_labels_if_its_graph_does(builder, requires_y):
    assert builder.requires_y is requires_y
    X = np.random.default_rng(0).standard_normal((12, 3))
    ranker = LaplacianScore(builder)
    assert ranker.__sklearn_tags__().target_tags.required is requires_y
    if requires_y:
        with pytest.raises(ValueError, match="requires y to be passed"):
            ranker.fit(X)
    ranker.fit(X, np.arange(12) % 3)


def test_builder_class_instead_of_an_instance_is_rejected():
    with pytest.raises(ValueError, match="got the class KNNGraph"):
        LaplacianScore(KNNGraph).fit(np.eye(4))
