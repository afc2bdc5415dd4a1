"""The part of a comparison that a worker of a Dask cluster keeps: the data, and processes for the cells."""

from __future__ import annotations

import importlib
import pickle
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from featsieve.evaluation import worker
from featsieve.evaluation.process import ProcessPool, dump, start_context, thread_limits
from featsieve.evaluation.versions import LIBRARIES, versions
from featsieve.evaluation.worker import Setting


class RemoteCells:
    """What all cells of a run share.

    A worker of the cluster writes the data to a file for its processes. The processes are killed and the
    file is deleted when the run is finished or the client is gone, because Dask then deletes this object.

    Parameters
    ----------
    setting : bytes
        Pickled :class:`~featsieve.evaluation.worker.Setting`.
    modules : list of str
        Modules of featsieve that define the methods.
    n_entries : int
        Number of entries of X.
    required : dict of str to str
        Versions of the libraries that every worker must have.
    content : ndarray of uint8
        Content of the file of the data.
    """

    def __init__(
        self,
        setting: bytes,
        modules: list[str],
        n_entries: int,
        required: dict[str, str],
        content: np.ndarray,
    ) -> None:
        self.setting, self.modules, self.n_entries, self.required = setting, modules, n_entries, required
        self.content: np.ndarray | None = content
        self.file = ""
        self.lock = threading.Lock()
        self.pool: ProcessPool | None = None

    @classmethod
    def of(cls, setting: Setting, modules: Iterable[str], n_entries: int) -> RemoteCells:
        """Return the cells of a setting whose file is on this machine."""
        modules = sorted(modules)
        content = read_bytes(setting.file)
        return cls(dump(setting), modules, n_entries, installed_versions(modules), content)

    def __reduce__(self) -> tuple[Any, ...]:
        content = self.content
        if content is None:
            content = read_bytes(self.file)
        return type(self), (self.setting, self.modules, self.n_entries, self.required, content)

    def compute(self, task: bytes, number: int, timeout: float | None, n_cells: int) -> dict[str, Any] | None:
        """Return the answer to a task of a split; None if the client stopped the processes.

        ``n_cells`` is the number of cells that are computed on this machine at once.
        """
        with self.lock:
            if self.pool is None:
                self.pool = self._start(n_cells)
        return self.pool.compute(task, number, timeout)

    def _start(self, n_cells: int) -> ProcessPool:
        from distributed import get_worker

        dask_worker = get_worker()
        check_versions(self.required, installed_versions(self.modules), dask_worker.address)
        folder = tempfile.mkdtemp(prefix="featsieve-", dir=dask_worker.local_directory)
        self.file = str(Path(folder) / "data.joblib")
        assert self.content is not None
        self.content.tofile(self.file)
        self.content = None
        setting = replace(pickle.loads(self.setting), file=self.file)
        limits = thread_limits(max(1, joblib.cpu_count() // n_cells), self.n_entries)
        pool = ProcessPool(start_context(self.modules), setting, limits)
        weakref.finalize(self, _clean, pool, folder)
        return pool

    def stop(self) -> None:
        """Kill the processes."""
        with self.lock:
            if self.pool is not None:
                self.pool.stop()


def _clean(pool: ProcessPool, folder: str) -> None:
    pool.stop()
    shutil.rmtree(folder, ignore_errors=True)


def stop_cells(key: str, dask_worker: Any) -> None:
    """Kill the processes of a run on a worker; ``client.run`` passes the worker."""
    cells = dask_worker.data.get(key)
    if cells is not None:
        cells.stop()


def read_bytes(file: str) -> np.ndarray:
    """Return the content of a file, which is read when it is used."""
    return np.asarray(np.memmap(file, np.uint8, mode="r"))


def installed_versions(modules: Iterable[str]) -> dict[str, str]:
    """Return the versions that determine the results of methods defined in the modules."""
    found = versions(worker, *map(importlib.import_module, modules))
    return {library: found[library] for library in LIBRARIES}


def check_versions(required: dict[str, str], found: dict[str, str], address: str) -> None:
    """Raise ValueError if a worker could compute other results than this process."""
    differences = [
        f"{library} {found[library]} instead of {version}"
        for library, version in required.items()
        if found[library] != version
    ]
    if differences:
        raise ValueError(
            f"All machines must have the same versions. The Dask worker {address} has "
            f"{', '.join(differences)}. Install the same versions there and restart the worker."
        )
