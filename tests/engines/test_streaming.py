"""Matrices streamed to a device have the scores and neighbors of arrays; only parts are copied."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context

import featsieve
from featsieve.engines.streaming import Streamed

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()
METHODS = [m for m in featsieve.methods() if {"array_api", "chunked"} <= m.inputs]


def make_data(dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.gamma(2.0, size=(90, 14)) * rng.uniform(0.5, 3, 14)
    X[:, 6] = 1.5
    X[3] = X[4]
    return X.astype(dtype), np.repeat([0, 1, 2], 30)


def test_many_methods_take_streamed_data():
    promised = {"variance", "fisher", "pearson", "chi-square", "information-gain", "laplacian", "lkr", "lle"}
    assert promised | {"relieff", "trace-ratio", "lle-reconstruction", "spec"} <= {m.name for m in METHODS}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scores_of_streamed_data_and_arrays_are_equal(method, dtype, device):
    X, y = make_data(dtype)
    streamed = featsieve.stream(X, device)
    expected = method.make().fit(X, y)
    rtol = 1e-10 if dtype == np.float64 else 1e-6
    for memory in (1024, 0.003):  # all at once, and a few columns or samples at a time
        with config_context(working_memory=memory):
            model = method.make().fit(streamed, y)
        finite = np.isfinite(expected.scores_)
        assert_allclose(
            model.scores_[finite], expected.scores_[finite], rtol=0,
            atol=rtol * np.abs(expected.scores_[finite]).max(),
        )  # fmt: skip
        assert_array_equal(np.isfinite(model.scores_), finite)
    kept = model.transform(streamed)
    assert kept.device.type == device
    assert_array_equal(kept.cpu().numpy(), X[:, model.get_support()])


@pytest.mark.parametrize("working_memory", [1024, 0.005])
def test_parts_fit_in_the_working_memory(working_memory, monkeypatch):
    X = np.random.default_rng(0).normal(size=(600, 40))
    largest = []
    original = Streamed.__getitem__

    def measured(self, key):
        part = original(self, key)
        largest.append(part.numel())
        return part

    monkeypatch.setattr(Streamed, "__getitem__", measured)
    with config_context(working_memory=working_memory):
        featsieve.LaplacianScore(featsieve.KNNGraph(4).build(X)).fit(featsieve.stream(X, "cpu"))
    assert max(largest) * 8 <= max(working_memory * 2**20, 8 * 600)  # at least one column
    assert len(largest) == (2 if working_memory == 1024 else 80)


@pytest.mark.parametrize("kind", ["memmap", "integers", "Fortran"])
def test_other_kinds_of_host_arrays(kind, tmp_path):
    X = np.rint(make_data()[0])
    expected = featsieve.LaplacianScore().fit(X).scores_
    if kind == "memmap":
        np.save(tmp_path / "X.npy", X)
        source = np.load(tmp_path / "X.npy", mmap_mode="r")
    else:
        source = X.astype(np.int64) if kind == "integers" else np.asfortranarray(X)
    before = np.array(source)
    assert_allclose(
        featsieve.LaplacianScore().fit(featsieve.stream(source, "cpu")).scores_, expected, rtol=1e-10
    )
    assert_array_equal(source, before)


def test_invalid_data_is_rejected():
    X, y = make_data()
    with pytest.raises(ValueError, match="NaN"):
        featsieve.stream(np.where(X > 1, np.nan, X), "cpu")
    with pytest.raises(ValueError, match=r"memory of the device for MCFS; got a streamed matrix"):
        featsieve.MCFS().fit(featsieve.stream(X, "cpu"), y)
