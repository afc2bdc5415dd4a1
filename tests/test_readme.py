"""The commands of the README and of the tutorial; `make docs` runs their Python sessions."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def commands(page):
    """Return the commands of featsieve in the shell blocks of a page."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    lines = [line.partition("  #")[0] for block in blocks for line in block.splitlines()]
    return [shlex.split(line) for line in lines if line.startswith("featsieve ")]


@pytest.fixture
def folder(tmp_path):
    y = np.arange(60) % 2
    X = np.random.default_rng(0).standard_normal((60, 6)) + 2 * y[:, None] * (np.arange(6) < 2)
    frame = pd.DataFrame(X, columns=[f"gene {index}" for index in range(6)])
    frame.assign(diagnosis=np.where(y, "ill", "well")).to_csv(tmp_path / "patients.csv", index=False)
    frame.assign(target=y).to_csv(tmp_path / "cells.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_commands_write_what_they_promise(page, folder):
    listed = commands(page)
    assert [command[1] for command in listed] == ["select", "compare"]
    for command in listed:
        run = subprocess.run(
            [sys.executable, "-m", "featsieve.cli", *command[1:]], cwd=folder, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
    target = listed[0][listed[0].index("--target") + 1]
    selected = pd.read_csv(folder / "few.csv")
    assert target in selected
    assert {"gene 0", "gene 1"} & {*selected}
    assert "<html" in (folder / "report.html").read_text("utf-8")
