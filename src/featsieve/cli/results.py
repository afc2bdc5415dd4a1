"""The results of a comparison as text for the terminal and as plain data for JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.cli.console import make_table, printable
from featsieve.evaluation.explanation import (
    AS_GOOD,
    HELD_OUT,
    SUBSTITUTES,
    ScoreFormat,
    define_score,
    define_size,
    explain_averaging,
    explain_estimate,
    explain_measures,
    interchangeable_names,
    warn_of_random,
)
from featsieve.evaluation.own_sizes import sizes_by_method
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


def _describe_gain(show: ScoreFormat, row: dict[Any, Any]) -> str:
    if math.isnan(row["gain"]):
        return ""
    sign = "+" if row["gain"] >= 0 else ""
    text = f"{SIGNS.get(row['outcome'], ' ')} {sign}{show.value(row['gain'])}"
    if math.isnan(row["gain_low"]):
        return text
    return f"{text} ({show.value(row['gain_low'])} to {show.value(row['gain_high'])})"


def make_results_table(comparison: Comparison) -> Table:
    """Return the table of the methods: gain over random selection, own size and peak."""
    show, own = ScoreFormat(comparison), sizes_by_method(comparison)
    headings = ("Method", "Gain over random", "Size", "Score", "Random", "Peak")
    table = make_table(*headings, right=("Size", "Score", "Random", "Peak"))
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
        table.add_row(printable(label), _describe_gain(show, rows[label]) or short_verdict, *cells)
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
    protocol, unlabeled = comparison.info["protocol"], comparison.info["dataset"]["target"] is None
    unit = ", in %," if ScoreFormat(comparison).percent else ""
    samples = "the samples" if protocol["transductive"] else HELD_OUT
    peak = "the score with the largest gain" if unlabeled else "the best score"
    measures = explain_measures(comparison)
    lines = [
        f"Score: {define_score(comparison)}{unit} on {samples}.",
        *(f"  {name}{text and ': '}{text}" for name, text in measures.items() if text or len(measures) > 1),
        "Gain over random: how much better the score is than with as many random features, "
        f"{explain_averaging(comparison.sizes)}. ▲ better, ▼ worse, ○ not clearly different: "
        "the intervals of all methods together hold with 95% confidence.",
        f"Size: {define_size(comparison)}. Score, Random: with that many features of the method, and with as "
        f"many random ones. Peak: {peak}.",
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


def _describe_references(comparison: Comparison) -> list[str]:
    show = ScoreFormat(comparison)
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
            printable(advice.reason),
            _describe_held_out(comparison, advice),
            *map(printable, advice.notes),
            *_describe_alternatives(advice),
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
    show = ScoreFormat(comparison)
    assert advice.held_out is not None
    assert advice.interval is not None
    low, high = map(show.value, advice.interval)
    row = sizes_by_method(comparison)[advice.method]
    sentences = (
        f"Score on held-out samples: {show.with_unit(advice.held_out)} (95% confidence interval {low} to "
        f"{high}); with {counted(row['n_features'], 'random feature')}: {show.with_unit(row['random'])}.",
        explain_estimate(comparison, advice),
        printable(warn_of_random(comparison, advice)),
    )
    return " ".join(filter(None, sentences))


def _describe_alternatives(advice: Recommendation) -> list[str]:
    if not advice.alternatives:
        return []
    texts = [
        f"{printable(row['method'])} with {counted(row['n_features'], 'feature')}"
        for row in advice.alternatives
    ]
    return [f"As good, {AS_GOOD}: {_shorten(texts, ', ')}."]


def _describe_interchangeable(advice: Recommendation) -> list[str]:
    groups = [
        f"{printable(name)} with {_shorten(list(map(printable, others)), ', ', 3)}"
        for name, others in interchangeable_names(advice).items()
    ]
    return [f"Interchangeable, because they {SUBSTITUTES}: {_shorten(groups, '; ')}."] if groups else []


def _shorten(texts: list[str], separator: str, length: int = N_NAMED_OTHERS) -> str:
    """Join the first texts, and say how many more there are."""
    more = [f"and {len(texts) - length} more"] if len(texts) > length else []
    return separator.join([*texts[:length], *more])


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
    own = sizes_by_method(comparison)
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
