"""Report the progress of long loops to scikit-learn's callbacks, where scikit-learn has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Placeholder for scikit-learn versions without callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


__all__ = ["CallbackSupportMixin", "reporting", "track", "with_callbacks"]

T = TypeVar("T")
_listener: ContextVar[Any] = ContextVar("listener", default=None)


@contextmanager
def reporting(estimator: Any) -> Iterator[None]:
    """Report the :func:`track` loops within this context to the callbacks of the estimator."""
    if not hasattr(estimator, "_init_callback_context"):
        yield
        return
    root = estimator._init_callback_context(max_subtasks=None)
    root.call_on_fit_task_begin(estimator=estimator)
    token = _listener.set((estimator, root))
    try:
        yield
    finally:
        _listener.reset(token)
    root.call_on_fit_task_end(estimator=estimator)


def track(iterable: Iterable[T], total: int, name: str | None) -> Iterator[T]:
    """Yield from ``iterable`` and report each step of the task ``name``; None reports nothing."""
    listener = _listener.get()
    if listener is None or name is None:
        yield from iterable
        return
    estimator, root = listener
    task = root.subcontext(task_name=name, max_subtasks=total)
    task.call_on_fit_task_begin(estimator=estimator)
    for item in iterable:
        step = task.subcontext(task_name="step")
        step.call_on_fit_task_begin(estimator=estimator)
        yield item
        step.call_on_fit_task_end(estimator=estimator)
    task.call_on_fit_task_end(estimator=estimator)
