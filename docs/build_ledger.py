"""Write the pages of the ledger, quick and full, from what is kept here of reproduce --json.

python docs/build_ledger.py [RESULTS.json ...] keeps the results that are named first, of one paper or of all.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from featsieve.papers import papers as all_papers
from featsieve.reproduction.ledger import as_markdown, condense

HERE = Path(__file__).parent
KEPT = {"quick": HERE / "ledger.json", "full": HERE / "ledger-full.json"}


def read(form: str) -> list[dict[str, Any]]:
    """The papers that are kept in this form."""
    return json.loads(KEPT[form].read_text(encoding="utf-8")) if KEPT[form].exists() else []


def keep(results: str) -> None:
    """Keep what the ledger needs of these results."""
    found = json.loads(Path(results).read_text(encoding="utf-8"))
    papers = [condense(summary) for summary in (found if isinstance(found, list) else [found])]
    known = {paper["key"]: paper for paper in (*read(papers[0]["form"]), *papers)}
    kept = [known[paper.key] for paper in all_papers() if paper.key in known]
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    # a list of numbers on one line, so that people can read what changed
    text = re.sub(r"\[([^][{}\"]*)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    KEPT[papers[0]["form"]].write_text(text + "\n", encoding="utf-8")


def main(results: list[str]) -> None:
    """Keep the results, and write the pages."""
    for each in results:
        keep(each)
    for form, other in (("quick", "full"), ("full", "quick")):
        if papers := read(form):
            KEPT[form].with_suffix(".md").write_text(as_markdown(papers, read(other)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
