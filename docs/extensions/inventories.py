"""Links to the documentation of other projects, from lists that are kept in the repository.

A file of ``docs/inventories`` has the address of a site in its first line, then a line for each name: its
type in the Python domain, the name, and its page, in which ``$`` stands for the name.
"""

import zlib
from pathlib import Path

LISTS = Path(__file__).parents[1] / "inventories"
# A fixed folder: Sphinx reads all pages again if the configuration changes.
BUILT = Path(__file__).parents[1] / "_build" / "inventories"


def write_inventory(entries: list[str], project: str, path: Path) -> None:
    """Write entries in the format that Sphinx reads."""
    rows = [entry.replace("$", entry.split()[1]).split() for entry in entries]
    lines = [f"{name} py:{kind} 1 {page}#{name} -" for kind, name, page in rows]
    head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n# compressed with zlib\n"
    path.write_bytes(head.encode() + zlib.compress("\n".join([*lines, ""]).encode()))


def mapping() -> dict[str, tuple[str, str]]:
    """Return the value of ``intersphinx_mapping``; the inventories are written first."""
    BUILT.mkdir(parents=True, exist_ok=True)
    sites = {}
    for source in sorted(LISTS.glob("*.txt")):
        address, *entries = source.read_text("utf-8").splitlines()
        target = BUILT / f"{source.stem}.inv"
        write_inventory(entries, source.stem, target)
        sites[source.stem] = (address, str(target))
    return sites
