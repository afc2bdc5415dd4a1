"""Bars for those who watch, nothing for programs, and no need of scikit-learn's callbacks."""

import contextlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

import featsieve
from featsieve.cli import progress
from featsieve.cli.app import app

needs_callbacks = pytest.mark.skipif(
    not hasattr(featsieve.LaplacianScore(), "set_callbacks"), reason="this scikit-learn has no callbacks"
)


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a matter of POSIX")


class _Terminal:
    def isatty(self):
        return True


@needs_callbacks
def test_progress_only_on_a_terminal(monkeypatch):
    estimator = featsieve.LaplacianScore()
    progress.show_progress(estimator)
    assert not hasattr(estimator, "_skl_callbacks")
    monkeypatch.setattr(sys, "stderr", _Terminal())
    progress.show_progress(estimator)
    assert isinstance(estimator._skl_callbacks[0], progress.FitProgress)


def test_no_progress_without_callbacks(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    monkeypatch.setattr(sys, "stderr", _Terminal())
    estimator = featsieve.LaplacianScore()
    progress.show_progress(estimator)
    assert not hasattr(estimator, "_skl_callbacks")


def test_command_without_callbacks(monkeypatch):
    arguments = ["rank", "iris", "-m", "laplacian"]
    assert CliRunner().invoke(app, arguments).exit_code == 0  # loads modules that scikit-learn imports late
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    assert CliRunner().invoke(app, arguments).exit_code == 0


@needs_callbacks
def test_bars_advance_and_disappear(monkeypatch):
    bars = progress.FitProgress()
    seen = []
    monkeypatch.setattr(bars._progress, "start", lambda: None)
    advance = bars._progress.advance
    monkeypatch.setattr(bars._progress, "advance", lambda bar: (seen.append(bar), advance(bar)))
    featsieve.LaplacianScore().set_callbacks(bars).fit(featsieve.datasets.load("iris").X)
    assert len(seen) >= 2
    assert bars._progress.tasks == []


@pytest.mark.slow
@needs_callbacks
@needs_terminal
def test_progress_does_not_write_to_stdout():
    watched, drawn = _watch("rank", "digits", "--json")
    unwatched = _run(subprocess.PIPE, "rank", "digits", "--json")
    assert watched.returncode == 0
    assert watched.stdout == unwatched.stdout
    assert unwatched.stderr == b""
    assert "fit" in drawn
    assert drawn.rstrip("\r").endswith("\x1b[?25h")  # the cursor is back


@needs_callbacks
@needs_terminal
def test_errors_replace_the_bar():
    run, drawn = _watch("rank", "diabetes", "--method", "chi-square")
    assert run.returncode == 2
    assert (
        "\x1b[1A\x1b[2KError: chi-square cannot rank diabetes" in drawn
    )  # one line up, erased, written over


def _run(stderr, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "featsieve.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=os.environ | {"TERM": "xterm-256color"},
        timeout=60,
    )


def _watch(*arguments):
    """Run with a terminal as stderr; return the process and the drawing."""
    import pty

    controller, terminal = pty.openpty()
    with ThreadPoolExecutor(1) as pool:
        drawing = pool.submit(_read_all, controller)  # or the run would wait for someone to read
        run = _run(terminal, *arguments)
        os.close(terminal)
        return run, drawing.result(timeout=60)


def _read_all(descriptor):
    parts = []
    with contextlib.suppress(OSError):  # how Linux reports the end of a terminal
        while part := os.read(descriptor, 65536):
            parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode()


def test_lines_are_few(capsys):
    times = iter(range(1000))  # a second per fit
    lines = progress.ProgressLines(lambda: next(times))
    for _ in range(300):
        lines.advance(300)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[0] == "10% done: 30 of 300 fits in 30 seconds"
    assert [line.split("%")[0] for line in printed.err.splitlines()] == [str(10 * i) for i in range(1, 11)]


def test_no_lines_for_short_runs(capsys):
    lines = progress.ProgressLines(lambda: 0.0)
    for _ in range(30):
        lines.advance(30)
    assert capsys.readouterr().err == ""


def test_compare_prints_lines_if_stderr_is_no_terminal(monkeypatch):
    monkeypatch.setattr(progress, "MIN_SECONDS_BETWEEN_LINES", 0)
    result = CliRunner().invoke(app, ["compare", "iris", "-m", "fisher", "--repeats", "5", "--jobs", "1"])
    lines = [line for line in result.stderr.splitlines() if "% done" in line]
    assert 5 <= len(lines) <= 10
    assert lines[-1].startswith("100% done: 22 of 22 fits in ")
