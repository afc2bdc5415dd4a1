from math import inf

import sklearn

from featsieve.engines.memory import chunked_files, exceeds_memory, file_limit


def test_limits():
    with sklearn.config_context(working_memory=2):
        assert exceeds_memory(2 * 2**20 + 1)
        assert not exceeds_memory(2 * 2**20)
        assert file_limit() == inf
        with chunked_files():
            assert file_limit() == 2 * 2**20
            with chunked_files(7):
                assert file_limit() == 7
    assert file_limit() == inf
