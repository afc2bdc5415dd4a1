"""The ledger: what was measured of each paper, short enough to be kept, and as a page of text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from featsieve.reproduction.checks import RULE
from featsieve.reproduction.summary import names_of_lines, number_of_line, text

HEAD = """# Ledger of claims

What the papers behind the methods claim, in our words, and what came of it here. Every number was measured
by the run that is named. Random selection and all features stand beside, because a method that does not beat
random selection has not earned its place. `featsieve reproduce PAPER{option}` runs it again, and with
`--report FILE.html` draws the figures. Written by `docs/build_ledger.py` from the results kept beside it.

{about}

## How claims are judged
"""
# A figure of more panels is told with a line for each of them.
_WIDEST = 12
ABOUT = {
    "quick": "This is the quick form, with fewer repeats, splits or samples: minutes. [The full form]"
    "(ledger-full.md) takes hours; its verdicts stand beside.",
    "full": "This is the full form, with the repeats and samples of the papers: hours. [The quick form]"
    "(ledger.md) takes minutes; its verdicts stand beside. Parts were run at different times; where no "
    "source is named beside the version, it was not yet recorded.",
}


def condense(summary: dict[str, Any]) -> dict[str, Any]:
    """What the ledger keeps of a summary: numbers, marks, verdicts, runs; not the curves."""
    kept = {key: summary[key] for key in ("key", "title", "authors", "venue", "year", "form", "created")}
    experiments = [_experiment(each) for each in summary["experiments"]]
    versions: dict[str, str] = next(
        (info["versions"] for each in summary["experiments"] for info in each["runs"].values()), {}
    )
    return kept | {
        "versions": versions,
        "experiments": experiments,
        "claims": summary["claims"],
        "misprints": summary["misprints"],
    }


def _experiment(experiment: dict[str, Any]) -> dict[str, Any]:
    names = (
        "key",
        "name",
        "title",
        "kind",
        "same",
        "compared",
        "within",
        "digits",
        "notes",
        "readings",
        "missing",
        "errors",
    )
    kept = {name: experiment[name] for name in names} | {"marks": experiment.get("marks", [])}
    kept["runs"] = {key: _run(info) for key, info in experiment["runs"].items()}
    if experiment["kind"] == "table":
        kept["columns"] = experiment["columns"]
        lines = [(part["name"], line) for part in experiment["parts"] for line in part["lines"]]
        kept["rows"] = [
            {"measure": name, "row": line["row"], "statistic": line["statistic"]}
            | {side: [_pair(cell, side) for cell in line["cells"]] for side in ("paper", "ours")}
            | {"marked": [bool(cell["mark"]) for cell in line["cells"]]}
            for name, line in lines
        ]
        return kept
    panels, kept["numbers"] = experiment["panels"], experiment["numbers"]
    kept["columns"] = [panel["title"] for panel in panels]
    kept["rows"] = [
        {"measure": "", "row": name, "statistic": "mean"}
        | {"paper": [None] * len(panels), "marked": [False] * len(panels)}
        | {"ours": [_rounded(number_of_line(panel, name)) for panel in panels]}
        for name in names_of_lines(panels)
    ]
    return kept


def _run(info: dict[str, Any]) -> dict[str, Any]:
    return {
        "run": info["run"],
        "data": info["dataset"]["name"],
        "hash": info["dataset"]["hash"],
        "protocol": info.get("protocol", "computed"),
        "seed": info["seed"],
        "finished": info["finished"],
    }


def _pair(cell: dict[str, Any], side: str) -> Any:
    """The number, with the number of features it belongs to where there is one."""
    value, size = cell[side], cell[f"{side}_size"]
    value = round(value, 6) if isinstance(value, float) else value
    return value if size is None else [value, size]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def as_markdown(papers: list[dict[str, Any]], others: list[dict[str, Any]]) -> str:
    """The ledger as a page; others are the papers in their other form, whose verdicts stand beside."""
    beside = {(paper["key"], each["claim"]): each["verdict"] for paper in others for each in paper["claims"]}
    head = HEAD.format(about=ABOUT[papers[0]["form"]], option=_option(papers[0]))
    rule = [f"{each}\n" for each in RULE]
    return "\n".join([head, *rule, *(line for paper in papers for line in _paper(paper, beside))])


def _option(paper: dict[str, Any]) -> str:
    return " --full" if paper["form"] == "full" else ""


def _paper(paper: dict[str, Any], beside: dict[tuple[str, str], str]) -> Iterator[str]:
    yield f"## {paper['title']}\n"
    command = f"featsieve reproduce {paper['key']}{_option(paper)}"
    yield f"{paper['authors']}, {paper['venue']}, {paper['year']}. `{command}`\n"
    versions = ", ".join(f"{name} {number}" for name, number in paper["versions"].items())
    yield f"From the {paper['form']} run, {_finished(paper)} (seed 0; {versions}).\n"
    if paper["claims"]:
        yield f"| claim | verdict | {'in full' if paper['form'] == 'quick' else 'quick'} | measured |"
        yield "|---|---|---|---|"
        for each in paper["claims"]:
            other = beside.get((paper["key"], each["claim"]), "")
            claim = f"{each['claim']} ({each['where']})"
            yield f"| {claim} | **{each['verdict']}** | {other} | {each['measured']} |"
        yield ""
    if paper["misprints"]:
        yield "Misprints outside of tables:\n"
        yield from (f"- {each}" for each in paper["misprints"])
        yield ""
    told: dict[str, str] = {}
    for experiment in paper["experiments"]:
        # methods that stand before need not be told again
        readings = json.dumps(experiment["readings"])
        yield from _section(experiment, told.get(readings, "") if experiment["readings"] else "")
        told.setdefault(readings, experiment["name"])


def _finished(paper: dict[str, Any]) -> str:
    times = [run["finished"] for each in paper["experiments"] for run in each["runs"].values()]
    if not times:
        return "never finished"
    first, last = (time[:16].replace("T", " ") for time in (min(times), max(times)))
    return f"its parts finished from {first} to {last} UTC"


def _section(experiment: dict[str, Any], told: str) -> Iterator[str]:
    yield f"### {experiment['name']}: {experiment['title']}\n"
    for column, why in experiment["missing"].items():
        yield f"{column} was not run: {why}\n"
    table = experiment["kind"] == "table"
    if experiment["compared"]:
        yield (
            f"{experiment['same']} of {experiment['compared']} printed numbers come out, within "
            f"{experiment['within']}. Cells: paper / ours.\n"
        )
    elif not table:
        numbers = experiment["numbers"]
        yield f"{numbers[0].upper()}{numbers[1:]}, ours.\n"
    if experiment["columns"]:
        yield from _rows(experiment)
    if experiment["marks"]:
        yield "Printed numbers that cannot be right (with a star above):\n"
        for mark in experiment["marks"]:
            paper = text(mark["paper"], None, experiment["digits"])
            yield f"- {mark['where']}: {paper}, {mark['mark']}. {mark['evidence']}"
        yield ""
    for column, found in experiment["errors"].items():
        yield from (f"{column}, {label} failed: {messages[0]}\n" for label, messages in found.items())
    if told:
        yield f"The methods were run as in {told}.\n"
    elif experiment["readings"]:
        yield "How the methods were run:\n"
        yield from (f"- {each['row']}: {each['reading']}" for each in experiment["readings"])
        yield ""
    for note in experiment["notes"]:
        yield f"{note}\n"
    runs = "; ".join(
        f"{key}: {run['run'][:12]} on {(run['hash'] or '')[:12] or 'synthetic samples'}"
        for key, run in experiment["runs"].items()
    )
    if runs:
        yield f"Runs, and hashes of the data: {runs}.\n"


def _rows(experiment: dict[str, Any]) -> Iterator[str]:
    table = [["method", *(["", ""] if experiment["kind"] == "table" else []), *experiment["columns"]]]
    for row in experiment["rows"]:
        first = [row["row"]]
        if experiment["kind"] == "table":
            first += [row["measure"], row["statistic"]]
        triples = zip(row["paper"], row["ours"], row["marked"], strict=True)
        cells = [_cell(paper, ours, marked, experiment["digits"]) for paper, ours, marked in triples]
        table.append([*first, *cells])
    if len(experiment["columns"]) > _WIDEST:
        table = [list(line) for line in zip(*table, strict=True)]
        table[0][0] = ""
    heads, *lines = ("| " + " | ".join(line) + " |" for line in table)
    yield from (heads, "|" + "---|" * len(table[0]), *lines, "")


def _cell(paper: Any, ours: Any, marked: bool, digits: int) -> str:
    own = _shown(ours, digits)
    return own if paper is None else f"{_shown(paper, digits)}{'&#42;' * marked} / {own}"


def _shown(value: Any, digits: int) -> str:
    return text(value[0], value[1], digits) if isinstance(value, list) else text(value, None, digits)
