"""What the kernel-space estimators do beyond the equations: influence, pipelines, progress, memory."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, minmax_scale, scale
from typer.testing import CliRunner

from featsieve import (
    KernelForwardSelection,
    KernelNearestNeighbor,
    KernelOrthogonalBasis,
    KernelRelief,
    TAKESRanker,
    TAKESTransformer,
)
from featsieve.cli.app import app
from featsieve.kernel_space.kernels import KernelColumns


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def by_differences(model, X, of):
    """The influence, from what transform gives on both sides of each sample."""
    weights = np.maximum(model.selection_.weights_[model.selection_.get_support()], 0)
    turn = np.diag(np.sqrt(weights / weights.sum())) if of == "features" else model._class_coefficients
    found = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        step = np.zeros(X.shape[1])
        step[j] = 1e-5 * X[:, j].std()
        slopes = (model.transform(X + step) - model.transform(X - step)) / (2 * step[j]) @ turn
        found[j] = np.sqrt((slopes**2).sum(axis=1).mean()) * X[:, j].std()
    return found


def exponential(x, z):
    return np.exp(-0.02 * ((x - z) ** 2).sum())


KERNELS = [
    ("rbf", {}),
    ("rbf", {"gamma": 0.002, "threshold": lambda t: 1e-4 * t}),  # residuals that fall below a thousandth
    ("linear", {}),
    ("poly", {"gamma": 0.1}),
    ("poly", {"gamma": 0.1, "degree": 2, "coef0": 0.5}),
    ("sigmoid", {"gamma": 1e-4, "coef0": 0.0}),
    ("cosine", {}),
    ("laplacian", {}),
    ("chi2", {}),
    (exponential, {"n_components": 6}),
]


@pytest.mark.parametrize("of", ["features", "classes"])
@pytest.mark.parametrize(("kernel", "options"), KERNELS)
def test_influence_is_the_derivative_of_transform(wine, kernel, options, of):
    X, y = wine[0][::3, :6], wine[1][::3]
    X = minmax_scale(X) + 0.01 if kernel == "chi2" else X + 0.3
    model = TAKESTransformer(kernel, **options).fit(X, y)
    if "threshold" in options:
        assert model.basis_.residuals_[-1] < 1e-3
    found = model.original_feature_influence(of)
    assert_allclose(found, by_differences(model, X, of), rtol=1e-5)
    if kernel in ("rbf", "linear", "poly", "cosine", "laplacian") and "threshold" not in options:
        sparse = TAKESTransformer(kernel, **options).fit(sp.csr_array(X), y)
        assert_allclose(sparse.original_feature_influence(of), found, rtol=1e-8)


def test_influence_does_not_depend_on_units_and_is_zero_for_constants(wine):
    X, y = wine
    X = np.column_stack([X, np.full(len(X), 0.1)])
    model = TAKESTransformer("linear").fit(X, y)
    found = model.original_feature_influence()
    assert found[-1] == 0
    assert found[:-1].min() > 0
    # a kernel of an unscaled table, told to undo the scale, is the same kernel
    units = np.linspace(0.01, 100, X.shape[1])
    same = TAKESTransformer(lambda x, z: (x / units) @ (z / units)).fit(X * units, y)
    assert_allclose(same.original_feature_influence(), found, rtol=1e-6)


def test_influence_needs_numbers():
    y = [0, 0, 1, 1]
    words = TAKESTransformer(lambda a, b: float(len(set(a) & set(b)))).fit(["ab", "abc", "xy", "yz"], y)
    known = TAKESTransformer("precomputed").fit(np.eye(4), y)
    for model in (words, known):
        with pytest.raises(ValueError, match="rows of numbers"):
            model.original_feature_influence()
    with pytest.raises(ValueError, match="of must be one of"):
        known.original_feature_influence(of="labels")


@pytest.mark.parametrize("seed", range(3))
def test_the_ranking_finds_the_features_that_the_classes_depend_on(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((400, 7))
    for y, relevant in ((X[:, 3] * X[:, 6] > 0, {3, 6}), (X[:, [1, 4, 5]].sum(axis=1) > 0, {1, 4, 5})):
        assert set(TAKESRanker().fit(X, y).order_[: len(relevant)]) == relevant


def test_support_samples_are_the_pivots_of_the_kept_features(wine):
    X, y = wine
    model = TAKESTransformer(gamma="dimension", n_components=30, n_features_to_select=7).fit(X, y)
    assert model.transform(X).shape == (len(X), 7) == (len(X), len(model.support_samples_))
    chosen = model.selection_.get_support(indices=True)
    assert_array_equal(model.support_samples_, model.basis_.pivots_[chosen])
    # on its own pivot, a feature has its residual
    own = model.transform(X)[model.support_samples_, np.arange(7)]
    assert_allclose(own, model.basis_.residuals_[chosen], rtol=1e-9)
    two = make_pipeline(
        KernelOrthogonalBasis(gamma="dimension", n_components=30), KernelForwardSelection(7)
    ).fit_transform(X, y)
    assert_allclose(model.transform(X), two, atol=1e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_takes_and_a_nearest_neighbor_classify(load):
    X, y = load(return_X_y=True)
    model = make_pipeline(
        StandardScaler(), TAKESTransformer(gamma="median"), KernelNearestNeighbor(kernel="linear")
    )
    assert cross_val_score(model, X, load().target_names[y], cv=4).mean() > 0.9


def test_grid_search(wine):
    X, y = wine
    pipeline = make_pipeline(TAKESTransformer(n_components=40), KernelNearestNeighbor(kernel="linear"))
    grid = {"takestransformer__gamma": ["scale", 0.01], "takestransformer__n_features_to_select": [1, 20]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_params_["takestransformer__n_features_to_select"] == 20
    relief = KernelRelief(KernelPCA(kernel="rbf"), n_features_to_select=3)
    inner = GridSearchCV(
        make_pipeline(relief, KernelNearestNeighbor()), {"kernelrelief__basis__gamma": [1e-4, 10.0]}, cv=3
    )
    scores = inner.fit(X, y).cv_results_["mean_test_score"]
    assert scores[0] > scores[1]


def test_only_the_diagonal_and_the_pivots_columns_are_evaluated(wine, monkeypatch):
    X = wine[0]
    read = []
    original = KernelColumns.__getitem__
    monkeypatch.setattr(KernelColumns, "__getitem__", lambda self, i: read.append(i) or original(self, i))
    basis = KernelOrthogonalBasis().fit(X)
    assert read == basis.pivots_.tolist()
    calls = []
    KernelOrthogonalBasis(lambda x, z: calls.append(1) or exponential(x, z), n_components=5).fit(X)
    assert len(calls) == len(X) * 6


@pytest.mark.parametrize("target", [1, 2, 13, 40, 177, 178])
def test_width_for_a_dimension(wine, target):
    basis = KernelOrthogonalBasis(gamma="dimension", n_components=target).fit(wine[0])
    assert basis.n_components_ == target
    assert KernelOrthogonalBasis(gamma=basis.gamma_).fit(wine[0]).n_components_ == target


def test_progress_of_a_transformer_reaches_callbacks(wine):
    pytest.importorskip("sklearn.callback", reason="scikit-learn < 1.9 has no callbacks")
    names = []

    class Listener:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            names.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

    TAKESTransformer().set_callbacks(Listener()).fit(*wine)
    assert {"fit", "kernel basis", "weak classifiers", "forward selection"} <= set(names)


def test_rank_command():
    result = CliRunner().invoke(app, ["rank", "wine", "--method", "takes", "--scale", "--json"])
    found = [row["index"] for row in json.loads(result.stdout)["features"]]
    X, y = load_wine(return_X_y=True)
    assert found == TAKESRanker().fit(StandardScaler().fit_transform(X), y).order_[:10].tolist()
    result = CliRunner().invoke(app, ["rank", "wine", "--method", "kobl"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "kobl" in result.stderr


MEMORY = """
import numpy as np
from featsieve import KernelOrthogonalBasis

def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))

X = np.random.default_rng(0).standard_normal((100_000, 50))
KernelOrthogonalBasis(n_components=5).fit(X[:500])
before = memory("VmRSS")
with open("/proc/self/clear_refs", "w") as switch:
    switch.write("5")  # forget the peak so far
assert KernelOrthogonalBasis(n_components=300).fit(X).n_components_ == 300
print(memory("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from Linux's /proc")
def test_memory_is_that_of_the_factor():
    run = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    factor = 100_000 * 300 * 8 / 2**20
    assert factor < float(run.stdout) < factor + 250
