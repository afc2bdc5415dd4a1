"""Progress on stderr: bars in a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from featsieve.wording import counted

if TYPE_CHECKING:
    from rich.progress import Progress

MIN_SECONDS_BETWEEN_LINES = 10


def show_progress(estimator: Any) -> None:
    """Show a bar for each loop of the estimator's fit, if stderr is a terminal."""
    try:
        import sklearn.callback  # noqa: F401
    except ImportError:  # scikit-learn < 1.9
        return
    if sys.stderr.isatty() and hasattr(estimator, "set_callbacks"):
        estimator.set_callbacks(FitProgress())


class FitProgress:
    """scikit-learn callback that draws one bar per loop on stderr and erases it afterwards.

    The ProgressBar of scikit-learn draws on stdout, where the results go, and does not erase its bars.
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._bars: dict[Any, Any] = {}

    def setup(self, estimator: Any, context: Any) -> None:
        """Start drawing."""
        self._progress.start()

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Add a bar for a task that has subtasks."""
        if context.max_subtasks != 0:
            self._bars[context] = self._progress.add_task(context.task_name, total=context.max_subtasks)

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Remove the bar of the finished task and advance the bar of its parent."""
        if context in self._bars:
            self._progress.remove_task(self._bars.pop(context))
        if context.parent in self._bars:
            self._progress.advance(self._bars[context.parent])

    def teardown(self, estimator: Any, context: Any) -> None:
        """Stop drawing."""
        self._progress.stop()


def make_progress_bar() -> Progress:
    """Return a bar with a count and the remaining time, drawn on stderr if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())


class ProgressLines:
    """Lines on stderr, at most one per tenth of the work and none sooner than 10 seconds after the last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = self._last = clock()
        self._done = self._tenths = 0

    def advance(self, total: int) -> None:
        """Count a finished fit of ``total``."""
        self._done += 1
        now, tenths = self._clock(), 10 * self._done // total
        if tenths > self._tenths and now - self._last >= MIN_SECONDS_BETWEEN_LINES:
            self._tenths, self._last = tenths, now
            share, seconds = 100 * self._done // total, now - self._start
            done = f"{share}% done: {self._done} of {counted(total, 'fit')}"
            typer.echo(f"{done} in {counted(round(seconds), 'second')}", err=True)


@contextmanager
def resume_hint(store: str | None) -> Iterator[None]:
    """Explain how to resume from the store when the user interrupts the command."""
    from featsieve.cli.console import print_note

    try:
        yield
    except KeyboardInterrupt:
        if store is not None:
            print_note(f"Finished results are saved in {store}. Rerun the same command to resume.")
        raise
