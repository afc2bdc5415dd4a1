"""Degenerate and invalid tensors, which other checks handle than arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from .cases import check_ranking, integers, over, plain, rejects

torch = pytest.importorskip("torch")


def takes_tensors(case):
    return "array_api" in case.inputs


FORMS = {
    "plain": torch.asarray,
    "Fortran order": lambda X: torch.asarray(np.ascontiguousarray(X.T)).T,
    "strided": lambda X: torch.asarray(np.repeat(X, 2, axis=1))[:, ::2],
    "with gradient": lambda X: torch.tensor(X, requires_grad=True),
    "float32": lambda X: torch.asarray(X, dtype=torch.float32),
}


@over(takes_tensors)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("data", [plain, integers])
def test_tensor_equals_array(case, form, data):
    X, y = data()
    tensor = FORMS[form](X)
    selector = case.fit(tensor, y)
    check_ranking(selector, X.shape[1])
    rtol = 1e-3 if form == "float32" else case.rtol
    assert_allclose(
        selector.scores_, case.fit(X, y).scores_, rtol=rtol, atol=1e-5 if form == "float32" else 1e-12
    )
    assert np.array_equal(tensor.detach().numpy(), X.astype(tensor.detach().numpy().dtype))


@over(takes_tensors)
@pytest.mark.parametrize("dtype", ["uint8", "int64", "bool"])
def test_number_types(case, dtype):
    X = np.random.default_rng(3).integers(0, 2 if dtype == "bool" else 128, size=(30, 11)).astype(dtype)
    y = np.arange(30) % 3
    assert_allclose(
        case.fit(torch.asarray(X), y).scores_, case.fit(X.astype(float), y).scores_, rtol=1e-9, atol=1e-9
    )


@over(takes_tensors)
def test_a_constant_feature_ranks_last(case):
    X, y = plain()
    X[:, 2] = 0.1
    selector = case.fit(torch.asarray(X), y)
    check_ranking(selector, X.shape[1])
    assert selector.order_[-1] == 2


@over(takes_tensors)
def test_labels_as_tensor(case):
    X, y = plain()
    assert_allclose(case.fit(torch.asarray(X), torch.asarray(y)).scores_, case.fit(X, y).scores_, rtol=1e-9)


@over(takes_tensors)
def test_transform_returns_a_tensor(case):
    X, y = plain()
    selector = case.fit(torch.asarray(X), y, n_features_to_select=3)
    selected = selector.transform(torch.asarray(X))
    assert isinstance(selected, torch.Tensor)
    assert np.array_equal(selected.numpy(), X[:, np.sort(selector.order_[:3])])


@over(takes_tensors)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_non_finite_values(case, value):
    X, y = plain()
    X[4, 3] = value
    rejects(lambda: case.fit(torch.asarray(X), y), "X", "NaN" if np.isnan(value) else "infinity")


@over(takes_tensors)
def test_invalid_tables(case):
    X, y = plain()
    for tensor in (
        torch.asarray(X[:, 0]),
        torch.asarray(X[:0]),
        torch.asarray(X[:, :0]),
        torch.asarray(X[:, :, None]),
    ):
        rejects(lambda tensor=tensor: case.fit(tensor, y[: len(tensor)]), "X")
    rejects(lambda: case.fit(torch.asarray(X + 1j), y), "omplex")


@over(lambda case: takes_tensors(case) and case.needs_y)
def test_labels_missing_or_of_wrong_length(case):
    X, y = plain()
    rejects(lambda: case.fit(torch.asarray(X)), "y")
    rejects(lambda: case.fit(torch.asarray(X), y[:-1]), "samples")


@over(lambda case: not takes_tensors(case))
def test_tensors_for_numpy_methods(case):
    X, y = plain()
    rejects(lambda: case.fit(torch.asarray(X), y), "numpy")
