"""Tables and figures of Xu et al. 2011."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featsieve.papers.takes.computations import accuracy_curves, fit_time_exponents, reconstruction_costs
from featsieve.papers.takes.tables import COSTS, DATASETS, ORDERS, TABLE_1, TABLE_2
from featsieve.reproduction.schema import Computation, Experiment, Row

KERNEL_WIDTH = (
    "Kernel width: for each training set, the RBF kernel has the width at which KOBL with f(t) = t learns "
    "the printed dimension. All methods share it. Columns are standardized with the training set."
)


def _computations(function: Callable[..., dict[str, dict[str, Any]]]) -> tuple[Computation, ...]:
    return tuple(
        Computation(
            key=key,
            dataset=name,
            function=function,
            parameters={"n_train": n_train, "dimension": dimension, "n_repeats": 20, "seed": 0},
            quick={"n_repeats": 5},
        )
        for key, (name, n_train, dimension) in DATASETS.items()
    )


ACCURACIES = _computations(accuracy_curves)
EXPERIMENTS = (
    Experiment(
        key="table-1",
        runs=(
            Computation(
                key="exponent of N",
                dataset=None,
                function=fit_time_exponents,
                parameters={"sizes": [1000, 2000, 4000, 8000], "gamma": 0.05, "n_repeats": 5, "seed": 0},
                quick={"sizes": [500, 1000, 2000]},
            ),
        ),
        rows=tuple(Row(name, name, statistics=("exponent",)) for name in ORDERS),
        published=TABLE_1,
        tolerance=0.25,
    ),
    Experiment(
        key="table-2",
        runs=_computations(reconstruction_costs),
        rows=(
            *(Row(name, name, statistics=("cost", "dimension")) for name in COSTS),
            Row(
                "KPCA about the mean",
                "KPCA, moved",
                "not in the paper: distance from the span of the components, translated to the mean of the "
                "samples",
                ("cost",),
            ),
            Row(
                "Random samples",
                "random",
                "not in the paper: span of randomly drawn samples, as many as KOBL selects",
                ("cost", "dimension"),
            ),
        ),
        published=TABLE_2,
        relative_tolerance=0.2,
        digits=3,
        notes=(KERNEL_WIDTH,),
    ),
    *(
        Experiment(
            key=key,
            runs=ACCURACIES,
            rows=(
                *(Row(method, method) for method in methods),
                Row("Random selection", "random", "not in the paper: random features of the basis of KOBL"),
                Row("All features", "all", "not in the paper: all features of the basis of KOBL"),
            ),
            evaluated_at="the number of features that TAKES selects",
            notes=(KERNEL_WIDTH,),
        )
        for key, methods in (
            ("figure-2", ("TAKES", "KGS+KFFS")),
            ("figure-3", ("TAKES", "FSKGS", "FSKPCA", "KDA", "KNNC")),
        )
    ),
)
