"""Write the page "Which method should I use?" from the results of benchmarks/effectiveness.py.

python docs/build_effectiveness.py

Without results (docs/effectiveness.json), no page is written.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import pandas as pd
from rank_plot import draw_ranks

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from effectiveness import MAX_MRMR_FEATURES, MRMR_PEER, SIGNIFICANCE, groups, summarize

from featsieve.evaluation.statistics import friedman
from featsieve.wording import counted

DOCS = Path(__file__).parent
RESULTS, PAGE, IMAGES = DOCS / "effectiveness.json", DOCS / "which-method.md", DOCS / "images"
TEMPLATE = DOCS / "which-method.template.md"
# Fields of the template, and the default, of each view.
FIELDS = {
    "Without labels": ("without_labels", "auto"),
    "With classes": ("with_classes", "auto+labels"),
    "With numbers": ("with_numbers", "auto+labels"),
    "Clustering, without labels": ("clustering", "auto"),
}
# What people would install or write instead.
PEERS = ("fastcan", "fastcan (10 components)", "L1 model", MRMR_PEER)
# Methods of the short tables and of the plots.
SCORES = ["variance", "laplacian", "lkr", "lle", "spec", "fisher", "relieff", "information-gain", "pearson"]
SUBSETS = ["column-subset", "facility-location", "mcfs", "spfs", "trace-ratio", "mrmr", "l1-path", "forest"]
DIVERSE = ["diverse:laplacian", "diverse:lkr", "diverse:variance", "diverse:relieff", "diverse:fisher"]
LABELED = ["auto+labels", "supervised-column-subset", "mcfs+labels", "boosting"]
SHORT = {"auto", *SCORES, *SUBSETS, *DIVERSE, *LABELED, *PEERS}


def read() -> tuple[dict[str, Any], pd.DataFrame]:
    """Return the description of the run, and a row per view, dataset and method."""
    content = json.loads(RESULTS.read_text(encoding="utf-8"))
    numbers = ["level", "gain", "p", "seconds", "equal_picks"]
    return content["run"], pd.DataFrame(content["rows"]).astype(dict.fromkeys(numbers, float))


def build(run: dict[str, Any], rows: pd.DataFrame) -> tuple[str, dict[str, str]]:
    """Return the page, and its images by the name of the file."""
    views = {title: view for title, view in groups(rows).items() if len(view)}
    sections = {field: "The run has no such dataset." for field, _ in FIELDS.values()}
    images = {}
    for title, view in views.items():
        field, default = FIELDS[title]
        lines = [*describe_default(view, default), *render_table(view, default, SHORT)]
        if image := plot(view, default):
            name = f"ranks-{field.replace('_', '-')}.svg"
            images[name] = image
            lines += ["", f"![Mean ranks and critical differences]({IMAGES.name}/{name})"]
        sections[field] = "\n".join(lines)
    page = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        sections,
        best_clustering=best_for_clustering(views),
        diverse="\n".join(render_diverse(views)),
        datasets="\n".join(render_datasets(views)),
        all_methods="\n".join(render_all(views)),
        mrmr_note=describe_mrmr(rows),
        **describe_run(run, rows),
    )
    return page, images


def best_for_clustering(views: dict[str, pd.DataFrame]) -> str:
    """Return the method of featsieve with the best average rank in the clustering view."""
    view = views.get("Clustering, without labels")
    names = [] if view is None else [name for name in summarize(view).index if name not in PEERS]
    return names[0] if names else "diverse:laplacian"


def describe_default(rows: pd.DataFrame, default: str) -> list[str]:
    """Return what the default gains on datasets that were not used to design it, in one sentence."""
    confirm = rows[~rows["design"]]
    if default not in {*confirm["method"]}:
        return []
    row = summarize(confirm).loc[default]
    number = counted(int(row["datasets"]), "dataset")
    return [
        f"On {number} that the default was not designed on, it gains {row['gain']:.1f} points over random "
        f"features on average: {outcomes(row)} wins / ties / losses.\n"
    ]


def outcomes(row: Any) -> str:
    """Return wins, ties and losses."""
    return f"{row['wins']:.0f} / {row['ties']:.0f} / {row['losses']:.0f}"


def render_table(rows: pd.DataFrame, default: str, names: set[str] | None = None) -> Iterator[str]:
    """Yield a table of methods by average rank, with random and all features below them."""
    table = summarize(rows)
    levels = rows.pivot(index="dataset", columns="method", values="level")
    confirm = levels.index.isin(rows.loc[~rows["design"], "dataset"])
    gains = 100 * levels.sub(levels["random"], axis=0)
    yield "| method | gain | confirmed | designed | rank | wins / ties / losses | behind | time |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in [*table.index, "random", "all"]:
        if name not in levels or (names is not None and name not in {*names, "random", "all"}):
            continue
        cells = [points(part[name].mean()) for part in (gains, gains[confirm], gains[~confirm])]
        if name in table.index:
            row = table.loc[name]
            behind = "" if name == default else compare_levels(levels, name, default)
            cells += [f"{row['rank']:.1f}", outcomes(row), behind, times(row["relative"])]
        else:
            cells += [""] * 4
        yield f"| {display_name(name, default)} | {' | '.join(cells)} |"


def compare_levels(levels: pd.DataFrame, name: str, default: str) -> str:
    """Return on how many datasets a method performs worse than the default."""
    if default not in levels:
        return ""
    pair = levels[[name, default]].dropna()
    return f"{(pair[name] < pair[default]).sum()} of {len(pair)}"


def display_name(name: str, default: str) -> str:
    """Return the name of a method as the tables show it."""
    if name in ("random", "all"):
        return f"{name} features"
    text = f"{name} (another package)" if name in PEERS else f"`{name}`"
    return f"**{text}** (default)" if name == default else text


def points(gain: float) -> str:
    """Return a gain in points with its sign; nothing if it is not known."""
    return "" if np.isnan(gain) else f"{gain:+.1f}"


def times(ratio: float) -> str:
    """Return a ratio of times."""
    return "" if np.isnan(ratio) else f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def plot(rows: pd.DataFrame, default: str) -> str | None:
    """Return an image of the ranks of methods that were run on all datasets; None if there are too few."""
    rows = rows[rows["method"].isin([*SHORT, "random"])]
    levels = rows.pivot(index="dataset", columns="method", values="level")
    was_run = rows.pivot(index="dataset", columns="method", values="failed").notna().all()
    levels = levels.loc[:, was_run].fillna(-np.inf)  # a failed method has the last rank
    if len(levels) < 2 or levels.shape[1] < 3:
        return None
    result = friedman(levels)
    return draw_ranks(list(levels), result.mean_ranks, result.critical_difference, "random", default)


def render_diverse(views: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Yield a table of scores, plain and diverse."""
    yield "| view | score | gain | gain, diverse | rank | rank, diverse |"
    yield "|---|---|---|---|---|---|"
    for title, rows in views.items():
        table = summarize(rows)
        for name in sorted(name for name in table.index if f"diverse:{name}" in table.index):
            pair = table.loc[[name, f"diverse:{name}"]]
            cells = [*map(points, pair["gain"]), *(f"{rank:.1f}" for rank in pair["rank"])]
            yield f"| {title} | `{name}` | {' | '.join(cells)} |"


def render_datasets(views: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Yield a table with the gains of the default on each dataset."""
    gains = {
        title: rows[rows["method"] == FIELDS[title][1]].set_index("dataset") for title, rows in views.items()
    }
    yield f"| dataset | samples x features | use | {' | '.join(gains)} |"
    yield "|---" * (3 + len(gains)) + "|"
    shapes = pd.concat(views.values()).drop_duplicates("dataset").sort_values(["design", "dataset"])
    for row in shapes.to_dict("records"):
        cells = [
            gain_on(table.loc[row["dataset"]]) if row["dataset"] in table.index else ""
            for table in gains.values()
        ]
        use = "design" if row["design"] else "confirm"
        size = f"{row['n_samples']} x {row['n_features']}"
        yield f"| {row['dataset']} | {size} | {use} | {' | '.join(cells)} |"


def gain_on(row: Any) -> str:
    """Return the gain on a dataset, with a star if it is significant."""
    return points(100 * row["gain"]) + ("*" if row["p"] < SIGNIFICANCE else "")


def render_all(views: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Yield the tables of all methods."""
    for title, rows in views.items():
        yield f"<details><summary>{title}</summary>\n"
        yield from render_table(rows, FIELDS[title][1])
        yield "\n</details>\n"


def describe_run(run: dict[str, Any], rows: pd.DataFrame) -> dict[str, Any]:
    """Return the fields of the template about the run."""
    designed = rows.drop_duplicates("dataset")["design"]
    only = f" --only {' '.join(run['only'])}" if run["only"] else ""
    options = " ".join(f"--{name} {run[name]:g}" for name in ("splits", "clusterings", "timeout"))
    return {
        **{name: f"{run[name]:g}" for name in ("splits", "clusterings", "timeout")},
        "version": run["version"],
        "date": run["date"],
        "command": f"python benchmarks/effectiveness.py --data DIR{only} {options} --write",
        "design": counted(designed.sum(), "dataset"),
        "confirm": "is 1 other" if (~designed).sum() == 1 else f"are {(~designed).sum()} others",
        "tried": f", on which {run['tried']} variants were compared" if run["tried"] > 1 else "",
    }


def describe_mrmr(rows: pd.DataFrame) -> str:
    """Return how often mrmr_selection makes the same choice as our mRMR."""
    share = rows.loc[(rows["method"] == MRMR_PEER), "equal_picks"].dropna()
    if not len(share):
        return ""
    return (
        f"`{MRMR_PEER}` takes minutes for more than {MAX_MRMR_FEATURES} features and was run on "
        f"{counted(len(share), 'dataset')}. There, {100 * share.mean():.0f}% of its choices equal those of "
        "`mrmr`, in the same position."
    )


def main() -> None:
    """Write the page and its images; nothing without results."""
    if not RESULTS.exists():
        return
    page, images = build(*read())
    PAGE.write_text(page, encoding="utf-8")
    for name, image in images.items():
        (IMAGES / name).write_text(image, encoding="utf-8")


if __name__ == "__main__":
    main()
