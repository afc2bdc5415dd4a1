import matplotlib.pyplot as plt
import pytest
from sklearn.datasets import load_iris

from featsieve.evaluation import Plan, RepeatedSplits, compare


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def comparison():
    plan = Plan(RepeatedSplits(5), measures=["nn", "redundancy"], draws=3)
    return compare(*load_iris(return_X_y=True), ["fisher", "laplacian"], plan)
