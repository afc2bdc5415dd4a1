"""Write docs/ledger.md from docs/ledger.json, and that from the output of reproduce --all --json."""

import json
import sys
from pathlib import Path

from featsieve.papers.ledger import as_markdown, condense

KEPT = Path(__file__).with_name("ledger.json")

if len(sys.argv) > 1:
    papers = [condense(summary) for summary in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))]
    KEPT.write_text(json.dumps(papers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
KEPT.with_suffix(".md").write_text(
    as_markdown(json.loads(KEPT.read_text(encoding="utf-8"))), encoding="utf-8"
)
