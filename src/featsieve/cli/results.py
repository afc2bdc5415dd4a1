"""The results of a comparison as text for the terminal and as plain data for JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.cli.console import make_table, printable
from featsieve.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

    from featsieve.evaluation import Comparison, Recommendation

# Number of top features listed per method, and of recommended features named in the terminal.
N_TOP_FEATURES, N_NAMED_FEATURES = 10, 20
# Number of alternatives and of groups of interchangeable features that are named in the terminal.
N_NAMED_OTHERS = 5
# Width of the table of methods, and the width down to which labels are wrapped for it.
TABLE_WIDTH, MIN_LABEL_WIDTH = 80, 12
SIGNS = {"better": "▲", "worse": "▼", "unclear": "○"}


def make_title(comparison: Comparison) -> str:
    """Return the line that describes the data and the protocol."""
    dataset = comparison.info["dataset"]
    classes = f", {dataset['n_classes']} classes" if dataset["n_classes"] else ""
    encoded = comparison.columns != dataset["feature_names"]
    columns = f"{counted(len(comparison.columns), 'column')} as " * encoded
    features = f"{columns}{counted(dataset['n_features'], 'feature')}"
    shape = f"{counted(dataset['n_samples'], 'sample')}, {features}{classes}"
    return f"{dataset['name']}: {shape}. {comparison.info['protocol']['description']}"


class _Format:
    """Formats of the values of the main measures."""

    def __init__(self, comparison: Comparison) -> None:
        self.percent = all(comparison.measures[key].get("percent") for key in comparison.main)

    def value(self, value: float | None) -> str:
        if value is None or math.isnan(value):
            return ""
        return f"{value * 100:.1f}" if self.percent else f"{value:.2f}"

    def with_unit(self, value: float) -> str:
        return self.value(value) + "%" * self.percent

    def gain(self, row: dict[Any, Any]) -> str:
        if math.isnan(row["gain"]):
            return ""
        sign = "+" if row["gain"] >= 0 else ""
        text = f"{SIGNS.get(row['outcome'], ' ')} {sign}{self.value(row['gain'])}"
        if math.isnan(row["gain_low"]):
            return text
        return f"{text} ({self.value(row['gain_low'])} to {self.value(row['gain_high'])})"


def make_results_table(comparison: Comparison) -> Table:
    """Return the table of the methods: gain over random selection, own size and peak."""
    show, own = _Format(comparison), comparison.best_sizes().set_index("method").to_dict("index")
    headings = ("Method", "Gain over random", "Size", "Mean", "Random", "Peak")
    table = make_table(*headings, right=("Size", "Mean", "Random", "Peak"))
    table.padding, table.show_edge = (0, 1, 0, 0), False
    shown: set[str] = set()
    rows = {row["method"]: row for row in comparison.summary().to_dict("records")}
    for label in comparison.ordered_labels():
        if label in shown:
            continue
        shown |= {label, *comparison.same_orders(label)}
        sizes = own.get(label)
        cells = ["", "", "", ""]
        if sizes:
            peak = f"{show.value(sizes['peak'])} at {sizes['peak_n_features']}"
            cells = [str(sizes["n_features"]), show.value(sizes["score"]), show.value(sizes["random"]), peak]
        short_verdict = rows[label]["verdict"].partition(":")[0]  # errors are listed below the table
        table.add_row(printable(label), show.gain(rows[label]) or short_verdict, *cells)
    _fit_width(table)
    return table


def _fit_width(table: Table) -> None:
    """Reduce the space between the columns, and then wrap the labels, to keep to the width."""
    from rich.console import Console

    def excess() -> int:
        return Console(width=10 * TABLE_WIDTH).measure(table).maximum - TABLE_WIDTH

    if excess() > 0:
        table.padding = (0, 0, 0, 0)
    if excess() > 0:
        label_width = max(map(len, map(str, table.columns[0].cells)))
        table.columns[0].max_width = max(MIN_LABEL_WIDTH, label_width - excess())


def explain_table(comparison: Comparison) -> str:
    """Explain the columns of the table, and list equal and failed methods."""
    sizes, protocol = comparison.sizes, comparison.info["protocol"]
    names = [comparison.measures[key]["name"] for key in comparison.main]
    measures = names[0] if len(names) == 1 else f"the mean of {', '.join(names[:-1])} and {names[-1]}"
    unit = " (in %)" if _Format(comparison).percent else ""
    samples = "the samples" if protocol["transductive"] else "held-out samples"
    target = comparison.info["dataset"]["target"]
    best = "its largest gain over as many random features" if target is None else "its best mean"
    lines = [
        f"Gain: difference from random selection in {measures}{unit} on {samples}, averaged over "
        f"{_describe_sizes(sizes)}. All intervals "
        "hold together with 95% confidence: ▲ better, ▼ worse, ○ not clearly different.",
        f"Size: smallest number of features within one standard error of {best} (Peak). Mean: with that many "
        "features. Random: with as many random features.",
        *_describe_references(comparison),
    ]
    shown: set[str] = set()
    for label in comparison.ordered_labels():
        same = comparison.same_orders(label)
        if same and label not in shown:
            shown |= {label, *same}
            lines.append(f"Same order on every split: {', '.join(map(printable, [label, *same]))}.")
    if protocol["transductive"]:
        lines.append(
            "Features were selected and tested on the same samples, so methods that use labels have already "
            "seen the test labels."
        )
    failures = [
        f"{printable(row['method'])} on {row['failed']} of {counted(row['failed'] + row['splits'], 'split')} "
        f"({printable(comparison.errors(row['method'])[0]).rstrip('.')})"
        for row in comparison.summary().to_dict("records")
        if row["failed"]
    ]
    lines += map(printable, comparison.left_out)
    if failures:
        lines.append(f"Did not finish: {'; '.join(failures)}.")
    return "\n".join(lines)


def _describe_sizes(sizes: list[int]) -> str:
    if len(sizes) == 1:
        return f"1 size, {counted(sizes[0], 'feature')}"
    return f"{len(sizes)} sizes from {sizes[0]} to {counted(sizes[-1], 'feature')} (log scale)"


def _describe_references(comparison: Comparison) -> list[str]:
    show = _Format(comparison)
    dataset = comparison.info["dataset"]
    guess = "the largest class" if dataset["n_classes"] else "the mean"
    names = {"all": f"all {counted(dataset['n_features'], 'feature')}", "trivial": f"always guessing {guess}"}
    texts = [f"{names[name]}: {show.with_unit(value)}" for name, value in comparison.reference_scores.items()]
    return [f"For comparison, {'; '.join(texts)}."] if texts else []


def describe_recommendation(comparison: Comparison) -> str:
    """Return the recommendation in sentences."""
    advice = comparison.recommend()
    if advice.method is None:
        return f"No recommendation. {advice.reason}"
    return "\n".join(
        [
            _describe_features(comparison, advice),
            _describe_held_out(comparison, advice),
            *(f"{note}" for note in advice.notes),
            *_describe_alternatives(comparison, advice),
            *_describe_interchangeable(advice),
            *([f"To write these columns to a file:\n  {advice.command}"] if advice.command else []),
        ]
    )


def _describe_features(comparison: Comparison, advice: Recommendation) -> str:
    names = [printable(feature.name) for feature in advice.features[:N_NAMED_FEATURES]]
    more = len(advice.features) - len(names)
    listed = ", ".join(names) + (f" and {more} more" if more else "")
    noun = "column" if comparison.columns != comparison.info["dataset"]["feature_names"] else "feature"
    count = f"{advice.n_features} of {counted(len(comparison.columns), noun)}"
    return f"Recommendation: keep {count}, chosen by {printable(advice.method or '')}: {listed}."


def _describe_held_out(comparison: Comparison, advice: Recommendation) -> str:
    show = _Format(comparison)
    assert advice.held_out is not None
    assert advice.interval is not None
    low, high = map(show.value, advice.interval)
    row = comparison.best_sizes().set_index("method").to_dict("index")[advice.method]
    held_out, mean = show.with_unit(advice.held_out), show.with_unit(row["score"])
    # samples that led to a choice do not judge it
    differs = "" if held_out == mean else f" The table has {mean}, on the samples that led to this choice."
    return (
        f"On held-out samples: {held_out} (95% interval {low} to {high}); "
        f"{show.with_unit(row['random'])} with as many random features.{differs}"
    )


def _describe_alternatives(comparison: Comparison, advice: Recommendation) -> list[str]:
    if not advice.alternatives:
        return []
    texts = [f"{printable(row['method'])} ({row['n_features']})" for row in advice.alternatives]
    more = len(texts) - N_NAMED_OTHERS
    listed = ", ".join(texts[:N_NAMED_OTHERS]) + (f" and {more} more" if more > 0 else "")
    return [f"As good within one standard error, with their numbers of features: {listed}."]


def _describe_interchangeable(advice: Recommendation) -> list[str]:
    groups = [
        f"{printable(name)} with {', '.join(map(printable, others[:3]))}{', ...' * (len(others) > 3)}"
        for name, others in advice.interchangeable.items()
    ]
    if not groups:
        return []
    more = len(groups) - N_NAMED_OTHERS
    listed = "; ".join(groups[:N_NAMED_OTHERS]) + (f"; and {more} more" if more > 0 else "")
    return [f"Interchangeable (absolute correlation of at least 0.9): {listed}."]


def top_features(comparison: Comparison) -> dict[str, list[str]]:
    """Return the top columns of each method, fitted to all samples."""
    ranking = comparison.ranking()
    return {
        label: ranking[label].sort_values().index[:N_TOP_FEATURES].tolist()
        for label in comparison.labels
        if label in ranking
    }


def summarize_results(comparison: Comparison) -> dict[str, Any]:
    """Return the results for JSON."""
    from featsieve.evaluation.store import replace_nonfinite

    dataset = comparison.info["dataset"]
    lists = ("feature_names", "columns", "origins")
    own = comparison.best_sizes().set_index("method").to_dict("index")
    seconds = comparison.seconds()
    methods = [
        row
        | own.get(row["method"], {})
        | {"seconds": seconds.get(row["method"]), "same": list(comparison.same_orders(row["method"]))}
        for row in comparison.summary().to_dict("records")
    ]
    advice = comparison.recommend().to_dict()
    return replace_nonfinite(
        {
            "run": comparison.run_id,
            "recommendation": advice if advice["method"] else None,
            "reason": advice["reason"],
            "data": {key: value for key, value in dataset.items() if key not in lists},
            "protocol": comparison.info["protocol"],
            "scale": comparison.info["scale"],
            "seed": comparison.info["seed"],
            "sizes": comparison.sizes,
            "measures": comparison.info["measures"],
            "methods": methods,
            "reference_scores": comparison.reference_scores,
            "table": comparison.table().to_dict("records"),
            "curves": _mean_curves(comparison),
            "top_features": top_features(comparison),
            "left_out": comparison.info.get("left_out") or [],
            "failures": [
                {"method": cell.method, "split": cell.split, "status": cell.status, "error": cell.error}
                for cell in comparison.cells
                if cell.status != "ok"
            ],
        }
    )


def _mean_curves(comparison: Comparison) -> dict[str, dict[str, list[float]]]:
    """Return the mean of each measure over the splits at each size, by measure and method."""
    curves: dict[str, dict[str, list[float]]] = {key: {} for key in comparison.measures}
    for label in comparison.labels:
        results = [result["measures"] for _, result in comparison.results(label)]
        for key in curves if results else ():
            values = np.array([measures[key] for measures in results], dtype=np.float64)
            curves[key][label] = [float(value) for value in values.mean(axis=0)]
    return curves
