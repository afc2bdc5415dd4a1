"""Kernels by the block or by the column: what kernel-space methods read of a kernel matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.metrics.pairwise import additive_chi2_kernel, manhattan_distances
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.validation import validate_data

from featsieve.engines.arrays import FLOATS, canonicalize, is_tensor
from featsieve.engines.blocks import slices
from featsieve.engines.sparse import check_sparse

# Functions of the inner product and the two lengths.
PRODUCTS = frozenset({"linear", "poly", "polynomial", "rbf", "sigmoid", "cosine"})
NAMES = PRODUCTS | {"laplacian", "chi2", "additive_chi2"}
# exp of less than 0, gamma times a distance.
EXPONENTIALS = frozenset({"rbf", "laplacian", "chi2"})
_USE_GAMMA = EXPONENTIALS | {"poly", "polynomial", "sigmoid"}
# Kernels that scikit-learn has for dense samples of no negative number alone.
_COUNTS = frozenset({"chi2", "additive_chi2"})

# The parameters that every kernel method has, as in scikit-learn's KernelPCA.
KERNEL: dict[str, list[Any]] = {
    "kernel": [StrOptions(set(NAMES) | {"precomputed"}), callable],
    "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "median"}), None],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
}

# Squared distances below this share of the squared lengths are taken from the differences instead.
_CLOSE = 1e-6
# Pairs of samples that the median distance is taken over, where there are more.
_PAIRS = 200_000


@dataclass(frozen=True)
class Kernel:
    """A kernel with all its parameters known.

    Attributes
    ----------
    function : str or callable
        A name of :data:`NAMES`, "precomputed", or ``function(x, y) -> float`` of two samples.
    gamma, degree, coef0 : float
        As in :func:`sklearn.metrics.pairwise.pairwise_kernels`.
    minus_one : bool
        Compute k - 1 where k is one of :data:`EXPONENTIALS`. Centering removes the constant, and small
        distances keep their digits: 1 - 1e-12 has four of them, -1e-12 has all.
    """

    function: str | Callable[[Any, Any], float]
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1
    minus_one: bool = False

    def matrix(self, X: Any, Y: Any) -> np.ndarray:
        """The kernel between all samples of X and all of Y, in float64."""
        if callable(self.function):
            return np.stack([self._call(X, sample) for sample in _samples(Y)], axis=1)
        if self.function in EXPONENTIALS:
            values = self.exponent(X, Y)[0]
            exp = np.expm1 if self.minus_one else np.exp
            return exp(np.negative(values, out=values), out=values)
        if self.function == "additive_chi2":
            return _chi2(X, Y)
        return self._of_products(
            _products(_prepare(self.function, X, None), _prepare(self.function, Y, None))
        )

    def exponent(self, X: Any, Y: Any) -> tuple[np.ndarray, np.ndarray]:
        """-log k of :data:`EXPONENTIALS`, a distance, and the sizes that its rounding is a share of."""
        assert self.gamma is not None
        if self.function == "rbf":
            shift = None if sp.issparse(X) else _center(Y)
            left, right = _prepare("rbf", X, shift), _prepare("rbf", Y, shift)
            sizes = row_norms(left, squared=True)[:, None] + row_norms(right, squared=True)
            values = _squares(_products(left, right), sizes, X, Y)
            return np.multiply(values, self.gamma, out=values), np.multiply(sizes, self.gamma, out=sizes)
        if self.function == "laplacian":
            with config_context(assume_finite=True):
                values = manhattan_distances(X.astype(np.float64), Y.astype(np.float64))
        else:
            values = -_chi2(X, Y)
        values = _finite(np.multiply(values, self.gamma, out=values))
        return values, values

    def diagonal(self, X: Any) -> np.ndarray:
        """The kernel of each sample of X with itself."""
        if callable(self.function):
            return _finite(np.array([_number(self.function(x, x)) for x in _samples(X)], dtype=np.float64))
        if self.function in EXPONENTIALS:
            return np.full(X.shape[0], 0.0 if self.minus_one else 1.0)
        if self.function == "additive_chi2":
            return np.zeros(X.shape[0])
        return self._of_products(row_norms(_prepare(self.function, X, None), squared=True))

    def _call(self, X: Any, sample: Any) -> np.ndarray:
        assert callable(self.function)
        return _finite(np.array([_number(self.function(x, sample)) for x in _samples(X)], dtype=np.float64))

    def _of_products(self, products: np.ndarray) -> np.ndarray:
        """The kernel that is a function of inner products alone, which are overwritten."""
        if self.function in ("poly", "polynomial", "sigmoid"):
            products *= self.gamma
            products += self.coef0
            if self.function == "sigmoid":
                np.tanh(products, out=products)
            else:
                with np.errstate(invalid="ignore", over="ignore"):
                    np.power(products, self.degree, out=products)
        return _finite(products)


class Columns:
    """The kernel matrix of X with itself, one column at a time; never the whole.

    Parameters
    ----------
    kernel : Kernel
    X : samples
        The kernel matrix itself if the kernel is "precomputed".
    """

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel
        self.n_samples = X.shape[0]
        self._X = self._given = X
        if kernel.function == "precomputed":
            self._X = X.tocsc() if sp.issparse(X) else X
        elif kernel.function in PRODUCTS:
            self._X = _prepare(kernel.function, X, _center(X) if kernel.function == "rbf" else None)
            self._norms = row_norms(self._X, squared=True)
        elif not callable(kernel.function):
            self._X = X.astype(np.float64)

    @property
    def eps(self) -> float:
        """The relative rounding of an entry."""
        narrow = self.kernel.function == "precomputed" and self._X.dtype == np.float32
        return float(np.finfo(np.float32 if narrow else np.float64).eps)

    def diagonal(self) -> np.ndarray:
        """The diagonal, a fresh array."""
        if self.kernel.function == "precomputed":
            return _finite(np.array(self._X.diagonal(), dtype=np.float64))
        if self.kernel.function in PRODUCTS and self.kernel.function != "rbf":
            return self.kernel._of_products(self._norms.copy())
        return self.kernel.diagonal(self._X)

    def __getitem__(self, i: int) -> np.ndarray:
        """Column i, a fresh array."""
        X = self._X
        if self.kernel.function == "precomputed":
            return _finite(_symmetric_column(X, i))
        if callable(self.kernel.function):
            return self.kernel._call(X, next(_samples(X[i : i + 1])))
        if self.kernel.function not in PRODUCTS:
            return self.kernel.matrix(X, X[i : i + 1])[:, 0]
        products = _products(X, X[[i]])
        if self.kernel.function != "rbf":
            return self.kernel._of_products(products)[:, 0]
        sizes = self._norms[:, None] + self._norms[i]
        column = _squares(products, sizes, self._given, self._given[[i]])[:, 0]
        column *= -(self.kernel.gamma or 0.0)
        return np.exp(column, out=column)


class KernelSamples:
    """Mixin of estimators with the parameters :data:`KERNEL`: their samples, and their kernel."""

    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any

    def _check_samples(self, X: Any, *, reset: bool) -> Any:
        """X as a float matrix, dense or CSR; with a callable kernel, strings and the like as they are."""
        X = check_samples(self, self.kernel, X, reset=reset)
        if self.kernel == "precomputed" and reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"kernel='precomputed' needs a square matrix of all pairs of samples, got shape {X.shape}."
            )
        return X

    def _resolved(self, X: Any) -> Kernel:
        """The kernel with its width; ``gamma="dimension"`` is for the caller to have resolved."""
        gamma = resolve_gamma(self.kernel, self.gamma, X)
        return Kernel(self.kernel, gamma, self.degree, self.coef0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = self.kernel not in _COUNTS
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.positive_only = self.kernel in _COUNTS
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def check_samples(estimator: Any, kernel: Any, X: Any, *, reset: bool) -> Any:
    """X as a float matrix, dense or CSR, or as it is if its samples are objects for a callable kernel."""
    if is_tensor(X):
        raise ValueError(f"{type(estimator).__name__} takes NumPy arrays: pass X.cpu().numpy().")
    objects = _objects(X) if callable(kernel) else None
    if objects is not None:
        if reset:
            for name in ("n_features_in_", "feature_names_in_"):  # of an earlier fit
                estimator.__dict__.pop(name, None)
        if objects.ndim == 2 or hasattr(estimator, "n_features_in_"):
            frame = X if hasattr(X, "columns") else objects
            validate_data(estimator, frame, reset=reset, skip_check_array=True)
        return objects
    sparse = False if isinstance(kernel, str) and kernel in _COUNTS else "csr"
    X = canonicalize(
        validate_data(estimator, check_sparse(X), accept_sparse=sparse, dtype=FLOATS, reset=reset)
    )
    return sp.csr_array(X) if sp.issparse(X) else X


def validate_labels(estimator: Any, X: Any, y: Any) -> np.ndarray:
    """The labels of the checked samples X."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    if y.dtype == object:
        try:
            clear = not np.any(y != y) and np.unique(y).ndim == 1
        except TypeError:  # None and the like, or kinds that have no order
            clear = False
        if not clear:
            raise ValueError(
                "y holds missing labels, or numbers beside text: drop or name the missing ones, and pass "
                "labels of one kind."
            )
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    return y


def check_symmetric(K: Any) -> None:
    """Raise ValueError unless the precomputed kernel matrix is symmetric."""
    if abs(K - K.T).max() > 1e-6 * abs(K).max():
        raise ValueError("kernel='precomputed' needs a symmetric matrix: pass (K + K.T) / 2.")


def resolve_gamma(kernel: Any, gamma: Any, X: Any) -> float | None:
    """The number that ``gamma`` stands for; None for kernels that have no width."""
    if not isinstance(kernel, str) or kernel not in _USE_GAMMA:
        return None
    if gamma is None:
        return 1.0 / X.shape[1]
    if not isinstance(gamma, str):
        return float(gamma)
    with np.errstate(over="ignore", invalid="ignore"):
        if gamma == "median":
            distances = _pair_distances(kernel, X)
            spread = float(np.median(distances[distances > 0])) if np.any(distances > 0) else 0.0
        else:
            # these two measure distances that are not squared
            spread = _variance(X) ** (0.5 if kernel in ("laplacian", "chi2") else 1) * X.shape[1]
    if not np.isfinite(spread):
        raise ValueError(f"gamma={gamma!r}: X is too large for the squares that the kernel needs; scale X.")
    return 1.0 / spread if spread > 0 and np.isfinite(1.0 / spread) else 1.0


def _variance(X: Any) -> float:
    if X.max() == X.min():  # the mean of equal numbers may be rounded
        return 0.0
    if not sp.issparse(X):
        return float(X.var(dtype=np.float64))
    mean = X.mean(dtype=np.float64)
    stored = np.square(X.data.astype(np.float64) - mean).sum()
    size = X.shape[0] * X.shape[1]
    return float((stored + (size - X.nnz) * mean**2) / size)


def _pair_distances(kernel: str, X: Any) -> np.ndarray:
    """The kernel's own distances of all pairs of samples, or of many drawn always alike."""
    n = X.shape[0]
    if n * (n - 1) // 2 <= _PAIRS:
        left, right = np.triu_indices(n, 1)
    else:
        random = np.random.RandomState(0)
        left = random.randint(n, size=_PAIRS)
        right = (left + random.randint(1, n, size=_PAIRS)) % n
    found = np.empty(left.size)
    for part in slices(left.size, 24 * X.shape[1], X):
        here, there = X[left[part]].astype(np.float64), X[right[part]]
        gap = abs(here - there) ** (1 if kernel == "laplacian" else 2)
        if kernel == "chi2":
            total = here + there
            gap = np.divide(gap, total, out=np.zeros_like(gap), where=total > 0)
        found[part] = np.asarray(gap.sum(axis=1)).ravel()
    return found


def _prepare(name: Any, X: Any, shift: Any) -> Any:
    """X in float64, as the inner products of this kernel want it."""
    X = X.astype(np.float64, copy=False)
    if name == "cosine":
        lengths = row_norms(X)
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return sp.csr_array(sp.diags_array(inverse) @ X) if sp.issparse(X) else X * inverse[:, None]
    return X if shift is None else X - shift


def _center(X: Any) -> np.ndarray | None:
    """What to measure lengths from: about the mean, so that whole numbers stay exact; None for sparse X."""
    if sp.issparse(X):
        return None
    mean = X.mean(axis=0, dtype=np.float64)
    spread = np.maximum(X.max(axis=0) - mean, mean - X.min(axis=0))
    grid = np.exp2(np.maximum(np.frexp(spread)[1] - 2.0, -1000.0))
    return np.where(spread > 0, np.rint(mean / grid) * grid, mean)


def _products(X: Any, Y: Any) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        return safe_sparse_dot(X, Y.T, dense_output=True)


def _squares(products: np.ndarray, sizes: np.ndarray, X: Any, Y: Any) -> np.ndarray:
    """Squared distances from inner products and sums of squared lengths, about any one point.

    Both are overwritten, the sums with what the rounding of the distances is a share of.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        products *= -2.0
        products += sizes
        # a difference of large numbers says nothing of samples that are near each other
        rows, columns = np.nonzero(products < _CLOSE * sizes)
        for part in slices(rows.size, 24 * X.shape[1], X):
            gap = X[rows[part]].astype(np.float64) - Y[columns[part]]
            products[rows[part], columns[part]] = row_norms(gap, squared=True)
        sizes[rows, columns] = products[rows, columns]
    return _finite(products)


def _chi2(X: Any, Y: Any) -> np.ndarray:
    with config_context(assume_finite=True):
        return _finite(additive_chi2_kernel(X.astype(np.float64), Y.astype(np.float64)))


def _samples(X: Any) -> Iterator[Any]:
    """The samples one by one, as ``pairwise_kernels`` would hand them to a callable."""
    return (X[[i]] for i in range(X.shape[0])) if sp.issparse(X) else iter(X)


def _number(value: Any) -> float:
    value = value.toarray() if sp.issparse(value) else np.asarray(value)
    if value.size != 1 or value.dtype.kind not in "biuf":
        raise ValueError(
            f"kernel must return one number for two samples, got {value!r:.60} of shape {value.shape}: "
            "it is called as kernel(x, y), once for each pair."
        )
    return float(value.reshape(()))


def _finite(values: np.ndarray) -> np.ndarray:
    if not np.isfinite(values).all():
        raise ValueError(
            "kernel gives NaN or infinity for some pair of samples: scale X, or change gamma, degree, coef0."
        )
    return values


def _symmetric_column(K: Any, i: int) -> np.ndarray:
    if sp.issparse(K):
        column, row = K[:, [i]].toarray()[:, 0], K[[i]].toarray()[0]
    else:
        column, row = K[:, i], K[i]
    scale = max(np.abs(column).max(), np.abs(row).max())
    if np.abs(column - row).max() > 1e-6 * scale:
        raise ValueError(
            f"kernel='precomputed' needs a symmetric matrix: row and column {i} differ. Pass (K + K.T) / 2."
        )
    return column.astype(np.float64)


def _objects(X: Any) -> np.ndarray | None:
    """X as an array of objects if its samples are strings or the like, None if they are rows of numbers."""
    if sp.issparse(X) or (hasattr(X, "dtype") and X.dtype.kind in "biuf"):
        return None
    try:
        values = np.asarray(X)
    except ValueError:  # sequences of different lengths
        values = np.empty(len(X), dtype=object)
        values[:] = list(X)
    if values.dtype.kind not in "OUS" or values.ndim == 0 or values.shape[0] == 0:
        return None
    if values.dtype.kind in "US":
        return values
    if all(isinstance(each, Real) or each is None for each in values.reshape(-1)):
        return None
    return values
