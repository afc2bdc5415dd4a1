"""Invalid input is rejected with a message that names it and the remedy."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from featsieve import ClassGraph, ConstraintGraph, KNNGraph, LaplacianScore, LKRScore, RBFGraph, SPECScore

from .cases import is_a, over, plain, rejects


def named(arguments, rows):
    """Parametrize over rows whose first entry is their name."""
    return pytest.mark.parametrize(arguments, [pytest.param(*row[1:], id=row[0]) for row in rows])


@over()
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_non_finite_values(case, value, word):
    X, y = plain()
    X[4, 3] = value
    with pytest.raises(ValueError, match=word):
        case.fit(X, y)


@over()
def test_message_names_the_column_with_nan(case):
    X, y = plain(d=4)
    frame = pd.DataFrame(X, columns=["age", "height", "mass", "pulse"])
    frame.loc[3, "mass"] = np.nan
    message = rejects(lambda: case.fit(frame, y), "NaN", "mass")
    assert "height" not in message


def invalid_tables():
    X, _ = plain()
    yield "words", X.astype(str)[:, :2] + "x", "convert"
    yield "complex", X + 1j, "omplex"
    yield "no rows", X[:0], "0 sample"
    yield "no columns", X[:, :0], "0 feature"
    yield "one dimension", X[:, 0], "2D"
    yield "three dimensions", X[:, :, None], "dim"
    yield "a number", 3.0, "2D"


@over()
@named("X, word", invalid_tables())
def test_invalid_tables(case, X, word):
    y = plain()[1][: len(X)] if np.ndim(X) else [0]
    with pytest.raises((ValueError, TypeError), match=word):
        case.fit(X, y)


@over()
def test_none_as_data(case):
    with pytest.raises((ValueError, TypeError)):
        case.fit(None, plain()[1])


@over(lambda case: case.needs_y)
def test_missing_labels(case):
    message = rejects(lambda: case.fit(plain()[0]))
    assert "y" in message.replace(",", " ").replace(":", " ").replace(".", " ").split()


USE_LABELS = ("ConstraintScore", "GraphPreservingScore", "TraceRatio", "MCFS", "SPFS", "AutoSelector")


@over(lambda case: not case.needs_y and not is_a(*USE_LABELS)(case))
def test_unsupervised_methods_ignore_labels(case):
    X, y = plain()
    assert np.array_equal(case.fit(X).scores_, case.fit(X, y).scores_)


@over(lambda case: case.needs_y)
@pytest.mark.parametrize("length", [0, 29, 31])
def test_labels_of_wrong_length(case, length):
    X, _ = plain()
    with pytest.raises(ValueError, match=r"sample|\by\b"):
        case.fit(X, np.arange(length) % 3)


@over(lambda case: case.needs_y)
def test_labels_with_nan(case):
    X, y = plain()
    y = y.astype(float)
    y[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        case.fit(X, y)


@over(lambda case: case.needs_y and "target" not in case.estimator.get_params())
def test_continuous_labels(case):
    X, _ = plain()
    with pytest.raises(ValueError, match=r"label|class|continuous"):
        case.fit(X, X[:, 0] + 0.5)


@over(lambda case: case.neighbors and not is_a("ReliefF")(case))
@pytest.mark.parametrize("n", [2, 4, 5])
def test_more_neighbors_than_samples(case, n):
    X, y = plain()
    rejects(lambda: case.fit(X[:n], y[:n], **case.with_neighbors(n)), "n_neighbors", str(n))


@over(lambda case: case.neighbors)
@pytest.mark.parametrize("k", [0, -1, 2.5, "five", None, np.nan])
def test_invalid_n_neighbors(case, k):
    if k is None and is_a("SparsityScore")(case):
        pytest.skip("None means all other samples")
    X, y = plain()
    rejects(lambda: case.fit(X, y, **case.with_neighbors(k)), "n_neighbors")


def with_bandwidth(bandwidth):
    yield LaplacianScore(KNNGraph(bandwidth=bandwidth))
    yield SPECScore(KNNGraph(bandwidth=bandwidth))
    yield SPECScore(RBFGraph(bandwidth=bandwidth))
    yield LKRScore(bandwidth=bandwidth)
    yield LKRScore(ClassGraph(), bandwidth=bandwidth)


@pytest.mark.parametrize("index", range(5))
@pytest.mark.parametrize("bandwidth", [1e-300, 0, -1.0, np.nan, "mean", None])
def test_invalid_bandwidth(index, bandwidth):
    X, y = plain()
    rejects(lambda: list(with_bandwidth(bandwidth))[index].fit(X, y), "bandwidth")


@over()
@pytest.mark.parametrize("number", [0, -1, 1.5, 0.0, -0.5, 8, "half", np.nan])
def test_invalid_n_features_to_select(case, number):
    X, y = plain(d=7)
    rejects(lambda: case.fit(X, y, n_features_to_select=number), "n_features_to_select")


@over()
def test_transform_with_another_number_of_features(case):
    X, y = plain()
    selector = case.fit(X, y)
    with pytest.raises(ValueError, match="7 features"):
        selector.transform(X[:, :5])


@over(lambda case: "sparse" not in case.inputs)
def test_sparse_data_for_dense_methods(case):
    X, y = plain()
    with pytest.raises((TypeError, ValueError), match=r"[Ss]parse"):
        case.fit(sp.csr_array(X), y)


@over(is_a("ChiSquareScore"))
def test_message_names_the_column_with_negative_counts(case):
    X, y = plain()
    X[3, 4] = -0.5
    rejects(lambda: case.fit(X, y), "egative", "4")


def invalid_weights():
    valid = KNNGraph().build(plain()[0]).weights.toarray()
    yield "negative", -valid, "negative"
    yield "nan", np.where(valid > 0, np.nan, valid), "NaN"
    yield "rectangular", valid[:, :-1], "square"
    yield "too small", valid[:-1, :-1], "29"
    yield "one-sided", np.triu(valid), "symmetric"
    yield "words", "knn", "graph"
    yield "sparse, negative", sp.csr_array(-valid), "negative"
    yield "sparse, one-sided", sp.csr_array(np.triu(valid)), "symmetric"


@named("weights, word", invalid_weights())
def test_invalid_weights(weights, word):
    rejects(lambda: LaplacianScore(weights).fit(plain()[0]), "graph", word)


def test_graph_without_edges():
    X, _ = plain()
    rejects(lambda: LaplacianScore(np.zeros((30, 30))).fit(X), "graph")


def test_graph_of_other_samples():
    X, _ = plain()
    rejects(lambda: LaplacianScore(KNNGraph().build(X)).fit(X[:20]), "30", "20")


@pytest.mark.parametrize(
    ("pairs", "word"),
    [
        ([(0, 30)], "30"),
        ([(-1, 2)], "-1"),
        ([(3, 3)], "itself"),
        ([(0, 1, 2)], "pairs"),
        ([], "pairs"),
        ([(0.5, 1.0)], "pairs"),
        ([("a", "b")], "pairs"),
    ],
)
@pytest.mark.parametrize("link", ["must", "cannot"])
def test_invalid_pairs(pairs, word, link):
    rejects(lambda: ConstraintGraph(link, pairs=pairs).build(plain()[0]), f"{link}_link", word)


def test_class_graph_without_labels():
    rejects(lambda: ClassGraph().build(plain()[0]), "y")


@pytest.mark.parametrize("builder", [KNNGraph(), RBFGraph()], ids=["KNNGraph", "RBFGraph"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_builders_reject_non_finite_values(builder, value):
    X, _ = plain()
    X[2, 1] = value
    with pytest.raises(ValueError, match=r"NaN|inf"):
        builder.build(X)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("weights", "gauss"), ("symmetric", "yes"), ("algorithm", "magic"), ("n_neighbors", 30)],
)
def test_invalid_builder_parameters(parameter, value):
    rejects(lambda: KNNGraph(**{parameter: value}).build(plain()[0]), parameter)


def test_cannot_link_pairs_need_two_classes():
    y = np.zeros(30, dtype=int)
    y[::2] = -1
    rejects(lambda: ConstraintGraph("cannot").build(plain()[0], y), "y", "cannot-link")
