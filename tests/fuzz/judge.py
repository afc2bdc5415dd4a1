"""The allowed results of reading a file: data to rank, or a DataError of one line."""

import contextlib
import json
import re
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from typer.testing import CliRunner

from featsieve.cli.app import app
from featsieve.datasets import DataError, Dataset, load

MAX_MESSAGE_LENGTH = 2000
METHODS = ("variance", "laplacian")
# What the command may print besides an error: notes, and the warnings of a method, one line each.
_NOTE = re.compile(r"Note: |\w+Warning( \(\d+ times\))?: ")


@dataclass(frozen=True)
class Verdict:
    """Result of reading a file.

    Attributes
    ----------
    kind : str
        "data" or "refused", which are correct; "exception", "crash" or "hang", which are findings.
    reason : str
        Equal for findings with the same cause: the exception and the line that raised it, or the signal.
    detail : str
        Message or traceback.
    """

    kind: str
    reason: str = ""
    detail: str = ""

    @property
    def is_correct(self) -> bool:
        """Whether the result is allowed."""
        return self.kind in ("data", "refused")


def outcome(path: Path, **options: Any) -> Dataset | str:
    """Return the dataset or the message of the error, after checking it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            data = load(path, **options)
        except DataError as error:
            check_message(str(error), path.name)
            return str(error)
    check_data(data)
    return data


def check_message(message: str, start: str) -> None:
    """Check that a message is one line of moderate length with the expected start."""
    assert "\n" not in message, "the message has several lines"
    assert len(message) < MAX_MESSAGE_LENGTH, f"the message has {len(message)} characters"
    assert message.startswith(start), "the message does not start with the name of the file"


def check_data(data: Dataset) -> None:
    """Check that values are finite, each feature has a name, and each sample a label."""
    values = data.X.data if sp.issparse(data.X) else data.X
    n_samples, n_features = data.X.shape
    assert values.dtype.kind in "buif", f"X has the type {values.dtype}"
    assert np.isfinite(values).all(), "X is not finite"
    assert min(data.X.shape) > 0, "X is empty"
    assert n_features == len(data.feature_names) == len(data.origins), "features and names differ in number"
    assert len(set(data.feature_names)) == n_features, "features share a name"
    assert data.y is None or data.y.shape == (n_samples,), "labels and samples differ in number"
    assert all("\n" not in note for note in data.notes), "a note has several lines"
    if sp.issparse(data.X) and hasattr(data.X, "check_format"):
        data.X.check_format()


def judge(path: Path, way: str, isolated: bool = False) -> Verdict:
    """Read the file with ``load``, "load" or "strict", or with the command, "rank"."""
    options = {"isolated": True} if isolated else {}
    try:
        if way == "rank":
            return _rank(path)
        result = outcome(path, strict=way == "strict", **options)
    except Exception as error:
        return Verdict("exception", _reason(error), traceback.format_exc())
    return Verdict("refused", detail=result) if isinstance(result, str) else Verdict("data")


def _rank(path: Path) -> Verdict:
    method = METHODS[path.stat().st_size % len(METHODS)]
    with contextlib.chdir(path.parent):
        result = CliRunner().invoke(app, ["rank", path.name, "--method", method, "--json"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    lines = result.stderr.splitlines()
    errors = [line for line in lines if not _NOTE.match(line)]
    if result.exit_code == 0:
        assert not errors, "lines on stderr that are not notes"
        assert json.loads(result.stdout)["features"], "nothing is ranked"
        return Verdict("data")
    assert result.exit_code == 2, f"exit code {result.exit_code}"
    assert result.stdout == "", "an error, and results on stdout"
    assert len(errors) == 1, "an error of several lines"
    check_message(errors[0], "Error: ")
    assert path.name in errors[0], "the message does not name the file"
    return Verdict("refused", detail=errors[0])


def _reason(error: BaseException) -> str:
    """Return the exception and the line that raised it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = f": {error}" if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__}{text} in {Path(frame.filename).name}:{frame.lineno} {frame.name}"
