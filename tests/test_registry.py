"""Look-up of methods by name."""

import pytest

from featsieve.registry import get_method, get_ranker


def test_similar_names_are_suggested():
    with pytest.raises(ValueError, match="Did you mean fisher"):
        get_method("fischer")


def test_rankers_are_suggested_to_those_who_rank():
    with pytest.raises(ValueError, match=r"unknown method 'kfs'\.") as error:
        get_ranker("kfs")
    assert "kffs" not in str(error.value)
    with pytest.raises(ValueError, match="kffs"):
        get_method("kfs")


def test_labels_of_comparisons_are_names_of_methods():
    record = get_method("spfs+labels")
    assert (record.name, record.supervised) == ("spfs+labels", "yes")
    assert record.make().get_params() == get_method("spfs").make().get_params()
    assert get_method("fisher+labels") is get_method("fisher")
    assert get_ranker("diverse:spfs+labels").supervised == "yes"
    with pytest.raises(ValueError, match=r"variance uses no labels: remove '\+labels'"):
        get_method("variance+labels")


def test_combined_methods_have_the_properties_of_the_inner_method():
    assert get_method("diverse:fisher").scale_invariant
    assert get_method("diverse:fisher").supervised == "yes"
    assert not get_method("diverse:laplacian").scale_invariant
