"""llms.txt: what the project is and where its pages are, for programs that read the site."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import featsieve

HEAD = """# featsieve

> Feature selection for high-dimensional data, with or without labels: scikit-learn estimators, a command
> line, and comparisons with random selection and all features on held-out samples.

`featsieve.select(X, y)` chooses a method, a number of features and the features. All selectors follow
scikit-learn and have `scores_`, `order_` (feature indices, best first), `ranking_` and `get_support()`.

## Pages

"""


def write(app: Any, exception: Exception | None) -> None:
    """Write the file beside the pages."""
    if exception or app.builder.format != "html":
        return
    titles = app.env.titles
    pages = [
        f"- [{titles[name].astext()}]({app.builder.get_target_uri(name)})"
        for name in sorted(titles)
        if not name.endswith("sg_execution_times")
    ]
    methods = [
        f"- `{m.name}` ({m.estimator.__name__}; labels: {m.supervised}): {m.summary}"
        for m in featsieve.methods(role=None)
    ]
    select = inspect.cleandoc(featsieve.select.__doc__ or "")
    text = "\n".join(
        [HEAD + "\n".join(pages), "\n## Methods\n", *methods, "\n## featsieve.select\n", select, ""]
    )
    Path(app.outdir, "llms.txt").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the file after the build."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
