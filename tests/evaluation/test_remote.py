"""What a worker of a cluster keeps of a comparison: data, processes and the check of versions."""

import gc
import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest

from featsieve.evaluation import RepeatedSplits, remote
from featsieve.evaluation.candidates import choose_candidates
from featsieve.evaluation.measures import choose_measures
from featsieve.evaluation.process import dump
from featsieve.evaluation.worker import Setting, Task

X, y = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) % 2


@pytest.fixture
def cells(tmp_path):
    file = tmp_path / "data.joblib"
    joblib.dump((X, y), file)
    measures = choose_measures(["nn"], "classes", False)
    setting = Setting(str(file), [1, 4], measures, False, False, 1, 1, 0)
    return remote.RemoteCells.of(setting, {"featsieve.scores.fisher"}, X.size)


@pytest.fixture
def dask_worker(tmp_path, monkeypatch):
    """A stand-in for the worker of the cluster that this process is."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")

    class Worker:
        address, local_directory, data = "tcp://here", str(tmp_path / "worker"), {}

    Path(Worker.local_directory).mkdir()
    monkeypatch.setattr(distributed, "get_worker", lambda: Worker)
    return Worker


def task():
    (candidate,) = (c for c in choose_candidates(["fisher"], True, False) if c.label == "fisher")
    return dump(Task(candidate, 0, RepeatedSplits(1).splits(30, y, 0)[0]))


def test_the_data_travels_with_the_cells(cells):
    sent = pickle.loads(pickle.dumps(cells))
    assert sent.content.tobytes() == cells.content.tobytes()
    assert (sent.setting, sent.modules, sent.required) == (cells.setting, cells.modules, cells.required)


def test_a_worker_keeps_one_file_until_it_is_told_to_delete_the_cells(cells, dask_worker):
    sent = pickle.loads(pickle.dumps(cells))
    answers = [sent.compute(task(), 0, None, 1) for _ in range(2)]
    assert answers[0]["result"] == answers[1]["result"]
    (folder,) = Path(dask_worker.local_directory).iterdir()
    assert [file.name for file in folder.iterdir()] == ["data.joblib"]
    assert sent.content is None  # no second copy in memory
    assert pickle.loads(pickle.dumps(sent)).content.tobytes() == cells.content.tobytes()
    (process,) = sent.pool.processes
    assert process.process.is_alive()
    del sent
    gc.collect()
    assert not folder.exists()
    with pytest.raises(ValueError, match="closed"):  # after it was killed
        process.process.is_alive()


def test_stopped_cells_give_no_answer(cells, dask_worker):
    assert cells.compute(task(), 0, None, 1)["result"]["order"]
    remote.stop_cells("other", dask_worker)
    assert cells.compute(task(), 0, None, 1)["result"]["order"]
    dask_worker.data["cells"] = cells
    remote.stop_cells("cells", dask_worker)
    assert cells.compute(task(), 0, None, 1) is None
    del dask_worker.data["cells"]


def test_all_differences_of_versions_are_reported():
    required = {"numpy": "2.1", "scipy": "1.2", "featsieve": "0.1 (source abc)"}
    remote.check_versions(required, dict(required), "tcp://there")
    found = {"numpy": "2.0", "scipy": "1.2", "featsieve": "0.1"}
    with pytest.raises(ValueError, match=r"tcp://there has numpy 2.0 instead of 2.1, featsieve 0.1 instead"):
        remote.check_versions(required, found, "tcp://there")


def test_versions_cover_the_source_of_the_methods():
    fisher, lle = (remote.installed_versions([f"featsieve.scores.{name}"]) for name in ("fisher", "lle"))
    assert fisher["featsieve"] != lle["featsieve"]
    assert fisher["numpy"] == lle["numpy"] == np.__version__
