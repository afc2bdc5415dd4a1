"""Data of the tests."""

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path):
    """Twelve samples: an id, a feature that follows the class, one that does not, text, and gaps."""
    rng = np.random.default_rng(0)
    rows = ["id,signal,noise,Class,note,gap"]
    for i in range(12):
        gap = "" if i == 3 else str(i)
        rows.append(f"{i},{(i % 2) * 10 + rng.random():.3f},{rng.random():.3f},{i % 2},n{i},{gap}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(rows))
    return path
