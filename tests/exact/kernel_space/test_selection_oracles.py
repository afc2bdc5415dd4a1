"""Self-test of the KFFS, TAKES, Relief and KNNC oracles: identities and hand-computed cases only."""

from fractions import Fraction

import numpy as np
import pytest

from . import (
    features,
    fskgs,
    fskpca,
    kernel_diagonal,
    kernel_matrix,
    kffs,
    knnc,
    knnc_features,
    mp,
    relief,
    share_wrong,
    takes,
    to_float,
    weak_classifiers,
)
from .boosting import NO_VOTE, least_squares_line

RNG = np.random.default_rng(1)
X = RNG.normal(size=(15, 3))
NEW = RNG.normal(size=(4, 3))
Y2 = np.arange(15) % 2
Y3 = np.arange(15) % 3
# every feature is wrong on one sample: 3, 1, 0
V_HAND = np.array([[0, 0, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]])
Y_HAND = np.array([0, 0, 1, 1])


def is_close(a, b):
    return abs(mp.mpf(a) - b) < mp.mpf(10) ** -60


def test_least_squares_line_by_hand():
    slope, bias = least_squares_line([0, 1, 2, 3], [-1, -1, 1, 1])
    assert is_close(slope, mp.mpf(4) / 5)
    assert is_close(bias, -mp.mpf(6) / 5)
    assert least_squares_line([2, 2, 2], [-1, 1, 1]) == (0, mp.mpf(1) / 3)


def test_weak_classifiers_by_hand():
    F = np.array([[0, 5, 7], [1, 5, 1], [2, 5, 7], [3, 5, 1]])
    V = weak_classifiers(F, Y_HAND)
    assert V[0].tolist() == [0, 0, 1, 1]
    assert V[1].tolist() == [NO_VOTE] * 4
    assert V[2].tolist() == [NO_VOTE] * 4
    assert weak_classifiers(F, [0, 1, 1, 1])[1].tolist() == [1] * 4
    # indicators of classes at 0, 5, 10: the line of the second class is flat
    V = weak_classifiers(np.array([[0], [5], [10], [0], [10]]), [0, 1, 2, 0, 2])
    assert V[0].tolist()[0::2] == [0, 2, 2]
    assert V[0, 3] == 0


def test_two_classes_by_sign_equal_largest_indicator():
    V = weak_classifiers(X, Y2)
    for i in range(3):
        zero, one = (least_squares_line(X[:, i], c == Y2) for c in (0, 1))
        outputs = [(one[0] - zero[0]) * mp.mpf(x) + one[1] - zero[1] for x in X[:, i]]
        assert V[i].tolist() == [int(o > 0) for o in outputs]
        slopes = np.polyfit(X[:, i], 2 * Y2 - 1, 1)
        assert V[i].tolist() == (np.polyval(slopes, X[:, i]) > 0).astype(int).tolist()


def test_share_wrong():
    assert [share_wrong([2, 1], c) for c in (0, 1)] == [0, 1]
    for tie, expected in {"wrong": [1, 1], "share": [0.5, 0.5], "first": [0, 1], "last": [1, 0]}.items():
        assert [share_wrong([1, 1], c, tie) for c in (0, 1)] == expected
    assert share_wrong([2, 1, 2], 1, "share") == 1
    assert is_close(share_wrong([1, 1, 1], 1, "share"), mp.mpf(2) / 3)


def test_kffs_by_hand():
    """Errors 1/4; c = 1/6 1/6 1/6 1/2 and ties on samples 1 and 3: 2/3; all right: 0, clipped to 1/8."""
    result = kffs(None, Y_HAND, V=V_HAND)
    assert result.order == [0, 1, 2]
    assert all(is_close(e, w) for e, w in zip(result.errors, [mp.mpf(1) / 4, mp.mpf(2) / 3, 0], strict=False))
    assert all(is_close(g, w) for g, w in zip(result.gamma, [mp.log(3), -mp.log(2), mp.log(7)], strict=False))
    assert result.kept == [0, 2]
    assert [t.where for t in result.decisions.hazardous_ties()] == ["round 0", "round 1"]


@pytest.mark.parametrize(
    ("tie", "error", "gamma"),
    [("share", Fraction(1, 3), 2), ("last", Fraction(1, 6), 5), ("first", Fraction(1, 2), 1)],
)
def test_kffs_tie_readings_by_hand(tie, error, gamma):
    result = kffs(None, Y_HAND, tie=tie, V=V_HAND)
    assert is_close(result.errors[1], mp.mpf(error.numerator) / error.denominator)
    assert is_close(result.gamma[1], mp.log(gamma))
    assert (tie == "first") == any("sign of gamma" in t.where for t in result.decisions.ties)
    assert result.gamma[1] == 0 or tie != "first"


def test_kffs_three_classes_by_hand():
    V, y = np.array([[0, 1, 1], [0, 1, 2], [1, 1, 2]]), [0, 1, 2]
    result = kffs(None, y, V=V)
    # feature 1 is right everywhere: 0, clipped to 1/6; the weights stay equal; then ties on sample 2 or 0
    assert result.order == [1, 0, 2]
    assert is_close(result.gamma[1], mp.log(5))
    assert is_close(result.errors[1], mp.mpf(1) / 3)
    assert is_close(result.gamma[0], mp.log(2))
    # c = 1/4 1/4 1/2; then every sample has two right votes of three
    assert is_close(result.errors[2], 0)
    assert is_close(result.gamma[2], mp.log(5))
    samme = kffs(None, y, odds="samme", V=V)
    assert is_close(samme.gamma[1], mp.log(10))
    assert is_close(samme.gamma[0], mp.log(4))


def test_kffs_identical_ties_and_zero_gamma():
    result = kffs(None, Y_HAND, V=V_HAND[[0, 0, 0]])
    assert result.order == [0, 1, 2]
    assert result.decisions.ties[0].identical
    # after round 0 the ensemble's weighted error is 1/2 by construction, so gamma is exactly 0
    assert result.gamma[1] == 0
    assert result.gamma[2] == 0
    assert result.kept == [0]


def test_takes_is_kobl_then_kffs():
    for y in (Y2, Y3):
        K = kernel_matrix(X, gamma=0.5)
        result = takes(K, y)
        F = features(K, result.basis.coefficients)
        assert result.selection.order == kffs(F, y).order
        assert result.kept == [i for i, g in enumerate(result.selection.gamma) if g > 0]
        assert np.all(result.selected(K) == F[:, result.kept])
        assert 0 < result.margin < 1
        assert sorted(result.selection.order) == list(range(F.shape[1]))
        weighted = [
            (e, g)
            for e, g in zip(
                result.selection.errors, result.selection.gamma[result.selection.order], strict=False
            )
        ]
        assert all((e < 0.5) == (g > 0) for e, g in weighted if abs(e - 0.5) > 1e-30)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scaled": False}, Fraction(49, 4)),
        ({}, Fraction(49, 144)),
        ({"scaled": False, "power": 1}, Fraction(9, 4)),
        ({"power": 1}, Fraction(9, 24)),
        ({"scaled": False, "scaled_distance": True}, Fraction(49, 4)),
    ],
)
def test_relief_one_feature_by_hand(options, expected):
    """Values 10 11 | 14 16: hits 1 1 2 2, misses 4 3 3 5."""
    result = relief([[10], [11], [14], [16]], [0, 0, 1, 1], **options)
    assert is_close(result.weights[0], mp.mpf(expected.numerator) / expected.denominator)
    assert result.hits == [1, 0, 3, 2]
    assert result.misses == [[2], [2], [1], [1]]


def test_relief_three_classes_by_hand():
    F, y = [[0], [1], [3], [5], [10], [13]], [0, 0, 1, 1, 2, 2]
    hits = 1 + 1 + 4 + 4 + 9 + 9
    any_misses = 9 + 4 + 4 + 16 + 25 + 64
    weighted_misses = (9 + 100 + 4 + 81 + 4 + 49 + 16 + 25 + 81 + 25 + 144 + 64) / 2
    assert is_close(relief(F, y, scaled=False).weights[0], mp.mpf(any_misses - hits) / 6)
    assert is_close(relief(F, y, scaled=False, misses="each").weights[0], mp.mpf(weighted_misses - hits) / 6)


def test_relief_scaling_and_ties():
    F = X * [1, 100, 1e-3]
    scaled, plain = relief(F, Y2), relief(X / np.ptp(X, axis=0), Y2, scaled=False)
    np.testing.assert_allclose(to_float(scaled.weights), to_float(plain.weights), rtol=1e-10)
    assert relief(F, Y2, scaled=False).order[0] in (0, 1, 2)
    with_constant = relief(np.column_stack([X, np.full(15, 2.0)]), Y2)
    assert with_constant.weights[3] == 0
    assert with_constant.margin > 0
    tied = relief([[0], [1], [-1], [5], [6]], [0, 0, 0, 1, 1])
    assert tied.hits[0] == 1
    assert tied.neighbor_decisions.ties[0].candidates == (1, 2)
    with pytest.raises(ValueError, match="near-hit"):
        relief([[0], [1], [2]], [0, 0, 1])


def test_full_bases_have_the_neighbors_of_kernel_space():
    K = kernel_matrix(X, gamma=0.5)
    for method in (fskgs, fskpca):
        _, result = method(K, Y2, scaled=False)
        for x in range(15):
            same = [z for z in range(15) if z != x and Y2[z] == Y2[x]]
            assert result.hits[x] == same[int(np.argmin([np.sum((X[x] - X[z]) ** 2) for z in same]))]
        # Relief unscaled sums to the mean difference of squared kernel distances
        total = sum(2 * K[x, result.hits[x]] - 2 * K[x, result.misses[x][0]] for x in range(15)) / 15
        assert is_close(sum(result.weights), total)


def test_knnc_by_hand():
    train, y = [[0], [2], [5]], np.array(["b", "a", "a"])
    K, C = (
        kernel_matrix(train, None, "linear", exact=True),
        kernel_matrix([[1], [4]], train, "linear", exact=True),
    )
    diagonal = [Fraction(1), Fraction(16)]
    result = knnc(K, y, C, diagonal)
    assert result.indices == [[0], [2]]
    assert result.labels.tolist() == ["b", "a"]
    assert [t.candidates for t in result.decisions.ties] == [(0, 1)]
    assert is_close(result.margin, mp.mpf(3) / 4)  # squared distances 1 : 4 of sample 4; 1 : 16 of sample 1
    two = knnc(K, y, C, diagonal, n_neighbors=2)
    assert two.indices[0] == [0, 1]
    assert two.labels.tolist() == ["b", "a"]
    assert knnc(K, y, C, diagonal, 2, "label").labels.tolist() == ["a", "a"]
    assert knnc(K, y, C, diagonal, 3).labels.tolist() == ["a", "a"]


def test_knnc_with_rbf_kernel_is_euclidean():
    K, C = kernel_matrix(X, gamma=0.7), kernel_matrix(NEW, X, gamma=0.7)
    nearest = np.argmin(((NEW[:, None] - X[None]) ** 2).sum(axis=2), axis=1)
    result = knnc(K, Y3, C, kernel_diagonal(NEW, gamma=0.7))
    assert [i[0] for i in result.indices] == nearest.tolist()
    assert result.labels.tolist() == Y3[nearest].tolist()
    assert [i[0] for i in knnc_features(X, Y3, NEW).indices] == nearest.tolist()
