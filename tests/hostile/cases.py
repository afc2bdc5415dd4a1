"""Estimators, data and checks that the hostile tests share."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import featsieve
from featsieve import (
    ClassGraph,
    ConstraintScore,
    KNNGraph,
    LaplacianScore,
    LKRScore,
    LLEReconstructionScore,
    RBFGraph,
    SparsityScore,
    SPECScore,
)


@dataclass(frozen=True)
class Case:
    """An estimator and its properties."""

    name: str
    estimator: Any
    larger: bool
    needs_y: bool
    inputs: frozenset

    def fit(self, X, y=None, **parameters):
        return clone(self.estimator).set_params(**parameters).fit(X, y)

    @property
    def neighbors(self):
        """Names of the parameters that determine the number of neighbors, as in set_params."""
        parameters = self.estimator.get_params()
        names = [
            name for name, value in parameters.items() if name.endswith("n_neighbors") and value is not None
        ]
        return names + [name for name in ("graph", "ranker", "A", "B") if parameters.get(name, 0) is None]

    def with_neighbors(self, k):
        """Return parameters that request k neighbors."""
        graph = {
            "graph": KNNGraph(k),
            "ranker": LaplacianScore(KNNGraph(k)),
            "A": lambda X, y: KNNGraph(k).build(X).laplacian,
            "B": lambda X, y: np.diag(KNNGraph(k).build(X).degree),
        }
        return {name: graph.get(name, k) for name in self.neighbors}

    @property
    def rtol(self):
        """Relative tolerance of two computations of the same score; iterative solvers are less accurate."""
        return 1e-7 if is_a("SparsityScore")(self) else 1e-9


def _variants():
    # settings with another equation than the default
    yield "SPEC kind 1", SPECScore(kind=1), False, False
    yield "SPEC kind 2, all pairs", SPECScore(RBFGraph(), kind=2), False, False
    yield "SPEC kind 3", SPECScore(kind=3), True, False
    yield "Laplacian, binary", LaplacianScore(KNNGraph(4, weights="binary")), False, False
    yield "Laplacian, classes", LaplacianScore(ClassGraph()), False, True
    yield "LKR, classes", LKRScore(ClassGraph()), False, True
    yield "Algorithm 1 as printed", LLEReconstructionScore(normalize=False), False, False
    yield "constraint difference", ConstraintScore(kind="difference"), False, True
    yield "sparsity, neighbors", SparsityScore(n_neighbors=5), False, False


def _seeded(estimator):
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def _all():
    for method in featsieve.methods():
        yield Case(
            method.name,
            _seeded(method.make()),
            method.direction == "larger",
            method.supervised == "yes",
            frozenset(method.inputs),
        )
    for name, estimator, larger, needs_y in _variants():
        inputs = next(m.inputs for m in featsieve.methods() if m.estimator is type(estimator))
        yield Case(name, estimator, larger, needs_y, frozenset(inputs))


ALL = list(_all())


def over(condition=lambda case: True):
    """Parametrize a test over the cases that meet ``condition``; there must be at least one."""
    cases = [pytest.param(case, id=case.name) for case in ALL if condition(case)]
    assert cases, "no method meets the condition"
    return pytest.mark.parametrize("case", cases)


def is_a(*names):
    """Return a condition: the estimator is an instance of one of the named classes."""
    return lambda case: type(case.estimator).__name__ in names


def plain(n=30, d=7, seed=0):
    """Return positive continuous data without ties, and three classes that the first features separate.

    Every value is a multiple of 2^-20 below 16, so that adding 2^20 or scaling by 2^40 is exact.
    """
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.gamma(3.0, 1.0, size=(n, d)) + np.outer(y, np.linspace(1.5, 0, d))
    return np.round(np.minimum(X, 15) * 2**20) / 2**20, y


def integers(n=40, d=6, levels=4, seed=0):
    """Return small integers with many ties and eight duplicate rows, whose labels may differ."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, size=(n - 8, d)).astype(float)
    return np.vstack([X, X[:8]]), rng.integers(0, 3, size=n)


def check_ranking(selector, d):
    """Check that scores, order and ranking are consistent and contain no NaN."""
    assert selector.scores_.shape == (d,)
    assert not np.isnan(selector.scores_).any(), selector.scores_
    assert sorted(selector.order_) == list(range(d))
    assert np.array_equal(selector.ranking_[selector.order_], np.arange(1, d + 1))


def rejects(action, *words, error=ValueError):
    """Check that ``action`` raises ``error`` with all words in one short paragraph; return the message."""
    with pytest.raises(error) as caught:
        action()
    message = str(caught.value)
    for word in words:
        assert word in message, f"{word!r} is not in: {message}"
    assert len(message) <= 400, f"{len(message)} characters: {message}"
    assert "\n\n" not in message, message
    return message
