"""Remove edits, halve the remaining ones and cut the end; keep a step only if the file still fails."""

from collections.abc import Callable, Iterable

from fuzz.cases import Case
from fuzz.edits import Edit, apply_all


def minimize(case: Case, fails: Callable[[Case], bool], tries: int = 300) -> Case:
    """Remove edits, halve the remaining ones and cut the end; keep a step only if the file still fails.

    Parameters
    ----------
    case : Case
        A file that fails.
    fails : callable
        Returns whether a file fails in the same way.
    tries : int
        Maximum number of files to try.
    """
    search = _Search(case, fails, tries)
    search.omit_edits()
    while search.halve_edit():
        pass
    search.truncate()
    return search.best


class _Search:
    def __init__(self, case: Case, fails: Callable[[Case], bool], tries: int) -> None:
        self.best, self._fails, self._tries = case, fails, tries

    def _fails_with(self, edits: Iterable[Edit]) -> bool:
        """Return whether the file fails with these edits too; if so, they are the best so far."""
        if self._tries <= 0:
            return False
        self._tries -= 1
        case = self.best.with_edits(edits)
        fails = bool(case.content) and self._fails(case)
        self.best = case if fails else self.best
        return fails

    def omit_edits(self) -> None:
        """Omit edits that are not needed, starting with the last, so that earlier positions remain valid."""
        for index in reversed(range(len(self.best.edits))):
            self._fails_with(edit for other, edit in enumerate(self.best.edits) if other != index)

    def halve_edit(self) -> bool:
        """Replace an edit with one of its halves if the file still fails; return whether that succeeded."""
        edits = self.best.edits
        return any(
            self._fails_with((*edits[:index], half, *edits[index + 1 :]))
            for index, edit in enumerate(edits)
            for half in edit.halves()
        )

    def truncate(self) -> None:
        """Find by bisection the shortest failing prefix."""
        edits = self.best.edits
        size = upper = len(apply_all(edits, self.best.layer.content))
        lower = 0
        while lower < upper:
            middle = (lower + upper) // 2
            if self._fails_with((*edits, Edit(middle, size, b"", "truncate"))):
                upper = middle
            else:
                lower = middle + 1
