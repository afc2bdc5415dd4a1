"""Published numbers of Yao et al. 2017; the text files also mark the errors in them."""

from __future__ import annotations

from featsieve.reproduction.published import read_table
from featsieve.reproduction.schema import CellKey, PublishedNumber

YALE, ORL, COIL20, MNIST = (
    read_table("featsieve.papers.lle", f"table-{number}") for number in ("VI", "VII", "VIII", "IX")
)

ACCURACIES = (73.33, 58.33, 96.67, 96.67)
ORDERS = {
    "Variance": "3, 1, 4, 2",
    "Laplacian score": "2, 1, 4, 3",
    "Sparsity score": "4, 3, 1, 2",
    "Algorithm 1": "3, 1, 4, 2",
    "LLE score": "3, 4, 1, 2",
}
IRIS = {
    **{
        CellKey(f"Feature {index}", "K=5", "ncm", "size 1"): PublishedNumber(accuracy)
        for index, accuracy in enumerate(ACCURACIES, 1)
    },
    **{CellKey(method, "K=5", "ncm", "order"): PublishedNumber(order) for method, order in ORDERS.items()},
}
IRIS_NEIGHBORS = {
    CellKey("LLE score", f"K={k}", "ncm", "order"): PublishedNumber("4, 3, 1, 2" if k == 2 else "3, 4, 1, 2")
    for k in (2, 10, 15, 20)
}
