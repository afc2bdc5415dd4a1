"""Published numbers of Yao et al. 2017 and the errors in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from featsieve.reproduction.published import read_table
from featsieve.reproduction.schema import CellKey, Mark, PublishedNumber

FACE_COLUMNS = tuple(f"p={p}" for p in range(2, 8))
OBJECT_SIZES = (20, 25, 30, 35, 40, 45)
OBJECT_COLUMNS = tuple(f"p={p}" for p in OBJECT_SIZES)
DIGIT_COLUMNS = ("MNIST",)
METHODS = ("Variance", "Laplacian score", "Sparsity score", "Algorithm 1", "LLE score")
MAXIMUM = ("max", "argmax")

Marks = dict[CellKey, Mark]


def _marks(
    rows: tuple[str, ...],
    column: str,
    measure: str,
    statistics: tuple[str, ...],
    mark: Mark,
    source: Mapping[str, str] | None = None,
) -> Marks:
    """Mark statistics of the rows; ``source`` replaces fields of the key to give the source of the mark."""
    keys = [CellKey(row, column, measure, statistic) for row in rows for statistic in statistics]
    return {key: replace(mark, source=key._replace(**source) if source else None) for key in keys}


def _exchanged(row: str, other: str, column: str) -> Marks:
    """Mark the nearest neighbor maxima of two rows as exchanged."""
    mark = Mark("exchanged")
    return {
        **_marks((row,), column, "nn", MAXIMUM, mark, {"row": other}),
        **_marks((other,), column, "nn", MAXIMUM, mark, {"row": row}),
    }


def _read(
    name: str, columns: tuple[str, ...], marks: Mapping[CellKey, Mark]
) -> dict[CellKey, PublishedNumber]:
    return read_table("featsieve.papers.lle", name, columns, marks)


IRIS = {
    **{
        CellKey(f"Feature {index}", "K=5", "ncm", "size 1"): PublishedNumber(accuracy)
        for index, accuracy in enumerate((73.33, 58.33, 96.67, 96.67), 1)
    },
    **{
        CellKey(method, "K=5", "ncm", "order"): PublishedNumber(order)
        for method, order in zip(
            METHODS, ("3, 1, 4, 2", "2, 1, 4, 3", "4, 3, 1, 2", "3, 1, 4, 2", "3, 4, 1, 2"), strict=True
        )
    },
}
IRIS_NEIGHBORS = {
    CellKey("LLE score", f"K={k}", "ncm", "order"): PublishedNumber("4, 3, 1, 2" if k == 2 else "3, 4, 1, 2")
    for k in (2, 10, 15, 20)
}

MISPRINT, COPIED, IMPOSSIBLE = Mark("misprint"), Mark("copied"), Mark("impossible")

YALE = _read(
    "table-VI",
    FACE_COLUMNS,
    {
        **_marks(("Algorithm 1",), "p=4", "ncm", ("mean",), MISPRINT),
        **_marks(("Sparsity score",), "p=2", "ncm", MAXIMUM, IMPOSSIBLE),
    },
)
ORL = _read(
    "table-VII",
    FACE_COLUMNS,
    {
        **_marks(METHODS, "p=5", "nn", ("mean",), COPIED, {"measure": "ncm"}),
        **_exchanged("Algorithm 1", "LLE score", "p=6"),
        **_exchanged("Algorithm 1", "LLE score", "p=7"),
        **_exchanged("Laplacian score", "LLE score", "p=2"),
        **_marks(("Algorithm 1",), "p=7", "nn", ("mean",), MISPRINT),
        **_marks(("Algorithm 1",), "p=7", "ncm", ("mean", *MAXIMUM), MISPRINT),
        **_marks(("Laplacian score",), "p=5", "ncm", MAXIMUM, IMPOSSIBLE),
        **_marks(("Laplacian score",), "p=6", "ncm", MAXIMUM, IMPOSSIBLE),
    },
)
COIL20 = _read(
    "table-VIII",
    OBJECT_COLUMNS,
    {
        **_marks(
            ("Algorithm 1",),
            "p=35",
            "ncm",
            MAXIMUM,
            Mark("copied", "Table VII, ORL, NCM, p=5 has the same maximum and number of features"),
        ),
        **_marks(
            ("Laplacian score",),
            "p=25",
            "ncm",
            MAXIMUM,
            Mark(
                "impossible",
                "The sparsity row of the same column has 85.77 at all 1024 features, which a maximum over "
                "all sizes includes",
            ),
        ),
        **_marks(
            ("LLE score",),
            "p=40",
            "ncm",
            ("mean",),
            Mark(
                "copied",
                "Probably: the same row and column of Table VII (LLE, NCM, p=6) has the same mean, and the "
                "adjacent cells are 80.70 and 81.37",
            ),
        ),
        **_marks(("Variance",), "p=35", "nn", ("mean", *MAXIMUM), COPIED, {"column": "p=30"}),
        **_marks(("LLE score",), "p=45", "nn", MAXIMUM, COPIED, {"measure": "ncm"}),
    },
)
MNIST = _read(
    "table-IX",
    DIGIT_COLUMNS,
    {
        key: mark
        for measure, accuracy in (("ncm", "82.03"), ("nn", "96.91"))
        for key, mark in _marks(
            METHODS,
            "MNIST",
            measure,
            MAXIMUM,
            Mark(
                "impossible",
                f"All 784 pixels reach {accuracy} in the full form, and a maximum over all sizes includes "
                "them",
            ),
        ).items()
    },
)
