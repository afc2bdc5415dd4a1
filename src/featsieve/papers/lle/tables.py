"""The printed tables of Yao et al. 2017, and what is wrong in them."""

from __future__ import annotations

from featsieve.reproduction.schema import Mark, Number, Place, published_table

FACES = tuple(f"p={p}" for p in range(2, 8))
OBJECTS = tuple(f"p={p}" for p in (20, 25, 30, 35, 40, 45))
NAMES = ("Variance", "Laplacian score", "Sparsity score", "Algorithm 1", "LLE score")


def _copied(place: Place, **source: str) -> dict[Place, Mark]:
    return {place: Mark("copied", source=place._replace(**source))}


def _exchanged(one: str, other: str, column: str) -> dict[Place, Mark]:
    """The maxima of the nearest neighbor, and where they are, stand in each other's row."""
    return {
        Place(row, column, "nn", statistic): Mark("exchanged", source=Place(there, column, "nn", statistic))
        for row, there in ((one, other), (other, one))
        for statistic in ("max", "argmax")
    }


def _impossible(row: str, column: str, measure: str = "ncm", text: str = "") -> dict[Place, Mark]:
    """A maximum, and where it is."""
    return {
        Place(row, column, measure, statistic): Mark("impossible", text) for statistic in ("max", "argmax")
    }


IRIS = {
    Place(f"Feature {r}", "K=5", "ncm", "size 1"): Number(v)
    for r, v in enumerate((73.33, 58.33, 96.67, 96.67), 1)
}
IRIS |= {
    Place(name, "K=5", "ncm", "order"): Number(order)
    for name, order in zip(
        NAMES, ("3, 1, 4, 2", "2, 1, 4, 3", "4, 3, 1, 2", "3, 1, 4, 2", "3, 4, 1, 2"), strict=True
    )
}
IRIS_K = {
    Place("LLE score", f"K={k}", "ncm", "order"): Number("4, 3, 1, 2" if k == 2 else "3, 4, 1, 2")
    for k in (2, 10, 15, 20)
}

YALE = published_table(
    "lle/published/table-VI",
    FACES,
    {
        Place("Algorithm 1", "p=4", "ncm", "mean"): Mark("misprint"),
        **_impossible("Sparsity score", "p=2"),
    },
)

ORL = published_table(
    "lle/published/table-VII",
    FACES,
    {
        **{
            place: mark
            for name in NAMES
            for place, mark in _copied(Place(name, "p=5", "nn", "mean"), measure="ncm").items()
        },
        **_exchanged("Algorithm 1", "LLE score", "p=6"),
        **_exchanged("Algorithm 1", "LLE score", "p=7"),
        **_exchanged("Laplacian score", "LLE score", "p=2"),
        **{
            Place("Algorithm 1", "p=7", measure, statistic): Mark("misprint")
            for measure, statistic in (("nn", "mean"), ("ncm", "mean"), ("ncm", "max"), ("ncm", "argmax"))
        },
        **_impossible("Laplacian score", "p=5"),
        **_impossible("Laplacian score", "p=6"),
    },
)

COIL20 = published_table(
    "lle/published/table-VIII",
    OBJECTS,
    {
        **{
            Place("Algorithm 1", "p=35", "ncm", statistic): Mark(
                "copied", "The same maximum and number of features stand in Table VII, ORL, NCM, p=5"
            )
            for statistic in ("max", "argmax")
        },
        **_impossible(
            "Laplacian score",
            "p=25",
            text="The sparsity row of the same column prints 85.77 at all 1024 features, which a maximum "
            "over all sizes includes",
        ),
        Place("LLE score", "p=40", "ncm", "mean"): Mark(
            "copied",
            "Looks so: the same mean stands in the same row and column of Table VII (LLE, NCM, p=6), and its "
            "neighbors here are 80.70 and 81.37",
        ),
        **{
            place: mark
            for statistic in ("mean", "max", "argmax")
            for place, mark in _copied(Place("Variance", "p=35", "nn", statistic), column="p=30").items()
        },
        **{
            place: mark
            for statistic in ("max", "argmax")
            for place, mark in _copied(Place("LLE score", "p=45", "nn", statistic), measure="ncm").items()
        },
    },
)

DIGITS = ("MNIST",)
MNIST = published_table(
    "lle/published/table-IX",
    DIGITS,
    {
        place: mark
        for name in NAMES
        for measure, every in (("ncm", "82.03"), ("nn", "96.91"))
        for place, mark in _impossible(
            name,
            DIGITS[0],
            measure,
            f"All 784 pixels reach {every} in the full form, and a maximum over all sizes includes them",
        ).items()
    },
)
