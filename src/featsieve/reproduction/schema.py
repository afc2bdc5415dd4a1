"""What a paper is, as data: experiments, published numbers, claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from featsieve.reproduction.outcome import Outcome

Judgment = Literal["holds", "holds partly", "does not hold", "cannot be tested"]


class Place(NamedTuple):
    """Where a number stands in an experiment.

    Attributes
    ----------
    row : str
        Name of a :class:`Row`.
    column : str
        Key of a run.
    measure : str
        Key of a measure of the runner, or "" where the number is none of a measure.
    statistic : str
        "mean", "max", "argmax", "size N", "order", or a name that a computation gives.
    """

    row: str
    column: str
    measure: str
    statistic: str


@dataclass(frozen=True)
class Mark:
    """Something is wrong with a published number.

    Attributes
    ----------
    kind : {"misprint", "copied", "exchanged", "impossible"}
        "copied": it repeats another number; "exchanged": it belongs there; "impossible": a maximum over all
        sizes below what all features reach.
    text : str
        What speaks for it, beside what is measured.
    source : Place or None
        The other number.
    """

    kind: Literal["misprint", "copied", "exchanged", "impossible"]
    text: str = ""
    source: Place | None = None


@dataclass(frozen=True)
class Number:
    """A number as it is printed, what is wrong with it, and whether it agrees because we made it so."""

    value: float | str
    mark: Mark | None = None
    given: bool = False


@dataclass(frozen=True)
class Row:
    """A method of an experiment.

    Attributes
    ----------
    name : str
        What the paper calls it; or our words for what the paper does not show.
    label : str or dict
        Label of the method in the runs; by measure, where that decides it. "{column}" in it stands for the
        key of the run.
    reading : str
        How the text was read.
    statistics : tuple of str
        What is shown of it; nothing for a row that only claims use.
    """

    name: str
    label: str | Mapping[str, str]
    reading: str = ""
    statistics: tuple[str, ...] = ("mean", "max")

    def label_for(self, measure: str, column: str) -> str:
        """The label by which a run knows it."""
        label = self.label if isinstance(self.label, str) else self.label[measure]
        return label.format(column=column)


# Always beside what a paper compares.
BASELINES = (
    Row("Random selection", "random", "not in the paper"),
    Row("All features", "all", "not in the paper", ("mean",)),
)


@dataclass(frozen=True, eq=False)
class Run:
    """A comparison that the evaluation runner carries out.

    Attributes
    ----------
    key : str
        Its column in a table, its panel in a figure.
    dataset : str
        Name in the catalog, or of a dataset that scikit-learn ships.
    methods : dict
        Label to estimator; random selection, all features and variance come of themselves.
    protocol : protocol, or callable that makes one of the catalog's entry
    measures : tuple of str
    sizes : sequence of int or None
        None for all, from 1 to the number of features.
    prepare : callable or None
        What is done to (X, y) before.
    scale, impute : bool
        As in the runner's plan.
    draws : int
        Random selections for each split.
    comparable : bool
        Whether its samples are those of the paper; printed numbers beside others are shown, not counted.
    quick : dict
        Fields that the quick form replaces.
    """

    key: str
    dataset: str
    methods: Mapping[str, Any]
    protocol: Any
    measures: tuple[str, ...]
    sizes: Any = None
    prepare: Callable[[Any, Any], tuple[Any, Any]] | None = None
    scale: bool = False
    impute: bool = False
    draws: int = 2
    comparable: bool = True
    quick: Mapping[str, Any] = field(default_factory=dict)

    def quickly(self) -> Run:
        """The quick form."""
        return replace(self, **self.quick, quick={})


@dataclass(frozen=True, eq=False)
class Computation:
    """Numbers that no comparison of selections gives.

    Attributes
    ----------
    key : str
        Its column in a table, its panel in a figure.
    dataset : str or None
        As for :class:`Run`; None where it makes its own samples.
    function : callable
        Called with X, y and the parameters; returns {label: {statistic: number or list of numbers}}.
    parameters : dict
        Whatever else decides the numbers; kept with them.
    quick : dict
        Parameters that the quick form replaces.
    """

    key: str
    dataset: str | None
    function: Callable[..., dict[str, dict[str, Any]]]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)

    def quickly(self) -> Computation:
        """The quick form."""
        return replace(self, parameters={**self.parameters, **self.quick}, quick={})


@dataclass(frozen=True)
class Sweep:
    """A panel whose axis is a parameter, with a line for each run.

    Attributes
    ----------
    name : str
    labels : dict
        The label of the method by the parameter's value.
    sizes : dict
        The number of features by the key of the run.
    log : bool
        Whether the axis is logarithmic.
    """

    name: str
    labels: Mapping[float, str]
    sizes: Mapping[str, int]
    log: bool = False


@dataclass(frozen=True, eq=False)
class Experiment:
    """A table or a figure.

    Attributes
    ----------
    key : str
        "table-VI", "figure-2".
    title : str
    kind : {"table", "figure"}
    runs : tuple of Run or Computation
        Columns of a table, panels of a figure.
    rows : tuple of Row
    measures : tuple of str
        Which of the runs' measures it shows; "" for none.
    published : dict
        The printed numbers by their place.
    tolerance : float
        Up to this difference a number counts as the same: half a unit of the last digit for rounding, a
        whole one where the paper cuts digits off. Counts, such as dimensions, must be equal.
    relative : float or None
        Instead of the tolerance, a share of the printed number.
    repeatable : bool
        Whether the paper's samples and splits are known: else where a maximum lies cannot be compared.
    digits : int
        After the point, for people.
    sweeps : tuple of Sweep
        Panels of a figure whose axis is not the number of features.
    shares : bool
        Whether the axis of a figure is the share of the features instead of their number.
    at : str
        Which number of features tables show the lines of a figure at; "" for the mean of each line. The first
        row is the method that decides it.
    notes : tuple of str
        What differs from the paper, a sentence each.
    """

    key: str
    title: str
    kind: Literal["table", "figure"]
    runs: tuple[Run | Computation, ...]
    rows: tuple[Row, ...]
    measures: tuple[str, ...]
    published: Mapping[Place, Number] = field(default_factory=dict)
    tolerance: float = 0.02
    relative: float | None = None
    repeatable: bool = True
    digits: int = 2
    sweeps: tuple[Sweep, ...] = ()
    shares: bool = False
    at: str = ""
    notes: tuple[str, ...] = ()

    @property
    def within(self) -> str:
        """Up to which difference numbers are the same, for people."""
        if self.relative is None:
            return f"{self.tolerance:g}"
        return f"{self.relative:.0%} of the printed number"

    @property
    def name(self) -> str:
        """What the paper calls it."""
        return f"{self.kind.capitalize()} {self.key.partition('-')[2]}"


class Verdict(NamedTuple):
    """What became of a claim, the numbers that say so, and what random selection and all features give."""

    judgment: Judgment
    measured: str
    beside: str = ""

    @property
    def text(self) -> str:
        """All that was measured."""
        return self.measured + self.beside


@dataclass(frozen=True, eq=False)
class Claim:
    """What a paper says, in our words.

    Attributes
    ----------
    text : str
    where : str
        Where the paper says it.
    experiments : tuple of str
        Keys of the experiments that it is checked against.
    check : callable or None
        Takes {key: Outcome}, returns a :class:`Verdict`. None: it cannot be tested, and ``reason`` says why.
    reason : str
    """

    text: str
    where: str
    experiments: tuple[str, ...] = ()
    check: Callable[[Mapping[str, Outcome]], Verdict] | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Paper:
    """A paper: where it appeared, its experiments, its claims, and misprints outside of its tables.

    Attributes
    ----------
    key : str
        What the command calls it.
    title, authors, venue : str
    year : int
    experiments : tuple of Experiment
    claims : tuple of Claim
    misprints : tuple of str
        Those of the text and the equations, with the evidence; those of tables are marked there.
    """

    key: str
    title: str
    authors: str
    venue: str
    year: int
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...] = ()
    misprints: tuple[str, ...] = ()

    def experiment(self, key: str) -> Experiment:
        """The experiment of that key; ValueError where there is none."""
        for each in self.experiments:
            if each.key.lower() == key.lower():
                return each
        known = ", ".join(each.key for each in self.experiments)
        raise ValueError(f"{self.key} has no {key.replace('-', ' ')}. It has {known}.")


def published_table(name: str, columns: tuple[str, ...], marks: Mapping[Place, Mark]) -> dict[Place, Number]:
    """The numbers of a printed table whose cells are a mean and a maximum with its number of features.

    Parameters
    ----------
    name : str
        Text in the folder ``published``, a line for each method:
        ``measure | name | mean max/size | mean max/size | ...``.
    columns : tuple of str
        Keys of the columns.
    marks : dict
        What is wrong, by the places' parts.

    Examples
    --------
    >>> columns = tuple(f"p={p}" for p in range(2, 8))
    >>> published_table("lle/published/table-VI", columns, {})["Variance", "p=2", "nn", "argmax"].value
    1004.0
    """
    text = (files("featsieve.papers") / f"{name}.txt").read_text(encoding="utf-8")
    found: dict[Place, Number] = {}
    for line in text.strip().splitlines():
        measure, row, *cells = (part.strip() for part in line.split("|"))
        for column, cell in zip(columns, cells, strict=True):
            mean, largest = cell.split()
            values = zip(("mean", "max", "argmax"), (mean, *largest.split("/")), strict=True)
            for statistic, value in values:
                place = Place(row, column, measure, statistic)
                found[place] = Number(float(value), marks.get(place))
    unknown = set(marks) - set(found)
    if unknown:
        raise ValueError(f"marks of numbers that are not there: {sorted(unknown)}")
    return found
