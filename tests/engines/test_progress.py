"""Loops report each step to the callbacks of the estimator that is being fitted."""

from featsieve.engines.progress import reporting, track


class Task:
    """Record the calls of a context of scikit-learn's callbacks."""

    def __init__(self, events, name="fit", total=None):
        self.events, self.name, self.total = events, name, total

    def subcontext(self, task_name, max_subtasks=None):
        return Task(self.events, task_name, max_subtasks)

    def call_on_fit_task_begin(self, estimator):
        self.events.append(("begin", self.name, self.total))

    def call_on_fit_task_end(self, estimator):
        self.events.append(("end", self.name, self.total))


class Estimator:
    def __init__(self):
        self.events = []

    def _init_callback_context(self, max_subtasks=None):
        return Task(self.events, total=max_subtasks)


def test_every_step_is_reported():
    estimator = Estimator()
    with reporting(estimator):
        assert list(track("ab", 2, "letters")) == ["a", "b"]
    step = [("begin", "step", None), ("end", "step", None)]
    loop = [("begin", "letters", 2), *step, *step, ("end", "letters", 2)]
    assert estimator.events == [("begin", "fit", None), *loop, ("end", "fit", None)]


def test_loops_without_a_name_or_outside_of_a_fit_report_nothing():
    estimator = Estimator()
    with reporting(estimator):
        assert list(track("ab", 2, None)) == ["a", "b"]
    assert list(track("ab", 2, "letters")) == ["a", "b"]
    assert [name for _, name, _ in estimator.events] == ["fit", "fit"]


def test_an_estimator_without_callbacks_reports_nothing():
    with reporting(object()):
        assert list(track("ab", 2, "letters")) == ["a", "b"]


def test_an_inner_fit_reports_to_its_own_estimator():
    outer, inner = Estimator(), Estimator()
    with reporting(outer):
        with reporting(inner):
            list(track("a", 1, "inner loop"))
        list(track("a", 1, "outer loop"))
    assert {name for _, name, _ in inner.events} == {"fit", "inner loop", "step"}
    assert {name for _, name, _ in outer.events} == {"fit", "outer loop", "step"}
