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


class _Terminal:
    def isatty(self):
        return True


@needs_callbacks
def test_bars_only_on_a_terminal(monkeypatch):
    estimator = featsieve.LaplacianScore()
    progress.show_progress(estimator)
    assert not hasattr(estimator, "_skl_callbacks")
    monkeypatch.setattr(sys, "stderr", _Terminal())
    progress.show_progress(estimator)
    assert isinstance(estimator._skl_callbacks[0], progress.Bars)


def test_no_bars_without_callbacks(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    monkeypatch.setattr(sys, "stderr", _Terminal())
    estimator = featsieve.LaplacianScore()
    progress.show_progress(estimator)
    assert not hasattr(estimator, "_skl_callbacks")


def test_command_without_callbacks(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    assert CliRunner().invoke(app, ["rank", "iris"]).exit_code == 0


@needs_callbacks
def test_steps_are_counted(monkeypatch):
    bars = progress.Bars()
    seen = []
    monkeypatch.setattr(bars._progress, "start", lambda: None)
    advance = bars._progress.advance
    monkeypatch.setattr(bars._progress, "advance", lambda bar: (seen.append(bar), advance(bar)))
    featsieve.LaplacianScore().set_callbacks(bars).fit(featsieve.datasets.load("iris").X)
    assert len(seen) >= 2
    assert bars._progress.tasks == []


@needs_callbacks
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a matter of POSIX")
@pytest.mark.parametrize("method", ["laplacian", "constraint"])
def test_a_watched_run_keeps_stdout_clean(method):
    import pty

    def run(stderr):
        return subprocess.run(
            [sys.executable, "-m", "featsieve.cli", "rank", "digits", "--json", "-m", method],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=os.environ | {"TERM": "xterm-256color"},
            timeout=60,
        )

    controller, terminal = pty.openpty()
    with ThreadPoolExecutor(1) as pool:
        drawing = pool.submit(_read_all, controller)  # or the run would wait for someone to read
        watched = run(terminal)
        os.close(terminal)
        drawn = drawing.result(timeout=60)
    unwatched = run(subprocess.PIPE)
    assert watched.returncode == 0
    assert watched.stdout == unwatched.stdout
    assert unwatched.stderr == b""
    assert "fit" in drawn
    # the last line is erased and the cursor is back
    assert drawn.rstrip("\r").endswith("\x1b[2K\x1b[?25h")


def _read_all(descriptor):
    parts = []
    with contextlib.suppress(OSError):  # how Linux tells the end of a terminal
        while part := os.read(descriptor, 65536):
            parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode()
