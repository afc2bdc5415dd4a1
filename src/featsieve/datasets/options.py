"""How the rows and columns of a table are used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TableOptions:
    """How the rows and columns of a table are used.

    Parameters
    ----------
    id : str, default=None
        Column with the names of the samples, which is not ranked. By default, the first column if it contains
        distinct texts or row numbers.
    groups : str, default=None
        Column that groups the samples, such as patients or batches. It is not ranked, and the samples of a
        group are never on both sides of a split.
    transpose : bool, default=False
        Whether the table has the features in rows and the samples in columns.
    keep_unlabeled : bool, default=False
        Whether to keep samples without a label and give them the label -1, for methods that accept partial
        labels. By default, they are dropped.
    chunks : bool, default=False
        Whether to read arrays in chunks that do not fit in the working memory of scikit-learn. Only methods
        whose record has the input "chunked" accept such data.

    See Also
    --------
    load : Read a dataset.

    Examples
    --------
    >>> from featsieve.datasets import TableOptions
    >>> TableOptions(groups="patient").transpose
    False
    """

    id: str | None = None
    groups: str | None = None
    transpose: bool = False
    keep_unlabeled: bool = False
    chunks: bool = False
