"""Compute the cells of a comparison on a Dask cluster.

Each cell is a task. Its worker passes it to a process of its own (:mod:`featsieve.evaluation.process`), as
on a single machine, so that a timeout, a crash or a lack of memory ends this cell and not the worker.
"""

from __future__ import annotations

import os
import queue
import sys
import uuid
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


def active_client() -> Client | None:
    """Return the active client of ``dask.distributed``, None if there is none."""
    if "distributed" not in sys.modules:  # then nobody has made a client
        return None
    from distributed import Client

    with suppress(ValueError):
        return Client.current()
    return None


class Slot(NamedTuple):
    """Room for one task on a worker; ``n_cells`` are computed at once on its machine."""

    worker: str | None
    index: int
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
        self.shared: Future | None = None
        self.finished: queue.SimpleQueue[Future] = queue.SimpleQueue()

    def compute(
        self, take_tasks: Callable[[], Iterator[Task]], record: Callable[[Task, dict[str, Any]], None]
    ) -> None:
        """Compute all tasks and record each answer as soon as it arrives.

        ``take_tasks`` returns an iterator over tasks that share samples; those of one iterator are computed
        by the same worker, as long as it lives.
        """
        sources: dict[tuple[str | None, int], Iterator[Task]] = {}
        running: dict[str, tuple[Slot, Task, Future]] = {}

        def submit(slot: Slot, task: Task) -> None:
            future = self._submit(slot, task)
            running[future.key] = slot, task, future

        try:
            self._share_cells()
            while True:
                busy = {slot[:2] for slot, _, _ in running.values()}
                for slot in self._slots():
                    if slot[:2] in busy:
                        continue
                    new = next(sources.setdefault(slot[:2], take_tasks()), None)
                    if new is None:
                        break
                    submit(slot, new)
                if not running:
                    return
                with suppress(queue.Empty):
                    slot, task, future = running.pop(self.finished.get(timeout=REFRESH_SECONDS).key)
                    answer = self._answer(future)
                    if answer is None:
                        submit(slot, task)
                    else:
                        record(task, answer)
        except OSError as error:
            self._check_connection(error)
            raise
        finally:
            if running:
                self._stop()

    def _share_cells(self) -> None:
        """Send the data to all workers. Workers that join later get it from the others."""
        # an adaptive cluster starts workers when there is a task
        self.client.submit(len, (), key=f"wait-for-a-worker-{uuid.uuid4().hex}").result()
        name = f"featsieve-data-{uuid.uuid4().hex}"
        self.shared = self.client.scatter({name: self.cells}, broadcast=True)[name]

    def _slots(self) -> list[Slot]:
        """Return the slots of all workers: one for each of its threads, and one for the task that follows."""
        from distributed.comm import get_address_host

        if self.client.status != "running":
            raise ConnectionError
        n_threads = self.client.nthreads()
        n_cells: dict[str, int] = {}
        for worker, count in n_threads.items():
            host = get_address_host(worker)
            n_cells[host] = n_cells.get(host, 0) + count
        slots = [
            Slot(worker, index, n_cells[get_address_host(worker)])
            for worker, count in n_threads.items()
            for index in range(count + 1)
        ]
        return sorted(slots, key=lambda slot: slot.index) or [Slot(None, 0)]

    def _submit(self, slot: Slot, task: Task) -> Future:
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
        future.add_done_callback(self.finished.put)
        return future

    def _answer(self, future: Future) -> dict[str, Any] | None:
        """Return the answer of a finished task, None if it must be repeated."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            return {"error": f"{error.allowed_failures + 1} workers of the cluster died with this cell"}
        except CancelledError as error:
            self._check_connection(error)
            # all workers that had the data died
            self._share_cells()
            return None

    def _check_connection(self, error: BaseException) -> None:
        if self.client.status != "running":
            store = self.execution.store
            hint = (
                "Set a store to keep finished results"
                if store is None
                else f"Finished results are saved in {os.fspath(store)}. Repeat the same call to resume"
            )
            raise ConnectionError(
                f"The connection to the Dask scheduler {self.address} was lost. {hint}"
            ) from error

    def _stop(self) -> None:
        """Kill the processes of the cells: an interrupt must not leave any behind."""
        if self.client.status == "running" and self.shared is not None:
            with suppress(OSError):
                self.client.run(stop_cells, self.shared.key, on_error="ignore")
