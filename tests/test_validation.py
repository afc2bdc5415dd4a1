import numpy as np
import pytest
import scipy.sparse as sp

import featsieve
from featsieve.validation import check_finite

da = pytest.importorskip("dask.array", reason="dask is not installed")


@pytest.fixture
def X():
    return np.random.default_rng(0).gamma(2.0, size=(30, 6))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_values_that_are_not_finite_are_rejected(convert, value, word, X):
    X[7, 4] = X[8, 5] = value
    with pytest.raises(ValueError, match=f"{word} in column 4 and 1 more"):
        featsieve.VarianceScore().fit(da.from_array(X, chunks=10).map_blocks(convert))
    with pytest.raises(ValueError, match=f"{word} in column 4 and 1 more"):
        check_finite(convert(X), None)


def test_large_values_are_finite():
    lazy = da.from_array(np.array([[1e308, 1], [1.5e308, 2], [1e307, 3]]), chunks=2)
    assert featsieve.InformationGain().fit(lazy, [0, 1, 0]).scores_[0] > 0


NOT_CHUNKED = [m for m in featsieve.methods() if "chunked" not in m.inputs]


@pytest.mark.parametrize("method", NOT_CHUNKED, ids=lambda m: m.name)
def test_other_methods_name_those_that_take_chunks(method, X):
    with pytest.raises(
        ValueError, match=r"must be in memory for .*; got data in chunks.*laplacian.*variance"
    ):
        method.make().fit(da.from_array(X, chunks=10), np.arange(30) % 3)


def test_sparse_chunks_need_a_method_for_sparse_data(X):
    lazy = da.from_array(X, chunks=10).map_blocks(sp.csr_array)
    with pytest.raises(ValueError, match="got sparse data in chunks"):
        featsieve.ReliefF().fit(lazy, np.arange(30) % 3)


def test_labels_are_checked(X):
    lazy = da.from_array(X, chunks=10)
    with pytest.raises(ValueError, match="requires y"):
        featsieve.FisherScore().fit(lazy)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        featsieve.FisherScore().fit(lazy, [0, 1])


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
@pytest.mark.parametrize("kind", ["chunks", "tensor"])
def test_labels_that_are_not_finite_are_rejected(kind, value, word, X):
    y = np.arange(30) % 3.0
    y[-1] = value
    convert = da.asarray if kind == "chunks" else pytest.importorskip("torch").asarray
    featsieve.VarianceScore().fit(convert(X), y)  # which ignores y
    with pytest.raises(ValueError, match=f"Input y contains {word}"):
        featsieve.LaplacianScore().fit(convert(X), y)


def test_number_of_features_cannot_be_chosen_in_chunks(X):
    with pytest.raises(ValueError, match="`n_features_to_select` must be a number"):
        featsieve.VarianceScore(n_features_to_select="auto").fit(
            da.from_array(X, chunks=10), np.arange(30) % 2
        )


def test_transform_is_lazy(X):
    model = featsieve.VarianceScore(n_features_to_select=2).fit(X)
    kept = model.transform(da.from_array(X, chunks=10))
    assert isinstance(kept, da.Array)
    assert np.array_equal(kept.compute(), X[:, model.get_support()])
    with pytest.raises(ValueError, match="expecting 6 features"):
        model.transform(da.from_array(X[:, :5], chunks=10))
