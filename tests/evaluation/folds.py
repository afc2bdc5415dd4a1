"""Folds for tests of curves, and the scores of models that are refitted at every size."""

import numpy as np

from featsieve.evaluation import Fold


def split_halves(X, y, seed=0):
    mixed = np.random.default_rng(seed).permutation(len(X))
    train, test = mixed[::2], mixed[1::2]
    return Fold(X[train], X[test], y[train], y[test])


def refitted_scores(model, fold, order, sizes):
    scores = []
    for size in sizes:
        chosen = order[:size]
        model.fit(fold.X_train[:, chosen], fold.y_train)
        scores.append(model.score(fold.X_test[:, chosen], fold.y_test))
    return np.array(scores)


def integers_with_ties(n=60, d=30, levels=4, seed=0):
    """Integers with few distinct values, hence many ties."""
    random = np.random.default_rng(seed)
    return random.integers(levels, size=(n, d)).astype(float), random.integers(3, size=n)
