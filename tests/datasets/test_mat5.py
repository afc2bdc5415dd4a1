"""Number types of MATLAB 5."""

import io
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from load_error import load_error

from featsieve.datasets import load

X = sp.random_array((40, 12), density=0.3, random_state=0, format="csc")


Y = np.arange(40) % 2


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("part", ["indices", "indptr", "data", "dense"])
@pytest.mark.parametrize("kind", [0, 8, 93, 213, 64773])
def test_unknown_number_types_are_refused(tmp_path, part, kind, compressed):
    buffer = io.BytesIO()
    stored = X.toarray() if part == "dense" else X
    scipy.io.savemat(buffer, {"X": stored, "Y": Y})
    content = buffer.getvalue()
    numbers = stored.T if part == "dense" else getattr(X, part)
    numbers = np.ascontiguousarray(numbers, dtype="<f8" if part in ("data", "dense") else "<i4").tobytes()
    start = content.index(numbers) - 8
    content = content[:start] + kind.to_bytes(4, "little") + content[start + 4 :]
    if compressed:
        packed, index = b"", 128
        while index < len(content):
            end = index + 8 + int.from_bytes(content[index + 4 : index + 8], "little")
            element = zlib.compress(content[index:end])
            packed += (15).to_bytes(4, "little") + len(element).to_bytes(4, "little") + element
            index = end
        content = content[:128] + packed
    (tmp_path / "d.mat").write_bytes(content)
    assert f"d.mat has numbers of the type {kind}, which MATLAB does not define." in load_error(
        tmp_path / "d.mat"
    )


@pytest.mark.parametrize("do_compression", [False, True])
def test_known_types_are_read(tmp_path, do_compression):
    numbers = {kind: np.ones((40, 3), dtype=kind) for kind in ("u1", "i2", "u8", "f4", "c16", "?")}
    others = {
        "text": "words",
        "lines": ["one", "more"],
        "cells": np.array(["a", 1.5], dtype=object),
        "record": {"a": 1},
        "none": np.empty((0, 0)),
        "short": np.int8(1),
        "complex_sparse": sp.csc_array([[1j, 0], [0, 2]]),
    }
    named = {f"n{index}": values for index, values in enumerate(numbers.values())}
    content = others | named | {"X": X, "Y": Y}
    scipy.io.savemat(tmp_path / "d.mat", content, do_compression=do_compression)
    data = load(tmp_path / "d.mat")
    np.testing.assert_array_equal(data.X.toarray(), X.toarray())
    np.testing.assert_array_equal(data.y, Y)
