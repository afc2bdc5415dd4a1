"""A Dask scheduler and workers as separate processes on the loopback interface."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager

# What still runs after this time is ended: a test that waits for the cluster then fails.
LIFETIME_SECONDS = 900


class RealCluster:
    """A scheduler and workers, each of which computes one task at a time and has no nanny."""

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.exit = ExitStack()
        self.scheduler = self._start("scheduler", "--port", "0", "--idle-timeout", f"{LIFETIME_SECONDS}s")
        self.workers = []
        watchdog = threading.Timer(LIFETIME_SECONDS, self.scheduler.kill)
        watchdog.start()
        self.exit.callback(watchdog.cancel)

    def start_workers(self, client, count):
        """Start workers until there are ``count``."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        limits = "--nthreads", "1", "--memory-limit", "0", "--death-timeout", f"{LIFETIME_SECONDS}s"
        for _ in range(count - len(self.workers)):
            self.workers.append(
                self._start("worker", "--no-nanny", *limits, "--local-directory", self.folder)
            )
        client.wait_for_workers(count, timeout=120)

    def _start(self, kind, *options):
        log = self.exit.enter_context((self.folder / f"{kind}.log").open("ab"))
        options += ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", self.file)
        process = self.popen("-m", f"distributed.cli.dask_{kind}", *options, stdout=log, stderr=log)
        self.exit.callback(end_group, process)
        return process

    def popen(self, *arguments, **streams):
        """Start Python in a group of its own, so that nothing that it starts can be left behind."""
        # workers import the modules of the tests, whose estimators they fit
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, *map(str, arguments)]
        return subprocess.Popen(command, env=environment, start_new_session=True, **streams)


@contextmanager
def real_cluster(folder, n_workers):
    """Yield a cluster and its client, which is the active one, when all workers are connected."""
    from distributed import Client

    cluster = RealCluster(folder)
    with cluster.exit, Client(scheduler_file=str(cluster.file), timeout=120) as client:
        cluster.start_workers(client, n_workers)
        yield cluster, client


def end_group(process):
    """Kill a process and all that it has started."""
    if is_alive(process):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def is_alive(process):
    """Return whether a process or one that it has started is alive."""
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.05)
