"""Estimators that adapt a method to the setup of a paper."""

from featsieve import VarianceScore
from featsieve.reproduction.readings import FixedOrder, WithoutLabels


def test_without_labels_hides_the_labels(data):
    X, y = data
    assert WithoutLabels(VarianceScore()).fit(X, y).order_.tolist() == VarianceScore().fit(X).order_.tolist()


def test_fixed_order_is_returned_for_any_data(data):
    assert FixedOrder([1, 0]).fit(*data).order_.tolist() == [1, 0]
