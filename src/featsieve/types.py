"""Types of public signatures."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray


class Tensor(Protocol):
    """An array of another namespace than NumPy, such as a PyTorch or CuPy tensor."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each dimension."""

    @property
    def device(self) -> Any:
        """Device that holds the data."""


SparseMatrix: TypeAlias = sp.sparray | sp.spmatrix
MatrixLike: TypeAlias = ArrayLike | SparseMatrix | Tensor
Direction: TypeAlias = Literal["smaller", "larger"]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
NFeatures: TypeAlias = int | float | Literal["auto"] | None
Supervision: TypeAlias = Literal["no", "yes", "optional"]
# An array of the namespace and on the device of the input: the array API standard defines no common type.
Array: TypeAlias = Any
