"""Peak memory of the graph scores on 50,000 x 200 numbers, measured in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys
import numpy as np
import sklearn
from featsieve import KNNGraph, LaplacianScore, LKRScore, LLEReconstructionScore, LLEScore, SPECScore
import scipy.sparse.csgraph  # loaded before counting

def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))

def peak(function):
    with open("/proc/self/clear_refs", "w") as switch:
        switch.write("5")  # forget the peak so far
    result = function()
    return memory("VmHWM"), result

sklearn.set_config(working_memory=float(sys.argv[1]))
X = np.random.default_rng(0).standard_normal((50_000, 200))
LaplacianScore(KNNGraph(2)).fit(X[:2000])
LLEScore(2).fit(X[:2000])
base = memory("VmRSS")
found = {}
found["graph"], graph = peak(lambda: KNNGraph(10).build(X))
scores = {
    "laplacian": LaplacianScore(graph),
    "lkr": LKRScore(graph),
    "lle-reconstruction": LLEReconstructionScore(graph=graph),
    "lle": LLEScore(graph=graph),
    "spec 1": SPECScore(graph, kind=1),
    "spec 2": SPECScore(graph, kind=2),
}
for name, score in scores.items():
    found[name], _ = peak(lambda: score.fit(X))
print(json.dumps({name: value - base for name, value in found.items()}))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from Linux's /proc")
def test_graph_scores_stay_under_600_megabytes():
    run = subprocess.run([sys.executable, "-c", PROGRAM, "1024"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    peaks = json.loads(run.stdout)
    assert len(peaks) == 7
    assert {name: value for name, value in peaks.items() if value >= 600} == {}
    print(peaks)
