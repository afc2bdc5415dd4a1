"""Compute the cells of a comparison on a Dask cluster.

Each cell is a task. Its worker passes it to a process of its own (:mod:`featsieve.evaluation.process`), as
on a single machine, so that a timeout, a crash or a lack of memory ends this cell and not the worker.
"""

from __future__ import annotations

import os
import queue
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from featsieve.evaluation.plan import Execution
from featsieve.evaluation.process import dump
from featsieve.evaluation.remote import RemoteCells, stop_cells
from featsieve.evaluation.worker import Task

if TYPE_CHECKING:
    from distributed import Client, Future

# The cluster is asked for its workers at least this often.
REFRESH_SECONDS = 1.0


class Slot(NamedTuple):
    """Room for one task on a worker, on whose machine ``n_cells`` tasks are computed at once."""

    worker: str | None
    position: int
    n_cells: int = 1


class Cluster:
    """Computes the cells of a run on the workers of a client.

    Parameters
    ----------
    client : Client
        Its workers compute the cells.
    cells : RemoteCells
        What all cells share.
    execution : Execution
        Settings of the computation.
    """

    def __init__(self, client: Client, cells: RemoteCells, execution: Execution) -> None:
        self.client, self.cells, self.execution = client, cells, execution
        self.address = client.scheduler.address if client.scheduler else "unknown"
        self.shared: Future[Any] | None = None
        self.running: dict[Any, tuple[Slot, Task, Future[Any]]] = {}
        self.finished: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()

    def compute(
        self, take_tasks: Callable[[], Iterator[Task]], record: Callable[[Task, dict[str, Any]], None]
    ) -> None:
        """Compute all tasks and record each answer as soon as it arrives.

        ``take_tasks`` returns an iterator over tasks that share samples; those of one iterator are computed
        by the same worker, as long as it lives.
        """
        from distributed.comm.core import CommClosedError

        sources: dict[tuple[str | None, int], Iterator[Task]] = {}
        try:
            while True:
                for slot in self._free_slots():
                    task = next(sources.setdefault(slot[:2], take_tasks()), None)
                    if task is not None:
                        self._submit(slot, task)
                if not self.running:
                    return
                with suppress(queue.Empty):
                    slot, task, future = self.running.pop(self.finished.get(timeout=REFRESH_SECONDS).key)
                    answer = self._answer(future)
                    if answer is None:
                        self._submit(slot, task)
                    else:
                        record(task, answer)
        except (OSError, CancelledError) as error:
            if self.client.status == "running" and not isinstance(error, CommClosedError):
                raise
            raise ConnectionError(self._describe_loss()) from error
        finally:
            self._stop()

    def _share_cells(self) -> None:
        """Send the data to all workers. Workers that join later get it from the others."""
        # an adaptive cluster starts workers when there is a task
        self.client.submit(len, (), key=f"wait-for-a-worker-{uuid.uuid4().hex}").result()
        name = f"featsieve-data-{uuid.uuid4().hex}"
        self.shared = self.client.scatter({name: self.cells}, broadcast=True)[name]

    def _free_slots(self) -> list[Slot]:
        """Return the free slots. A worker has one for each of its threads, and one for the task after it."""
        from distributed.comm.addressing import get_address_host

        self._check_status()
        n_threads: dict[str, int] = self.client.nthreads()
        hosts = {worker: get_address_host(worker) for worker in n_threads}
        n_cells: Counter[str] = Counter()
        for worker, count in n_threads.items():
            n_cells[hosts[worker]] += count
        slots = [
            Slot(worker, position, n_cells[hosts[worker]])
            for worker, count in n_threads.items()
            for position in range(count + 1)
        ]
        busy = {slot[:2] for slot, _, _ in self.running.values()}
        free = [slot for slot in slots or [Slot(None, 0)] if slot[:2] not in busy]
        return sorted(free, key=lambda slot: slot.position)

    def _submit(self, slot: Slot, task: Task) -> None:
        if self.shared is None or self.shared.status != "finished":  # all workers that had the data died
            self._share_cells()
        part = "all-samples" if task.number < 0 else f"split-{task.number}"
        future = self.client.submit(
            RemoteCells.compute,
            self.shared,
            dump(task),
            task.number,
            self.execution.timeout,
            slot.n_cells,
            key=f"{task.candidate.label}-{part}-{uuid.uuid4().hex}",
            workers=None if slot.worker is None else [slot.worker],
            allow_other_workers=slot.worker is not None,  # if this one dies
        )
        self.running[future.key] = slot, task, future
        future.add_done_callback(self.finished.put)

    def _answer(self, future: Future[Any]) -> dict[str, Any] | None:
        """Return the answer of a finished task, None if it must be repeated."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            return {"error": f"{error.allowed_failures + 1} workers of the cluster died with this cell"}
        except CancelledError:
            self._check_status()
            return None

    def _check_status(self) -> None:
        if self.client.status != "running":
            raise ConnectionError

    def _describe_loss(self) -> str:
        store = self.execution.store
        hint = (
            "Results are lost, because there is no store; set one to keep them"
            if store is None
            else f"Finished results are saved in {os.fspath(store)}; rerun the same comparison to resume"
        )
        return f"The connection to the Dask scheduler {self.address} was lost. {hint}"

    def _stop(self) -> None:
        """Delete the data on the workers. Kill processes, because an interrupt must not leave any behind."""
        if self.shared is None:
            return
        if self.running and self.client.status == "running":
            with suppress(OSError):
                self.client.run(stop_cells, self.shared.key, on_error="ignore")
        # the traceback of an error keeps this object
        for future in (self.shared, *(future for _, _, future in self.running.values())):
            future.release()
