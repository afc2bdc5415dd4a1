"""Messages of errors."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets import DataError, load


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("a b", "--drop 'a b'"),
        ("a\nb", "--drop $'a\\u000ab'"),
        ("it's\t\\", "--drop $'it\\'s\\u0009\\\\'"),
        ("a\U000e0001", "--drop $'a\\U000e0001'"),
        ("a" * 5000, "--drop COLUMN"),
    ],
)
def test_remedies_can_be_copied_into_a_shell(tmp_path, name, remedy):
    path = tmp_path / "t.csv"
    pd.DataFrame({name: [1, np.inf], "b": [1, 2]}).to_csv(path, index=False)
    with pytest.raises(DataError) as caught:
        load(path)
    message = str(caught.value)
    assert message.endswith(f"leave it out with {remedy}.")
    assert len(message) < 500
