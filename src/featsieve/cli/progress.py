"""Progress of a fit, for people who watch."""

from __future__ import annotations

import sys
from typing import Any


def show_progress(estimator: Any) -> None:
    """Have the estimator show a bar on stderr for each loop of its fit, if stderr is a terminal."""
    try:
        import sklearn.callback  # noqa: F401
    except ImportError:  # scikit-learn < 1.9
        return
    if sys.stderr.isatty() and hasattr(estimator, "set_callbacks"):
        estimator.set_callbacks(Bars())


class Bars:
    """Callback of scikit-learn that draws a bar for each loop, and leaves nothing behind.

    scikit-learn's own ProgressBar draws on stdout, among the results, and its bars stay there.
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._bars: dict[Any, Any] = {}

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin to draw."""
        self._progress.start()

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Draw a bar for a task that has steps."""
        if context.max_subtasks != 0:
            self._bars[context] = self._progress.add_task(context.task_name, total=context.max_subtasks)

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Count a step, and take away the bar of a finished task."""
        if context in self._bars:
            self._progress.remove_task(self._bars.pop(context))
        if context.parent in self._bars:
            self._progress.advance(self._bars[context.parent])

    def teardown(self, estimator: Any, context: Any) -> None:
        """Stop drawing."""
        self._progress.stop()
