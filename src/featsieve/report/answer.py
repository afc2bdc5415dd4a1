"""The result in words: the recommendation, and a verdict on each method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.evaluation.candidates import ALL
from featsieve.evaluation.explanation import (
    AS_GOOD,
    HELD_OUT,
    SUBSTITUTES,
    ScoreFormat,
    define_score,
    explain_averaging,
    explain_estimate,
    explain_measures,
    explain_size,
    interchangeable_names,
    warn_of_random,
)
from featsieve.evaluation.own_sizes import sizes_by_method
from featsieve.report.curves import BASELINES
from featsieve.report.text import brief
from featsieve.wording import counted, enumerate_names

if TYPE_CHECKING:
    from featsieve.evaluation import Comparison

# Number of recommended features and of alternatives that are named; the table of features has all.
MAX_NAMED_FEATURES, MAX_ALTERNATIVES = 30, 5


def answer(comparison: Comparison) -> dict[str, Any]:
    """Return the recommendation, and the verdict on each method by the main measures."""
    verdicts = _verdicts(comparison)
    bounds = [v[key] for v in verdicts for key in ("low", "difference", "high") if np.isfinite(v[key])]
    low, high = min([0, *bounds]), max([0, *bounds])
    margin = 0.04 * (high - low) or 1
    advice = comparison.recommend()
    return {
        "headline": _headline(comparison),
        "summary": _summarize_verdicts(verdicts),
        "recommendation": None if advice.method is None else _recommendation(comparison),
        "reason": advice.reason,
        "notes": list(advice.notes),
        "verdicts": verdicts,
        "scale": [low - margin, high + margin],
        "measure": define_score(comparison),
        "explanations": explain_measures(comparison),
        "averaging": explain_averaging(comparison.sizes),
        "held_out": HELD_OUT,
        "percent": ScoreFormat(comparison).percent,
    }


def noun(comparison: Comparison) -> str:
    """Return what the table lists: features, or columns if some were converted to several features."""
    return "feature" if comparison.columns == comparison.info["dataset"]["feature_names"] else "column"


def _headline(comparison: Comparison) -> str:
    advice, name = comparison.recommend(), noun(comparison)
    if advice.method is None:
        return f"No {name}s can be recommended"
    total = len(comparison.columns)
    if advice.n_features == total:
        return f"Keep all {total:,} {name}s" if total > 1 else f"Keep the only {name}"
    return f"Keep {advice.n_features:,} of the {counted(total, name, ',')}"


def _recommendation(comparison: Comparison) -> dict[str, Any]:
    advice = comparison.recommend()
    names = [feature.name for feature in advice.features]
    sizes = sizes_by_method(comparison)[advice.method]
    assert advice.method is not None
    assert advice.interval is not None
    references = comparison.reference_scores
    dataset, size = comparison.info["dataset"], int(sizes["n_features"])
    shown = ScoreFormat(comparison).with_unit
    facts = [(f"with {counted(size, 'random feature', ',')}", sizes["random"])]
    if ALL in references and size < dataset["n_features"]:
        facts.append((f"with all {dataset['n_features']:,} features", references[ALL]))
    if "trivial" in references:
        guess = "largest class" if dataset["n_classes"] else "mean of the target"
        facts.append((f"always guessing the {guess}", references["trivial"]))
    low, high = advice.interval
    return {
        "method": advice.method,
        "n_features": advice.n_features,
        "noun": noun(comparison),
        "names": names[:MAX_NAMED_FEATURES],
        "more": max(0, len(names) - MAX_NAMED_FEATURES),
        "held_out": shown(advice.held_out or 0.0),
        "interval": f"{shown(low)} to {shown(high)}",
        "facts": [{"label": label, "value": shown(value)} for label, value in facts],
        "size": explain_size(comparison, advice.method, sizes),
        "estimate": explain_estimate(comparison, advice),
        "warning": warn_of_random(comparison, advice),
        "as_good": AS_GOOD,
        "substitutes": SUBSTITUTES,
        "uses_labels": bool(comparison.info["methods"][advice.method].get("uses_labels")),
        "same": list(advice.same),
        "alternatives": [
            {**row, "score": shown(row["score"])} for row in advice.alternatives[:MAX_ALTERNATIVES]
        ],
        "more_alternatives": max(0, len(advice.alternatives) - MAX_ALTERNATIVES),
        "groups": interchangeable_names(advice),
        "command": advice.command,
    }


def _verdicts(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a verdict for each method; methods with the same order are one."""
    rows = {row["method"]: row for row in comparison.summary().to_dict("records")}
    own = sizes_by_method(comparison)
    verdicts, shown = [], set(BASELINES)
    for label in comparison.ordered_labels():
        if label not in shown:
            same = comparison.same_orders(label)
            shown |= {label, *same}
            verdicts.append(_verdict(rows[label], comparison, same, own.get(label)))
    return verdicts


def _verdict(
    row: dict[Any, Any], comparison: Comparison, same: tuple[str, ...], own: dict[Any, Any] | None
) -> dict[str, Any]:
    sentence, is_recommended = row["verdict"], row["method"] == comparison.recommend().method
    n_splits = row["wins"] + row["ties"] + row["losses"]
    details = [f"better on {row['wins']} of {counted(n_splits, 'split')}"] if n_splits else []
    if own and row["outcome"] == "better":
        details.insert(0, f"needs {counted(int(own['n_features']), 'feature', ',')}")
    if is_recommended:
        details.insert(0, "recommended")
    if row["failed"]:
        details.append(f"failed on {row['failed']}")
    method, dataset = comparison.info["methods"].get(row["method"], {}), comparison.info["dataset"]
    if dataset["target"] is not None:
        target = "labels" if dataset["n_classes"] else "the target"
        details.append(f"uses {target}" if method.get("uses_labels") else f"does not use {target}")
    if same:
        details.append(f"same order as {enumerate_names([brief(label) for label in same])}")
    return {
        "label": row["method"],
        "outcome": row["outcome"],
        "sentence": brief(sentence[:1].upper() + sentence[1:], 200),
        "details": "; ".join(details),
        "n_methods": 1 + len(same),
        "difference": row["gain"],
        "low": row["gain_low"],
        "high": row["gain_high"],
    }


def _summarize_verdicts(verdicts: list[dict[str, Any]]) -> str:
    """Return how many methods beat random selection; methods with the same order count each."""

    def count(*outcomes: str) -> int:
        return sum(verdict["n_methods"] for verdict in verdicts if verdict["outcome"] in outcomes)

    n_methods, n_better = sum(verdict["n_methods"] for verdict in verdicts), count("better")
    if count("failed", "missing") == n_methods:
        return "No method finished"
    if count("untested", "failed", "missing") == n_methods:
        return "Gain of each method, without a verdict"
    if n_methods == 1:
        label = brief(verdicts[0]["label"])
        return f"{label} {'beats' if n_better else 'is not clearly better than'} random selection"
    if not n_better:
        return f"None of {n_methods} methods is clearly better than random selection"
    if n_better == n_methods:
        return f"All {n_better} methods beat random selection"
    return f"{n_better} of {n_methods} methods {'beats' if n_better == 1 else 'beat'} random selection"
