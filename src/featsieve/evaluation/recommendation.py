"""The recommendation that is drawn from a comparison: which method, how many features, and which ones."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve.evaluation.candidates import ALL, RANDOM, find_candidate
from featsieve.evaluation.explanation import AS_GOOD
from featsieve.evaluation.measures.measure import mean_bounds
from featsieve.evaluation.own_sizes import Curves
from featsieve.evaluation.statistics import EQUAL_RTOL, corrected_interval
from featsieve.evaluation.verdicts import MIN_SPLITS
from featsieve.registry import get_ranker
from featsieve.wording import counted

if TYPE_CHECKING:
    from featsieve.evaluation.results import Comparison

# Families of methods, from the simplest to the most complex; methods without a record come last.
FAMILIES = ("statistic", "neighbor", "graph", "reconstruction", "subset", "kernel")


@dataclass(frozen=True)
class Feature:
    """A recommended feature.

    Parameters
    ----------
    name : str
        Name of the column.
    score : float or None
        Score by the recommended method, fitted on all samples.
    frequency : float
        Share of the splits in which the method has the feature among its top ones.
    interchangeable : tuple of str
        Columns whose absolute correlation with the feature is at least 0.9, the strongest first. They carry
        nearly the same information.

    See Also
    --------
    Recommendation : The recommendation that contains the feature.

    Examples
    --------
    >>> from featsieve.evaluation import Feature
    >>> Feature("age", 0.3, 1.0).interchangeable
    ()
    """

    name: str
    score: float | None
    frequency: float
    interchangeable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recommendation:
    """The features to keep, and how good they are on held-out samples.

    Parameters
    ----------
    method : str or None
        Label of the recommended method: of those that beat random selection and whose mean on the held-out
        samples, at their own size, is within one standard error of the best, the one that needs the fewest
        features. None if there is no recommendation.
    n_features : int
        Number of recommended columns: the smallest size at which the mean is within one standard error of the
        method's own best. For data without labels, the gain over as many random features takes the place of
        the mean, because all features together preserve all neighbors.
    features : tuple of Feature
        The recommended columns, best first.
    held_out : float or None
        Mean of the main measures on the held-out samples. The choice of the method and the size is repeated
        without each split in turn and measured on that split, so that the choice is not judged by the values
        that led to it. Whether a method beats random selection is decided once, on all splits. For data
        without labels, this estimates the gain over as many random features, to which their mean is added.
    interval : tuple of float or None
        95% interval of ``held_out``, which accounts for the overlap of the training sets.
    alternatives : tuple of dict
        The other methods that beat random selection and are within one standard error of the best at their
        own size; the simplest first, of equally simple ones those that need few features. Each has
        ``method``, ``n_features`` and ``score``. The standard error is corrected for the overlap of the
        training sets.
    same : tuple of str
        Methods with the same order as ``method`` on every split.
    command : str or None
        Command that writes the recommended columns to a file.
    reason : str
        Why this method, or why there is no recommendation.
    notes : tuple of str
        Sentences on what else a reader should know.

    See Also
    --------
    Comparison.recommend : Compute the recommendation.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from featsieve.evaluation import Plan, RepeatedSplits, compare
    >>> comparison = compare(*load_wine(return_X_y=True), "fisher", Plan(RepeatedSplits(5), draws=5))
    >>> comparison.recommend().method
    'fisher'
    """

    method: str | None
    n_features: int = 0
    features: tuple[Feature, ...] = ()
    held_out: float | None = None
    interval: tuple[float, float] | None = None
    alternatives: tuple[dict[str, Any], ...] = ()
    same: tuple[str, ...] = ()
    command: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def interchangeable(self) -> dict[str, list[str]]:
        """Columns that carry nearly the same information as a recommended one, by its name."""
        return {
            feature.name: list(feature.interchangeable)
            for feature in self.features
            if feature.interchangeable
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the recommendation as plain data."""
        return asdict(self) | {"interchangeable": self.interchangeable}


def recommend(comparison: Comparison) -> Recommendation:
    """Return the recommendation of a comparison; see :class:`Recommendation`."""
    summary = comparison.summary()
    better = summary.loc[summary["outcome"] == "better", "method"].tolist()
    curves = Curves.of(comparison)
    # a mean over some of the splits cannot be compared with one over all, and a method that failed on all
    # samples has no features to recommend
    ranked = comparison.orders()
    labels = [label for label in better if label in curves.values and label in ranked]
    reason = _reason_against(comparison, labels)
    if reason:
        return Recommendation(None, reason=reason)
    labels.sort(key=lambda label: simplicity(comparison, label))
    (method, *_), index = curves.choose(labels)
    held_out = corrected_interval(_cross_fitted(curves, labels, index), curves.ratio)
    bounds = sorted((curves.sign * held_out.low, curves.sign * held_out.high))
    low, high = np.clip(bounds, *mean_bounds(comparison.measures[key] for key in comparison.main)).tolist()
    same = comparison.same_orders(method)
    chosen = _columns_of(comparison, method, comparison.sizes[index])
    features = _features(comparison, method, chosen)
    return Recommendation(
        method,
        len(features),
        features,
        curves.sign * held_out.mean,
        (low, high),
        tuple(_alternatives(comparison, curves, labels, method)),
        same,
        _command(comparison, method, len(features)),
        _reason_for(comparison, curves, labels, method, len(better)),
        tuple(_notes(comparison, curves, method)),
    )


def _reason_against(comparison: Comparison, labels: list[str]) -> str | None:
    """Return why nothing can be recommended, None if something can."""
    n_splits = comparison.info["protocol"]["n_splits"]
    areas = comparison.areas()
    n_methods = sum(bool(areas[label]) for label in areas if label not in (RANDOM, ALL))
    if not n_methods:
        return "No method finished."
    if not areas.get(RANDOM):
        return "Random selection did not finish, so the methods cannot be compared with it."
    if comparison.info["protocol"]["transductive"]:
        name = comparison.info["protocol"]["name"]
        return (
            f"The protocol {name!r} selects and tests features on the same samples, which does not show how "
            "good they are on new samples. Use the protocol 'splits' or 'folds' for a recommendation."
        )
    if n_splits < MIN_SPLITS:
        splits = counted(n_splits, "split")
        return f"{splits}: too few for a verdict. Use at least {MIN_SPLITS}, better 10 (--repeats 10)."
    if not labels:
        methods = "The method is not" if n_methods == 1 else f"None of the {n_methods} methods is"
        return f"{methods} clearly better than random selection. More samples may show a difference."
    return None


def _reason_for(comparison: Comparison, curves: Curves, labels: list[str], method: str, n_better: int) -> str:
    """Return why the method is recommended."""
    sizes = curves.equally_good(labels)
    best, *_ = curves.best(list(sizes), sizes)
    most = "the largest gain over as many random features" if curves.relative else "the best score"
    if best in (method, *comparison.same_orders(method)):
        finished = " and finished on every split" if len(labels) < n_better else ""
        return f"Of the methods that beat random selection{finished}, {method} has {most}."
    n_best, n_features = (counted(comparison.sizes[sizes[label]], "feature") for label in (best, method))
    return (
        f"{best} has {most}, with {n_best}, but {method} needs only {n_features} and is as good, {AS_GOOD}."
    )


def _cross_fitted(curves: Curves, labels: Sequence[str], recommended: int) -> np.ndarray:
    """Return the value of each split at the method and size that the other splits choose.

    If the other splits choose several methods, it is their mean. For data without labels it is the gain,
    added to the value of random selection at the recommended size.
    """
    values = curves.random[:, recommended].copy() if curves.relative else np.zeros(len(curves.random))
    for split in range(len(values)):
        chosen, index = curves.choose(labels, np.arange(len(values)) != split)
        values[split] += np.mean([curves.criterion(label)[split, index] for label in chosen])
    return values


def _alternatives(
    comparison: Comparison, curves: Curves, labels: list[str], chosen: str
) -> list[dict[str, Any]]:
    excluded = {chosen, *comparison.same_orders(chosen)}
    rows = []
    for label, index in curves.equally_good(labels).items():
        if label not in excluded:
            excluded |= {label, *comparison.same_orders(label)}
            score = float(curves.sign * curves.values[label][:, index].mean())
            rows.append({"method": label, "n_features": comparison.sizes[index], "score": score})
    # not by measured times, because they vary from run to run
    return sorted(
        rows, key=lambda row: (simplicity(comparison, row["method"])[0], row["n_features"], row["method"])
    )


def simplicity(comparison: Comparison, label: str) -> tuple[int, bool, bool, str]:
    """Return a key that sorts methods from simple to complex."""
    info = comparison.info["methods"].get(label, {})
    try:
        family: Any = get_ranker(info.get("method") or "").family
    except ValueError:  # an estimator of the user, or a method of another version
        family = None
    rank = FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)
    if info.get("method") == "auto":  # chooses among several others
        rank = len(FAMILIES)
    return rank, bool(info.get("uses_labels")), ":" in label, label


def _columns_of(comparison: Comparison, label: str, size: int) -> list[int]:
    """Return the columns of the first features of a method fitted on all samples, best first."""
    order = comparison.orders().get(label)
    return [] if order is None else list(dict.fromkeys(comparison.origins[order[:size]].tolist()))


def _features(comparison: Comparison, label: str, columns: list[int]) -> tuple[Feature, ...]:
    names, origins = comparison.columns, comparison.origins
    _, fit = next(comparison.results(label, ranking=True), (None, {}))
    order, scores = (fit or {}).get("order") or [], (fit or {}).get("scores")
    leaders = {int(origins[feature]): feature for feature in reversed(order)}
    frequencies, groups = (
        column_frequencies(comparison, label, len(columns)),
        interchangeable_columns(comparison),
    )
    return tuple(
        Feature(
            names[column],
            None if scores is None else scores[leaders[column]],
            float(frequencies[column]),
            tuple(names[other] for other in groups.get(column, ())),
        )
        for column in columns
    )


def column_frequencies(comparison: Comparison, label: str, n_top: int) -> np.ndarray:
    """Return the share of the splits in which each column is among the top columns of a method."""
    counts, n_splits = np.zeros(len(comparison.columns)), 0
    for _, result in comparison.results(label):
        if result.get("order"):
            counts[comparison.origins[comparison.leaders(np.array(result["order"]))[:n_top]]] += 1
            n_splits += 1
    return counts / max(n_splits, 1)


def interchangeable_columns(comparison: Comparison) -> dict[int, list[int]]:
    """Return the columns that are strongly correlated with a recommended one, the strongest first."""
    origins = comparison.origins
    groups: dict[int, dict[int, None]] = {}
    for feature, others in (comparison.info.get("correlated") or {}).items():
        column = int(origins[int(feature)])
        known = groups.setdefault(column, {})
        for other in others:
            if origins[other] != column:
                known.setdefault(int(origins[other]))
    return {column: list(others) for column, others in groups.items()}


def _command(comparison: Comparison, method: str, n_features: int) -> str | None:
    """Return the command that selects the columns, None if the comparison was not made by the command."""
    arguments = comparison.info.get("selection")
    stored = comparison.info["methods"][method]
    if not arguments or not n_features:
        return None
    try:
        known = find_candidate(method).info()
    except ValueError:
        return None
    if _identity(known) != _identity(stored):  # an estimator of the user has the label of a method
        return None
    scale = "--scale" if comparison.info["scale"] else "--no-scale"
    options = ["--method", method, "--top", str(n_features), scale]
    return shlex.join(["featsieve", "select", *arguments[:-2], *options, *arguments[-2:]])


def _identity(info: dict[str, Any]) -> tuple[Any, ...]:
    """Return what defines a method, except the kind of the labels, which depends on the data."""
    parameters = {
        name: value for name, value in info["parameters"].items() if name.split("__")[-1] != "target"
    }
    return info["estimator"], info["uses_labels"], parameters


def _notes(comparison: Comparison, curves: Curves, method: str) -> list[str]:
    """Say if another method is better in another respect."""
    notes, summary = [], comparison.summary().set_index("method")
    tested = [label for label in curves.values if label in summary.index]
    gains = summary["gain"].to_dict()
    first = max(tested, key=lambda label: gains[label])
    if first not in (method, *comparison.same_orders(method)):
        notes.append(f"Averaged over all numbers of features, {first} is the best method.")
    own = curves.criterion(method).mean(axis=0).max()
    peaks = {label: curves.criterion(label).mean(axis=0) for label in tested}
    highest = max(tested, key=lambda label: peaks[label].max())
    if summary.loc[highest, "outcome"] != "better" and peaks[highest].max() > own + EQUAL_RTOL:
        size = comparison.sizes[int(peaks[highest].argmax())]
        notes.append(
            f"{highest} has the highest score, with {counted(size, 'feature')}, but averaged over all "
            "numbers of features it is not clearly better than random selection."
        )
    return notes
