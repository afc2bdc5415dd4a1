"""Options that compute on a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 20

Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Compute on the Dask cluster of the scheduler at ADDRESS, such as tcp://10.0.0.1:8786.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Compute on a Dask cluster of N workers on this machine; replaces --jobs."
    ),
]


@contextmanager
def dask_cluster(scheduler: str | None, workers: int | None) -> Iterator[None]:
    """Connect to the scheduler, or start workers on this machine; without either, do nothing."""
    if scheduler is None and workers is None:
        yield
        return
    if scheduler is not None and workers is not None:
        raise ValueError(
            "--scheduler and --workers cannot be combined: --workers starts workers on this machine."
        )
    try:
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError as error:
        raise ValueError('--scheduler and --workers require Dask: pip install "featsieve[dask]".') from error
    # what matters is raised; the logs repeat it with tracebacks
    with silence_logging_cmgr(logging.CRITICAL), ExitStack() as stack:
        if scheduler is None:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=0,  # Dask would not count the processes that compute
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
            scheduler = stack.enter_context(cluster).scheduler_address
        try:
            client = stack.enter_context(Client(scheduler, timeout=CONNECT_SECONDS))
        except (OSError, ValueError) as error:
            raise ValueError(
                f"--scheduler must be the address of a Dask scheduler; none answers at {scheduler}. "
                "Start one with: dask scheduler"
            ) from error
        _describe(client)
        yield


def _describe(client: Client) -> None:
    """Report how many cells are computed at once, and where to watch them."""
    from featsieve.cli.console import print_note

    address = client.scheduler.address if client.scheduler else ""
    n_threads = client.nthreads()
    if not n_threads:
        print_note(f"Waiting for workers of {address}. Start some with: dask worker {address}")
        return
    workers = "1 worker" if len(n_threads) == 1 else f"{len(n_threads)} workers"
    n_cells = sum(n_threads.values())
    cells = "one fit at a time" if n_cells == 1 else f"{n_cells} fits at a time"
    print_note(f"Computing on {workers} of {address}, {cells}. Dashboard: {client.dashboard_link}")
