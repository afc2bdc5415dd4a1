"""Write the pages of the ledger from stored results.

python docs/build_ledger.py [RESULTS.json ...]

First stores results of ``featsieve reproduce --json``, of one paper or of all, in ledger.json (quick form) or
ledger-full.json (full form). Then writes ledger.md and ledger-full.md.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from featsieve.papers import papers
from featsieve.reproduction.ledger import as_markdown, condense

DOCS = Path(__file__).parent
STORED = {"quick": DOCS / "ledger.json", "full": DOCS / "ledger-full.json"}


def read(form: str) -> list[dict[str, Any]]:
    """Return the stored results of a form."""
    return json.loads(STORED[form].read_text(encoding="utf-8")) if STORED[form].exists() else []


def write(form: str, results: list[dict[str, Any]]) -> None:
    """Store the results of a form, with each list of numbers on one line so that diffs are readable."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    text = re.sub(r"\[([^][{}\"]*)\]", lambda match: f"[{' '.join(match[1].split())}]", text)
    STORED[form].write_text(text + "\n", encoding="utf-8")


def store(path: str) -> None:
    """Store the results of a file; they replace stored results of the same papers."""
    results = json.loads(Path(path).read_text(encoding="utf-8"))
    condensed = [condense(summary) for summary in (results if isinstance(results, list) else [results])]
    form = condensed[0]["form"]
    by_key = {paper["key"]: paper for paper in (*read(form), *condensed)}
    write(form, [by_key[paper.key] for paper in papers() if paper.key in by_key])


def main(paths: list[str]) -> None:
    """Store the results and write the pages."""
    for path in paths:
        store(path)
    for form, other_form in (("quick", "full"), ("full", "quick")):
        if results := read(form):
            page = as_markdown(results, read(other_form))
            STORED[form].with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
