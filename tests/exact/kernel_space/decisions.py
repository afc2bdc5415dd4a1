"""Record of discrete decisions: the margin to the runner-up, and the exact ties."""

from dataclasses import dataclass, field

from .precision import equal, mp, to_mp


@dataclass(frozen=True)
class Tie:
    """An exact tie. `identical`: the tied numbers are equal in any arithmetic, such as k(x, x) = 1."""

    where: str
    candidates: tuple
    identical: bool = False


@dataclass
class Decisions:
    """Smallest margins over all decisions that were not exact ties, and the list of exact ties.

    margin: gap / larger of the two compared values. scale_margin: gap / size of the terms that the values
    are sums of; if it is about 1e-16 times the number of terms, the float64 decision depends on rounding.
    closest names the decision of smallest scale_margin.
    """

    margin: object = field(default_factory=lambda: mp.inf)
    scale_margin: object = field(default_factory=lambda: mp.inf)
    closest: str = ""
    ties: list = field(default_factory=list)

    def _note(self, where, a, b, scale):
        gap, size = abs(to_mp(a) - to_mp(b)), max(abs(to_mp(a)), abs(to_mp(b)))
        self.margin = min(self.margin, gap / size)
        relative = gap / max(size, abs(to_mp(scale)))
        if relative < self.scale_margin:
            self.scale_margin, self.closest = relative, where

    def compare(self, where, a, b, scale=0, identical=False):
        """Sign of a - b: -1, 0 (equal) or 1."""
        if equal(a, b, scale):
            self.ties.append(Tie(where, (0, 1), identical))
            return 0
        self._note(where, a, b, scale)
        return 1 if a > b else -1

    def best(self, where, values, largest, scale=0, labels=None, same=None):
        """Return the index of the largest (or smallest) value, the first among equals.

        labels name the candidates in the record; same(i, j) is whether a tie is exact in any arithmetic.
        """
        values = list(values)
        labels = list(range(len(values))) if labels is None else list(labels)
        extreme = max(values) if largest else min(values)
        tied = [i for i, value in enumerate(values) if equal(value, extreme, scale)]
        if len(tied) > 1:
            identical = same is not None and all(same(tied[0], i) for i in tied[1:])
            self.ties.append(Tie(where, tuple(labels[i] for i in tied), identical))
        remaining = [value for i, value in enumerate(values) if i not in tied]
        if remaining:
            self._note(where, extreme, max(remaining) if largest else min(remaining), scale)
        return tied[0]

    def sort(self, where, values, largest=True, scale=0):
        """Return the indices from best to worst, equals in index order."""
        remaining, order = list(range(len(values))), []
        while remaining:
            first = self.best(where, [values[i] for i in remaining], largest, scale, labels=remaining)
            order.append(remaining.pop(first))
        return order

    def include(self, other):
        """Include the margins and ties of another record."""
        self.margin = min(self.margin, other.margin)
        if other.scale_margin < self.scale_margin:
            self.scale_margin, self.closest = other.scale_margin, other.closest
        self.ties.extend(other.ties)

    def hazardous_ties(self):
        """Exact ties whose float64 decision depends on rounding."""
        return [tie for tie in self.ties if not tie.identical]
