"""Published tables in text files."""

import pytest

from featsieve.reproduction.published import read_table
from featsieve.reproduction.schema import CellKey, Mark


def test_marks_of_unknown_cells_raise():
    marks = {CellKey("Variance", "no such column", "nn", "mean"): Mark("misprint")}
    with pytest.raises(ValueError, match="no such column"):
        read_table("featsieve.papers.lle", "table-IX", ("MNIST",), marks)
