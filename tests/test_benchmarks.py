"""The table of all benchmarks: every script runs, even if others fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
TOY = {
    "import_time": "report('fine', 2, 'at least', 1); sys.exit(finish())",
    "threads": "sys.exit(finish())",
    "graph_scores": "report('slow', 2, 'at most', 1); sys.exit(finish())",
    "solvers": "sys.exit(finish())",
    "subsets": "report('before', 3, 'at most', 2); raise RuntimeError('broken')",
    "kernel_space": "report('plain', 4); sys.exit(finish())",
    "evaluation": "report('last', 5, 'at most', 9); sys.exit(finish())",
    "answers": "sys.exit(finish())",
    "verdicts": "sys.exit(finish())",
}


def table(folder, scripts):
    for name in ("run.py", "ratios.py"):
        shutil.copy(BENCHMARKS / name, folder)
    for name, body in scripts.items():
        (folder / f"{name}.py").write_text(f"import sys\nfrom ratios import finish, report\n{body}\n")
    command = [sys.executable, str(folder / "run.py")]
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    return run.returncode, run.stdout[run.stdout.index("== All ratios") :]


def test_missed_bounds_and_crashes_do_not_end_the_run(tmp_path):
    code, text = table(tmp_path, TOY)
    assert code == 1
    for what in ("fine", "slow", "before", "plain", "last", "exit code 1 before its end"):
        assert what in text
    assert text.rstrip().endswith("3 of 5 bounds missed")


def test_all_bounds_met(tmp_path):
    code, text = table(tmp_path, TOY | dict.fromkeys(("graph_scores", "subsets"), "sys.exit(finish())"))
    assert code == 0
    assert text.rstrip().endswith("0 of 2 bounds missed")
