"""Docstrings of kernel methods contain the descriptions that they share."""

import inspect

import pytest

import featsieve
from featsieve.kernel_space.records import SHARED

KERNEL_METHODS = [method for method in featsieve.methods(role=None) if method.family == "kernel"]


@pytest.mark.parametrize("method", KERNEL_METHODS, ids=lambda method: method.name)
def test_no_placeholder_remains(method):
    docstring = inspect.getdoc(method.estimator)
    assert not any(f"{{{name}}}" in docstring for name in SHARED)


def test_descriptions_have_the_indentation_of_their_placeholder():
    parameters = inspect.getdoc(featsieve.KernelOrthogonalBasis).partition("Attributes\n")[0]
    assert SHARED["basis_parameters"] in parameters
    assert SHARED["kernel_parameters"] not in parameters  # "dimension" is only for bases


def test_estimators_are_registered_as_kernel_methods():
    assert {"kobl", "kgs", "kffs", "kda", "gda"} <= {method.name for method in KERNEL_METHODS}
    method = featsieve.get_method("kobl")
    assert method.estimator is featsieve.KernelOrthogonalBasis
    assert method.role == "transformer"
