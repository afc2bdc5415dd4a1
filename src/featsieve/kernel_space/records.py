"""Records of kernel-space methods, and the descriptions of parameters and attributes that they share."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent
from typing import Any, TypeVar

from featsieve.registry import Role, method
from featsieve.types import Direction, Supervision

Class = TypeVar("Class", bound=type)

_KERNEL = """\
kernel : str or callable, default="rbf"
    Name of a kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, "precomputed", or a callable
    ``kernel(x, y) -> float``. With a callable, samples may be any objects, such as strings."""
_GAMMA = """
gamma : float, {"scale", "median"} or None, default="scale"
    Kernel coefficient. "scale" is 1 / (n_features * X.var()), "median" is 1 / the median squared distance
    between distinct samples, and None is 1 / n_features. For the kernels "laplacian" and "chi2", whose
    distances are not squared, "scale" uses X.std(), and "median" uses their own distances."""
_DEGREE_COEF0 = """
degree : float, default=3
    Degree of the kernel "poly".
coef0 : float, default=1
    Independent term of the kernels "poly" and "sigmoid"."""
_THRESHOLD = """
threshold : "linear" or callable, default="linear"
    Nondecreasing function f(t). The basis ends before the first base vector with
    r_kk / r_11 < f(dimension / n_samples). "linear" is f(t) = t.
n_components : int, default=None
    Maximum number of base vectors; None sets no maximum. With ``gamma="dimension"``, the target number."""
_FEATURES_IN = """\
n_features_in_ : int
    Number of features seen during ``fit``.
feature_names_in_ : ndarray of shape (n_features,)
    Names of the features seen during ``fit``. Defined only if all names are strings."""
_GAMMA_ATTRIBUTE = f"""\
gamma_ : float or None
    Kernel coefficient used; None for kernels without one.
{_FEATURES_IN}"""

SHARED = {
    "kernel_parameters": _KERNEL + _GAMMA + _DEGREE_COEF0,
    "basis_parameters": _KERNEL
    + _GAMMA.replace('"median"}', '"median", "dimension"}')
    + """
    "dimension" searches for the value at which the basis has ``n_components`` vectors."""
    + _DEGREE_COEF0
    + _THRESHOLD,
    "basis_attributes": """\
n_components_ : int
    Number of base vectors.
pivots_ : ndarray of shape (n_components_,)
    Index of the sample from which each base vector is computed, in the order of selection.
basis_ : {ndarray, sparse array} of shape (n_components_, n_features)
    The samples with these indices.
residuals_ : ndarray of shape (n_components_,)
    Distance r_kk of each of these samples from the span of the base vectors before it.
reconstruction_cost_ : float
    Mean distance of the training samples from the span.
"""
    + _GAMMA_ATTRIBUTE,
    "discriminant_parameters": _KERNEL
    + _GAMMA
    + _DEGREE_COEF0
    + """
reg : float, default=1e-3
    Ridge, as a fraction of the mean eigenvalue of the regularized matrix.
n_components : int, default=None
    Number of directions, at most n_classes - 1; None is n_classes - 1.""",
    "discriminant_attributes": """\
n_components_ : int
    Number of directions.
classes_ : ndarray of shape (n_classes,)
    Class labels.
X_fit_ : {ndarray, sparse array} of shape (n_samples, n_features)
    Training samples.
"""
    + _GAMMA_ATTRIBUTE,
    "gamma_attribute": _GAMMA_ATTRIBUTE,
    "feature_attributes": _FEATURES_IN,
}


def kernel_method(
    name: str,
    *,
    supervised: Supervision,
    reference: str,
    role: Role = "transformer",
    inputs: tuple[str, ...] = ("sparse",),
    direction: Direction | None = None,
) -> Callable[[Class], Class]:
    """Record the decorated estimator as a method, and replace ``{name}`` lines of its docstring."""

    def record(cls: Class) -> Class:
        cls.__doc__ = re.sub(
            r"^( *)\{(\w+)\}$",
            lambda match: indent(SHARED[match[2]], match[1]),
            cls.__doc__ or "",
            flags=re.MULTILINE,
        )
        options: dict[str, Any] = {"inputs": inputs, "role": role, "direction": direction}
        return method(name, family="kernel", supervised=supervised, reference=reference, **options)(cls)

    return record
