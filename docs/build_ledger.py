"""Write the pages of the ledger, quick and full, from what is kept here of reproduce --all --json.

python docs/build_ledger.py [RESULTS.json ...] keeps the results that are named first.
"""

import json
import re
import sys
from pathlib import Path

from featsieve.papers.ledger import as_markdown, condense

HERE = Path(__file__).parent
KEPT = {"quick": HERE / "ledger.json", "full": HERE / "ledger-full.json"}


def keep(results: str) -> None:
    """Keep what the ledger needs of these results."""
    papers = [condense(summary) for summary in json.loads(Path(results).read_text(encoding="utf-8"))]
    text = json.dumps(papers, indent=1, ensure_ascii=False)
    # a list of numbers on one line, so that people can read what changed
    text = re.sub(r"\[([^][{}\"]*)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    KEPT[papers[0]["form"]].write_text(text + "\n", encoding="utf-8")


def main(results: list[str]) -> None:
    """Keep the results, and write the pages."""
    for each in results:
        keep(each)
    quick, full = (json.loads(kept.read_text(encoding="utf-8")) for kept in KEPT.values())
    KEPT["quick"].with_suffix(".md").write_text(as_markdown(quick, full), encoding="utf-8")
    KEPT["full"].with_suffix(".md").write_text(as_markdown(full, quick), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
