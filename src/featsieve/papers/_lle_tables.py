"""The printed tables of Yao et al. 2017, and what is wrong in them."""

from __future__ import annotations

from featsieve.papers.schema import Mark, Number, Place, published_table

FACES = tuple(f"p={p}" for p in range(2, 8))
OBJECTS = tuple(f"p={p}" for p in (20, 25, 30, 35, 40, 45))
NAMES = ("Variance", "Laplacian score", "Sparsity score", "Algorithm 1", "LLE score")


def _copied(place: Place, **source: str) -> dict[Place, Mark]:
    return {place: Mark("copied", source=place._replace(**source))}


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
    "lle-VI",
    FACES,
    {
        Place("Algorithm 1", "p=4", "ncm", "mean"): Mark("misprint", "Every other cell of the row comes out"),
        Place("Sparsity score", "p=2", "ncm", "max"): Mark("impossible"),
    },
)

ORL = published_table(
    "lle-VII",
    FACES,
    {
        **{
            place: mark
            for name in NAMES
            for place, mark in _copied(Place(name, "p=5", "nn", "mean"), measure="ncm").items()
        },
        **{
            Place("Algorithm 1", column, "nn", statistic): Mark(
                "exchanged", source=Place("LLE score", column, "nn", statistic)
            )
            for column in ("p=6", "p=7")
            for statistic in ("max", "argmax")
        },
        **{
            Place("Algorithm 1", "p=7", measure, statistic): Mark(
                "misprint", "p=2 to 5 come out in all cells"
            )
            for measure, statistic in (("nn", "mean"), ("ncm", "mean"), ("ncm", "max"), ("ncm", "argmax"))
        },
        **{Place("Laplacian score", column, "ncm", "max"): Mark("impossible") for column in ("p=5", "p=6")},
    },
)

COIL20 = published_table(
    "lle-VIII",
    OBJECTS,
    {
        **{
            Place("Algorithm 1", "p=35", "ncm", statistic): Mark(
                "copied", "The same maximum and number of features stand in Table VII, ORL, NCM, p=5"
            )
            for statistic in ("max", "argmax")
        },
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

DIGITS = ("60000 + 10000 images",)
MNIST = published_table(
    "lle-IX",
    DIGITS,
    {
        Place(name, DIGITS[0], measure, "max"): Mark("impossible")
        for name in NAMES
        for measure in ("ncm", "nn")
    },
)
