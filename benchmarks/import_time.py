"""What ``import featsieve`` adds to ``import sklearn.feature_selection``: at most 20% is the promise."""

import statistics
import subprocess
import sys


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
print(f"import featsieve adds {both / base - 1:.1%}, the first name taken from it {names / base - 1:.1%}")
