"""What ``import featsieve`` adds to ``import sklearn.feature_selection``: at most 20% is the promise."""

import statistics
import subprocess
import sys

from ratios import finish, report


def seconds(statement: str) -> float:
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(7)
    ]
    return statistics.median(float(run.stdout) for run in runs)


base = seconds("import sklearn.feature_selection")
both = seconds("import sklearn.feature_selection, featsieve")
names = seconds("import sklearn.feature_selection, featsieve; featsieve.LaplacianScore")
report("importing featsieve as well / sklearn.feature_selection alone", both / base, "at most", 1.2)
report("with the first name taken from it / sklearn.feature_selection alone", names / base)
sys.exit(finish())
