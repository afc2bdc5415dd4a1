"""The message of the error that reading a file raises."""

import pytest

from featsieve.datasets import DataError, load


def load_error(path, **options):
    """Return the message, which must be a single line that starts with the name of the file."""
    with pytest.raises(DataError) as caught:
        load(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(path.name)
    return message
