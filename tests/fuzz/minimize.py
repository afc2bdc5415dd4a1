"""The smallest change of a whole file that still fails in the same way."""

from collections.abc import Callable, Iterable

from fuzz.cases import Case
from fuzz.edits import Edit, apply_all


def minimize(case: Case, fails: Callable[[Case], bool], tries: int = 300) -> Case:
    """Leave out changes, halve those that remain, and cut the end, as long as the file fails.

    Parameters
    ----------
    case : Case
        A file that fails.
    fails : callable
        Whether a file fails in the same way.
    tries : int
        How many files to try at most.
    """
    search = _Search(case, fails, tries)
    search.leave_out()
    while search.halve():
        pass
    search.truncate()
    return search.best


class _Search:
    def __init__(self, case: Case, fails: Callable[[Case], bool], tries: int) -> None:
        self.best, self._fails, self._tries = case, fails, tries

    def _keeps(self, edits: Iterable[Edit]) -> bool:
        """Whether these edits fail as well; they are the best from then on."""
        if self._tries <= 0:
            return False
        self._tries -= 1
        case = self.best.with_edits(edits)
        kept = bool(case.content) and self._fails(case)
        self.best = case if kept else self.best
        return kept

    def leave_out(self) -> None:
        """Every edit that is not needed, from the last: the places of those before it stay right."""
        for place in reversed(range(len(self.best.edits))):
            self._keeps(edit for other, edit in enumerate(self.best.edits) if other != place)

    def halve(self) -> bool:
        """Take half of an edit where that is enough; whether one was."""
        edits = self.best.edits
        return any(
            self._keeps((*edits[:place], half, *edits[place + 1 :]))
            for place, edit in enumerate(edits)
            for half in edit.halves()
        )

    def truncate(self) -> None:
        """Find the shortest beginning that fails, by bisection."""
        edits = self.best.edits
        size = upper = len(apply_all(edits, self.best.layer.content))
        lower = 0
        while lower < upper:
            middle = (lower + upper) // 2
            if self._keeps((*edits, Edit(middle, size, b"", "truncate"))):
                upper = middle
            else:
                lower = middle + 1
