"""Errors and warnings are one line."""

import pytest
from typer.testing import CliRunner

import featsieve
from featsieve.cli.app import app


def test_other_errors_are_not_hidden(monkeypatch):
    def broken(*args, **options):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(featsieve.AutoSelector, "fit", broken)
    with pytest.raises(ZeroDivisionError):
        CliRunner().invoke(app, ["rank", "iris"], catch_exceptions=False)


def test_memory_error_is_one_line(monkeypatch):
    def large(*args, **options):
        raise MemoryError

    monkeypatch.setattr(featsieve.AutoSelector, "fit", large)
    result = CliRunner().invoke(app, ["rank", "iris"], catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: Not enough memory. ")


def test_warnings_are_one_line(monkeypatch):
    import warnings

    fit = featsieve.AutoSelector.fit

    def warn(self, X, y=None):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("first\nof two", RuntimeWarning, stacklevel=1)
            warnings.warn("second", RuntimeWarning, stacklevel=1)
        return fit(self, X, y)

    monkeypatch.setattr(featsieve.AutoSelector, "fit", warn)
    result = CliRunner().invoke(app, ["rank", "iris"])
    assert result.exit_code == 0
    assert result.stderr == "RuntimeWarning (2 times): first of two\n"
