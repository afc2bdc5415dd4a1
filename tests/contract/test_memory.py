"""Peak memory of the graph scores, on 50,000 x 200 dense numbers and on wide sparse data."""

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import featsieve

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
computed = {}
computed["graph"], graph = peak(lambda: KNNGraph(10).build(X))
scores = {
    "laplacian": LaplacianScore(graph),
    "lkr": LKRScore(graph),
    "lle-reconstruction": LLEReconstructionScore(graph=graph),
    "lle": LLEScore(graph=graph),
    "spec 1": SPECScore(graph, kind=1),
    "spec 2": SPECScore(graph, kind=2),
}
for name, score in scores.items():
    computed[name], _ = peak(lambda: score.fit(X))
print(json.dumps({name: value - base for name, value in computed.items()}))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from Linux's /proc")
@pytest.mark.slow
def test_graph_scores_stay_under_600_megabytes():
    run = subprocess.run([sys.executable, "-c", PROGRAM, "1024"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    peaks = json.loads(run.stdout)
    assert len(peaks) == 7
    assert {name: value for name, value in peaks.items() if value >= 600} == {}
    print(peaks)


SPARSE_METHODS = [
    m
    for m in featsieve.methods()
    if "sparse" in m.inputs and m.family in ("statistic", "graph", "reconstruction")
]


@pytest.mark.parametrize("method", SPARSE_METHODS, ids=lambda m: m.name)
def test_wide_sparse_data_stays_sparse(method):
    X = sp.random_array((600, 60_000), density=5e-4, random_state=0, format="csr")
    y = np.arange(600) % 3
    tracemalloc.start()
    model = method.make().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    assert np.isfinite(model.scores_[model.order_[0]])
    assert peak < 120  # a dense copy takes 275 MB
