"""Records that describe a paper: its experiments, published numbers, and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

if TYPE_CHECKING:
    from featsieve.reproduction.outcome import Outcome

Judgment = Literal["holds", "holds partly", "does not hold", "cannot be tested"]


class CellKey(NamedTuple):
    """Position of a number in an experiment.

    Attributes
    ----------
    row : str
        Name of a :class:`Row`.
    column : str
        Key of a run.
    measure : str
        Key of a measure of the runner, or "" for the numbers of a computation.
    statistic : str
        "mean", "max", "argmax" (the smallest number of features that reaches the maximum), "size N",
        "order", or a name that the computation defines.
    """

    row: str
    column: str
    measure: str
    statistic: str


@dataclass(frozen=True)
class Mark:
    """An error in a published number.

    Attributes
    ----------
    kind : {"misprint", "copied", "exchanged", "impossible"}
        "copied": the number repeats ``source``. "exchanged": it belongs to ``source``. "impossible": it is
        a maximum over all sizes, but smaller than the value with all features.
    evidence : str, default=""
        Evidence besides our own measurement.
    source : CellKey or None, default=None
        The other number.
    """

    kind: Literal["misprint", "copied", "exchanged", "impossible"]
    evidence: str = ""
    source: CellKey | None = None


@dataclass(frozen=True)
class PublishedNumber:
    """A number as printed in the paper.

    Attributes
    ----------
    value : float or str
        The number, or the order of the features as text.
    mark : Mark or None, default=None
        The error in the number, if any.
    counted : bool, default=True
        Whether the number counts towards the agreement. False for numbers that our setup fixes and for
        numbers that the paper quotes without measuring them.
    """

    value: float | str
    mark: Mark | None = None
    counted: bool = True


@dataclass(frozen=True)
class Row:
    """A method of an experiment.

    Attributes
    ----------
    name : str
        Name of the method in the paper, or our own name if the paper does not include it.
    label : str or dict
        Label of the method in the runs. A dict maps each measure to a label. "{column}" stands for the key
        of the run.
    reading : str, default=""
        How the description in the paper was interpreted.
    statistics : tuple of str, default=("mean", "max")
        Statistics to show. Empty for a row that only claims use.
    """

    name: str
    label: str | Mapping[str, str]
    reading: str = ""
    statistics: tuple[str, ...] = ("mean", "max")

    def label_for(self, measure: str, column: str) -> str:
        """Return the label of the method in a run."""
        label = self.label if isinstance(self.label, str) else self.label[measure]
        return label.format(column=column)


BASELINES = (
    Row("Random selection", "random", "not in the paper"),
    Row("All features", "all", "not in the paper", ("mean",)),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """A comparison of feature selection methods on one dataset.

    Attributes
    ----------
    key : str
        Column of a table or panel of a figure.
    dataset : str
        Name in the catalog, or of a dataset that scikit-learn includes.
    methods : dict
        Label to estimator. The runner adds random selection, all features and variance.
    protocol : protocol or callable
        A callable receives the entry of the catalog and returns the protocol.
    measures : tuple of str
        Keys of the measures.
    sizes : sequence of int or None, default=None
        Numbers of features. None means every number from 1 to the number of features.
    prepare : callable or None, default=None
        Maps (X, y) to the (X, y) that the comparison uses.
    scale, impute : bool, default=False
        As in the plan of the runner.
    draws : int, default=2
        Number of random selections per split.
    comparable : bool, default=True
        Whether the samples are those of the paper. If not, printed numbers are shown but not counted.
    quick : dict, default={}
        Fields that the quick form replaces.
    """

    key: str
    dataset: str
    methods: Mapping[str, Any]
    protocol: Any
    measures: tuple[str, ...]
    sizes: Sequence[int] | None = None
    prepare: Callable[[Any, Any], tuple[Any, Any]] | None = None
    scale: bool = False
    impute: bool = False
    draws: int = 2
    comparable: bool = True
    quick: Mapping[str, Any] = field(default_factory=dict)

    def quick_form(self) -> Run:
        """Return the run with fewer repeats, samples or sizes."""
        return replace(self, **self.quick, quick={})


@dataclass(frozen=True, eq=False, kw_only=True)
class Computation:
    """Quantities that are not a comparison of feature selections.

    Attributes
    ----------
    key : str
        Column of a table or panel of a figure.
    dataset : str or None
        As in :class:`Run`. None if the function generates its own samples.
    function : callable
        Called with X, y and the parameters. Returns ``{label: {statistic: number or list of numbers}}``.
    parameters : dict, default={}
        Keyword arguments of the function. They are stored with the result.
    quick : dict, default={}
        Parameters that the quick form replaces.
    """

    key: str
    dataset: str | None
    function: Callable[..., dict[str, dict[str, Any]]]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    measures: ClassVar[tuple[str, ...]] = ("",)

    def quick_form(self) -> Computation:
        """Return the computation with fewer repeats or samples."""
        return replace(self, parameters={**self.parameters, **self.quick}, quick={})


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A panel of a figure with the values of a parameter on its axis and a line per run.

    Attributes
    ----------
    name : str
        Name of the parameter.
    labels : dict
        Value of the parameter to label of the method.
    sizes : dict
        Key of the run to number of features.
    log : bool, default=False
        Whether the axis is logarithmic.
    """

    name: str
    labels: Mapping[float, str]
    sizes: Mapping[str, int]
    log: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """A table or a figure.

    Attributes
    ----------
    key : str
        Such as "table-VI" or "figure-2".
    runs : tuple of Run or Computation
        Columns of a table, panels of a figure.
    rows : tuple of Row
        The methods. If the runs are comparisons, they include :data:`BASELINES`, except in a table that
        shows only orders.
    title : str, default=""
        Short description of the experiment. The title and the notes of a paper are in its ``paper.toml``.
    measures : tuple of str, default=()
        Measures to show, by default all measures of the runs; "" stands for the numbers of computations.
    published : dict, default={}
        The printed numbers by their :class:`CellKey`.
    tolerance : float, default=0.02
        Largest absolute difference between numbers that agree: half a unit of the last digit if the paper
        rounds, a whole unit if it truncates. Counts, such as dimensions, must be equal.
    relative_tolerance : float or None, default=None
        If given, replaces the tolerance by this fraction of the printed number.
    same_splits : bool, default=True
        Whether the samples and splits of the paper are known. If not, positions of maxima are not compared.
    digits : int, default=2
        Number of decimals to show.
    sweeps : tuple of Sweep, default=()
        Panels of a figure whose axis is not the number of features.
    axis_is_fraction : bool, default=False
        Whether the axis of a figure is the fraction of the features instead of their number.
    evaluated_at : str, default=""
        Number of features at which tables summarize the lines of a figure, in words; "" for the mean of
        each line. The first row is the method that determines it.
    notes : tuple of str, default=()
        Differences from the paper, one sentence or paragraph each.
    """

    key: str
    runs: tuple[Run | Computation, ...]
    rows: tuple[Row, ...]
    title: str = ""
    measures: tuple[str, ...] = ()
    published: Mapping[CellKey, PublishedNumber] = field(default_factory=dict)
    tolerance: float = 0.02
    relative_tolerance: float | None = None
    same_splits: bool = True
    digits: int = 2
    sweeps: tuple[Sweep, ...] = ()
    axis_is_fraction: bool = False
    evaluated_at: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        measures = self.measures or dict.fromkeys(measure for run in self.runs for measure in run.measures)
        object.__setattr__(self, "measures", tuple(measures))

    @property
    def kind(self) -> str:
        """How results are shown: "table" or "figure"."""
        return self.key.partition("-")[0]

    @property
    def tolerance_text(self) -> str:
        """The tolerance in words."""
        if self.relative_tolerance is None:
            return f"{self.tolerance:g}"
        return f"{self.relative_tolerance:.0%} of the printed number"

    @property
    def name(self) -> str:
        """Name in the paper, such as "Table VI"."""
        return f"{self.kind.capitalize()} {self.key.partition('-')[2]}"

    def row(self, name: str) -> Row:
        """Return the row of that name."""
        return next(row for row in self.rows if row.name == name)


class Verdict(NamedTuple):
    """Whether a claim holds.

    Unless the claim is about costs of bases, the text mentions random selection and all features. The claim
    can mention random selection instead.

    Attributes
    ----------
    judgment : str
        The verdict.
    measured : str
        The numbers that it is based on, in words.
    baselines : str
        The comparison with random selection and all features, in words.
    """

    judgment: Judgment
    measured: str
    baselines: str = ""

    @property
    def text(self) -> str:
        """All measured numbers, in words."""
        return self.measured + self.baselines

    def with_details(self, text: str) -> Verdict:
        """Return the verdict with text appended to its numbers."""
        return self._replace(measured=self.measured + text)


@dataclass(frozen=True, eq=False, kw_only=True)
class Claim:
    """A claim of a paper, in our words.

    Attributes
    ----------
    text : str
        The claim.
    section : str
        Section, table or figure of the paper that makes the claim.
    experiments : tuple of str, default=()
        Keys of the experiments that the claim is checked against.
    check : callable or None, default=None
        Maps {key: Outcome} to a :class:`Verdict`. None if the claim cannot be tested. Either ``check`` or
        ``reason`` must be given, not both.
    reason : str, default=""
        Why the claim cannot be tested.
    """

    text: str
    section: str
    experiments: tuple[str, ...] = ()
    check: Callable[[Mapping[str, Outcome]], Verdict] | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Paper:
    """A paper with its experiments and claims.

    Attributes
    ----------
    key : str
        Name of the paper on the command line.
    title, authors, venue : str
        Bibliographic data.
    year : int
        Year of publication.
    experiments : tuple of Experiment
        Tables and figures.
    claims : tuple of Claim, default=()
        Claims of the text.
    misprints : tuple of str, default=()
        Misprints in the text and the equations, with evidence. Those of tables are marked in the tables.
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
        """Return the experiment with that key, or raise a ValueError."""
        for experiment in self.experiments:
            if experiment.key.lower() == key.lower():
                return experiment
        known = ", ".join(experiment.key for experiment in self.experiments)
        raise ValueError(f"{self.key} has no {key.replace('-', ' ')}; it has {known}.")
