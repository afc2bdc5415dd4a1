"""openml:NAME, without the network: fetch_openml is replaced, or what it reads from the network."""

import warnings
from urllib.error import HTTPError, URLError

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.datasets
from sklearn.utils import Bunch

from featsieve.datasets import DataError, load


@pytest.fixture
def fetch(monkeypatch):
    """Replace fetch_openml by a function that returns a value or raises an error; list its arguments."""
    requested = []

    def answer(value):
        def fetch_openml(name=None, *, data_id=None, parser="auto"):
            requested.append(name or data_id)
            if isinstance(value, Exception):
                raise value
            return value

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
        return requested

    return answer


def bunch(data, target, target_names=("Class",)):
    names = list(data.columns) if hasattr(data, "columns") else [f"v{i}" for i in range(data.shape[1])]
    return Bunch(data=data, target=target, feature_names=names, target_names=list(target_names))


@pytest.mark.parametrize(("source", "requested"), [("openml:sonar", "sonar"), ("openml:40", 40)])
def test_by_name_or_number(fetch, source, requested):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 7]}, index=[7, 8, 9])
    calls = fetch(bunch(frame, pd.Series(pd.Categorical(["u", "v", "u"]), index=[7, 8, 9], name="Class")))
    data = load(source)
    assert calls == [requested]
    assert data.name == source
    assert data.target_name == "Class"
    assert data.y.tolist() == ["u", "v", "u"]
    np.testing.assert_array_equal(data.raw, [[1, 4], [2, np.nan], [3, 7]])


def test_sparse(fetch):
    fetch(bunch(sp.csr_matrix(np.eye(3)), np.array([1, 2, 3])))
    data = load("openml:news")
    assert sp.issparse(data.X)
    assert data.feature_names == ["v0", "v1", "v2"]


@pytest.mark.parametrize("target", [None, pd.DataFrame({"u": [1, 2], "v": [3, 4]})])
def test_without_one_target(fetch, target):
    fetch(bunch(pd.DataFrame({"a": [1, 2], "b": [2, 5]}), target))
    assert load("openml:x").y is None


def test_several_versions_are_reported(fetch, monkeypatch):
    fetch(bunch(pd.DataFrame({"a": [1, 2], "b": [2, 5]}), None))
    quiet = sklearn.datasets.fetch_openml

    def noisy(**options):
        warnings.warn("Multiple active versions of the dataset matching the name", stacklevel=1)
        return quiet(**options)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", noisy)
    assert load("openml:x").notes == ("Several versions are active on openml.org; the oldest was used.",)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (URLError("Name or service not known"), "openml.org cannot be reached for 'sonar'"),
        (HTTPError("u", 503, "busy", {}, None), "openml.org cannot be reached for 'sonar'"),
        (TimeoutError("timed out"), "check the network, or save the data as a file"),
        (
            ValueError("No known dataset\nfound"),
            "openml.org has no usable dataset 'sonar': No known dataset found.",
        ),
        (MemoryError(), "does not fit into memory"),
    ],
)
def test_errors_are_one_line(fetch, error, expected):
    fetch(error)
    with pytest.raises(DataError) as caught:
        load("openml:sonar")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_name_is_required():
    with pytest.raises(DataError, match="needs a name or a number"):
        load("openml:")


@pytest.mark.parametrize(
    ("number", "name", "shape", "target"),
    [
        (61, "iris", (150, 4), "class"),
        (2, "2", (11, 38), "class"),  # categories that are numbers
        (40945, "40945", (1309, 13), "survived"),  # text and missing values
        (561, "cpu", (209, 7), "class"),
    ],
)
def test_real_answers_through_the_real_fetch(monkeypatch, tmp_path, number, name, shape, target):
    """Only the network is replaced: scikit-learn brings recorded answers of openml.org for its own tests."""
    recorded = pytest.importorskip("sklearn.datasets.tests.test_openml")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    recorded._monkey_patch_webbased_functions(monkeypatch, number, gzip_response=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = load(f"openml:{name}")
    assert data.table.values.shape == shape
    assert data.target_name == target
    assert data.X.shape[0] == len(data.y) == shape[0]
    assert np.isfinite(data.X).all()
