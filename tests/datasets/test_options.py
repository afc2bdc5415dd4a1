"""Options of a table."""

import pytest

from featsieve.datasets import DataError, TableOptions, load


def test_defaults_change_nothing():
    assert load("wine", options=TableOptions()).X.shape == load("wine").X.shape


def test_options_name_columns(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,who,b,batch\n" + "".join(f"{i},n{i},{i % 3},{i // 4}\n" for i in range(12))
    )
    data = load(tmp_path / "t.csv", options=TableOptions(id="who", groups="batch"))
    assert data.feature_names == ["a", "b"]
    assert data.sample_names[5] == "n5"
    assert data.groups.tolist() == [i // 4 for i in range(12)]
    assert data.extra_columns == ("who", "batch")
    sample = data.subsample(4, 0)
    assert len(sample.groups) == len(sample.sample_names) == 4
    with pytest.raises(DataError, match="no column 'btch'"):
        load(tmp_path / "t.csv", options=TableOptions(groups="btch"))
