"""What the reading process sends; `test_isolated.py` tests both processes together."""

import io
import os
import pickle

import numpy as np
import pytest

from featsieve.datasets.child import _picklable, _share_memory, call_reader, send
from featsieve.datasets.errors import DataError


def receive(content):
    """Return the value and the error in the bytes that ``send`` writes."""
    stream = io.BytesIO(content)
    buffers = [bytearray(stream.read(size)) for size in pickle.load(stream)]
    return pickle.loads(stream.read(), buffers=buffers)


def send_through_a_file(path, value, error):
    send(os.open(path, os.O_WRONLY | os.O_CREAT), value, error)
    return receive(path.read_bytes())


@pytest.mark.parametrize("size", [0, 10, 3_000_000])
def test_arrays_are_sent_unchanged(tmp_path, size):
    X = np.random.default_rng(0).standard_normal(size)
    expected = X.copy()
    value, error = send_through_a_file(tmp_path / "sent", {"X": X, "names": ["a"]}, None)
    np.testing.assert_array_equal(value["X"], expected)
    assert (value["names"], error) == (["a"], None)


def test_arrays_that_share_memory_are_sent_unchanged(tmp_path):
    X = np.arange(1_000_000.0)
    first, second = send_through_a_file(tmp_path / "sent", (X, X[::-1][::-1]), None)[0]
    np.testing.assert_array_equal(first, np.arange(1_000_000.0))
    np.testing.assert_array_equal(second, first)


def test_overlap_of_arrays():
    X = np.zeros(100, dtype=np.uint8)
    assert _share_memory([X[:60], X[50:]])
    assert _share_memory([X, X])
    assert not _share_memory([X[:50], X[50:]])
    assert not _share_memory([X[:0], X])


def test_reader_is_named_by_module_and_function(tmp_path):
    assert call_reader("os.path:join", "a", "b") == os.path.join("a", "b")


class NeedsTwoArguments(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")
        self.cause = lambda: None  # distributed, if it is imported, makes other exceptions picklable


def test_errors_that_cannot_be_sent_become_data_errors():
    error = DataError("no luck")
    assert _picklable(error, "t.mat") is error
    replaced = _picklable(NeedsTwoArguments(1, 2), "t.mat")
    assert isinstance(replaced, DataError)
    assert "t.mat could not be read (NeedsTwoArguments: 1 and 2)" in str(replaced)
