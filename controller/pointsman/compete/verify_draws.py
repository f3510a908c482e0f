"""Whether the files of a round are still those that it was announced with, and its draws those that follow."""

from __future__ import annotations

from pathlib import Path

from pointsman.compete.book import Book
from pointsman.compete.differences import Difference, Verified, told
from pointsman.compete.draws import DrawList, draw_list
from pointsman.compete.entries import AttemptStarted, Committed
from pointsman.compete.sealing import secret_of
from pointsman.compete.state import Round
from pointsman.errors import LayoutError, NotationError, RefusedError, UsageError
from pointsman.puzzle.puzzle import Count
from pointsman.solver.table import Report


def check_draws(book: Book, code: str | None, progress: Report, cache: Path | None) -> Verified:
    """The files, the heats and the used spares of every round; a call that was taken back has used its draw too."""
    checking = _Draws(code, progress, cache)
    called = [one.entry for one in book.written if isinstance(one.entry, AttemptStarted)]
    for name, its in book.state.rounds.items():
        if its.committed is not None:
            spares = [entry for entry in called if entry.round == name and entry.spare]
            checking.check(f"round {name}", its, its.committed, spares)
    return Verified(tuple(checking.differences), tuple(checking.unchecked))


class _Draws:
    """The files and draws of rounds, one after the other; every list of draws is made once."""

    def __init__(self, code: str | None, progress: Report, cache: Path | None) -> None:
        self.differences: list[Difference] = []
        self.unchecked: list[Difference] = []
        self._code, self._progress, self._cache = code, progress, cache
        self._lists: dict[tuple[str, Count], DrawList] = {}

    def check(self, where: str, its: Round, committed: Committed, spares: list[AttemptStarted]) -> None:
        """Note whatever is not as it was committed to."""
        same = self._same_files(where, its, committed)
        if not its.heats:
            return
        secret = self._secret(where, its)
        if secret is None:
            return
        if not same:
            self.unchecked.append(Difference(where, "its draws cannot be derived without the files that it had"))
            return
        parts = its.parts(committed)
        try:
            pool = self._listed(its).pool(parts.pars)
            derived = {heat.heat: pool.heat(parts, secret, heat.heat) for heat in its.heats}
        except (RefusedError, UsageError, LayoutError, NotationError) as error:
            self.differences.append(Difference(where, told(error)))
            return
        for heat in its.heats:
            own = derived[heat.heat][0]
            self._compare(f"{where}, heat {heat.heat}", (heat.cards, heat.par), (own.wagons, own.par))
        for started in spares:
            own = derived[started.heat][started.spare]
            self._compare(f"attempt {started.attempt}", (started.cards, started.par), (own.wagons, own.par))

    def _same_files(self, where: str, its: Round, committed: Committed) -> bool:
        """Whether layout and puzzle are here, as they were."""
        try:
            its.parts(committed).files.check(its.announced.puzzle)
        except RefusedError as error:
            self.differences += [Difference(where, reason) for reason in error.reasons]
            return False
        except UsageError as error:
            self.unchecked.append(Difference(where, f"its files are not here: {told(error)}"))
            return False
        return True

    def _secret(self, where: str, its: Round) -> bytes | None:
        """By which the draws are settled: as it was told, or as the marshal's code opens it."""
        if its.secret is not None:
            return bytes.fromhex(its.secret)
        if self._code is None:
            self.unchecked.append(
                Difference(where, "its secret is not out: give the marshal's code to derive its draws")
            )
            return None
        try:
            return secret_of(its, self._code)
        except RefusedError as error:
            self.differences.append(Difference(where, error.what))
            return None

    def _listed(self, its: Round) -> DrawList:
        key = (its.announced.puzzle, its.announced.count)
        if key not in self._lists:
            self._lists[key] = draw_list(*key, progress=self._progress, cache=self._cache)
        return self._lists[key]

    def _compare(self, where: str, noted: tuple[tuple[str, ...], int], derived: tuple[tuple[str, ...], int]) -> None:
        (cards, par), (wagons, its_par) = noted, derived
        if cards != wagons:
            self.differences.append(
                Difference(
                    where, f"the draw {' '.join(cards)} was played, and {' '.join(wagons)} follows from the secret"
                )
            )
        elif par != its_par:
            self.differences.append(Difference(where, f"a par of {par} was told of its draw, and it is {its_par}"))
