"""Write docs/ledger.md from docs/ledger.json, and that from the output of reproduce --all --json."""

import json
import re
import sys
from pathlib import Path

from featsieve.papers.ledger import as_markdown, condense

KEPT = Path(__file__).with_name("ledger.json")


def main(results: str | None) -> None:
    """Keep the results, if some are named, and write the page."""
    if results is not None:
        papers = [condense(summary) for summary in json.loads(Path(results).read_text(encoding="utf-8"))]
        text = json.dumps(papers, indent=1, ensure_ascii=False)
        # a list of numbers on one line, so that people can read what changed
        text = re.sub(r"\[([^][{}\"]*)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
        KEPT.write_text(text + "\n", encoding="utf-8")
    page = as_markdown(json.loads(KEPT.read_text(encoding="utf-8")))
    KEPT.with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
