"""A desk's deeds with rounds: announced with their draws settled, heats opened in their order, the secret published.

A function with a ``book`` judges on it, and tells what is to be written.
"""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.compete.book import Book
from pointsman.compete.commitment import Files, ParRange, fresh_secret
from pointsman.compete.desk_book import Writing, round_of, was_written
from pointsman.compete.desk_draws import Draws
from pointsman.compete.draws import HeatDraw, parts_of
from pointsman.compete.entries import Committed, HeatOpened, Revealed, RoundAnnounced, SharedTrainCounted
from pointsman.compete.formats import Category, class_named
from pointsman.compete.plans import RoundPlan, check_plan
from pointsman.compete.sealing import seal
from pointsman.compete.standings import standings
from pointsman.compete.state import State
from pointsman.errors import RefusedError, UsageError
from pointsman.puzzle.choice import choose
from pointsman.track.builtin import builtin_layouts, find_layout, split_puzzle


@dataclass(frozen=True, slots=True)
class Prepared:
    """A round ready to be written: what is announced, and the commitment to its draws."""

    announced: RoundAnnounced
    committed: Committed


def prepare(plan: RoundPlan, draws: Draws, code: str, version: str) -> Prepared:
    """Find out what a round's draws are, and settle them with a fresh secret under the marshal's code. Slow.

    Raises LayoutError for a plan that cannot be right, UsageError too for a par range with too few draws, RefusedError
    for a puzzle with more wagons than the class plays with.
    """
    check_plan(plan)
    secret = fresh_secret()
    sealed = seal(secret, code)
    puzzle = _found_again(plan.puzzle)
    most = plan.most_wagons if plan.most_wagons is not None else class_named(plan.category).most_wagons
    Category(plan.category or plan.title, most).check(len(choose(puzzle).puzzle.wagons))
    files = Files.of(puzzle)
    announced = plan.announced(puzzle, files)
    listed = draws.listed(puzzle, files, announced.count)
    pars = ParRange(plan.par_least, plan.par_most)
    parts = parts_of(puzzle, listed, version=version, round_id=plan.id, pars=pars, heats=plan.heats, spares=plan.spares)
    files.check(puzzle)
    commitment = parts.commitment(secret)
    return Prepared(
        announced,
        Committed(plan.id, version, commitment, sealed.secret.hex(), sealed.salt.hex(), parts.draws),
    )


def prepare_of(plan: RoundPlan, draws: Draws, code: str, version: str) -> Prepared:
    """``prepare`` for one of several rounds: what cannot be is told with the round."""
    try:
        return prepare(plan, draws, code, version)
    except UsageError as error:
        raise UsageError(error.what, where=f"round {plan.id}", cure=error.cure) from error


def _found_again(puzzle: str) -> str:
    """How a puzzle is found from any folder: a built-in one by its name, another by the path of its file."""
    place = split_puzzle(puzzle)
    name = place.layout.name
    if name in builtin_layouts() and find_layout(name) == place.layout:
        return f"{name}/{place.puzzle.stem}"
    return str(place.puzzle.resolve())


def announced(book: Book, prepared: Prepared, by: str) -> Writing:
    """A round and the commitment to its draws. Once settled they stay: the same announcement again changes nothing."""
    if settled(book.state, prepared.announced) and was_written(book, prepared.announced, by):
        return []
    return [(prepared.announced, ""), (prepared.committed, "")]


def settled(state: State, wished: RoundAnnounced) -> bool:
    """Whether just such a round is announced, and its draws are settled."""
    its = state.rounds.get(wished.round)
    return its is not None and its.committed is not None and its.announced == wished


def heat_to_open(state: State, round_id: str, heat: int | None) -> int:
    """Which heat is to be opened: the one asked for, else the next one. Raises UsageError, RefusedError."""
    its = round_of(state, round_id)
    due = len(its.heats) + 1
    if heat is None:
        heat = due
    if not 1 <= heat <= its.announced.heats:
        raise RefusedError(
            [f"round {round_id} has no heat {heat}"],
            where=round_id,
            cure=f"its heats are 1 to {its.announced.heats}",
        )
    return heat


def heat_opened(book: Book, round_id: str, draw: HeatDraw, *, again: bool) -> Writing:
    """A heat's own draw may be seen from now on; ``again``: that it is open already is as good."""
    entry = HeatOpened(round_id, draw.heat, draw.wagons, draw.par)
    its = round_of(book.state, round_id)
    return [] if again and entry in its.heats else [(entry, "")]


def shared_train_counted(book: Book, entry: SharedTrainCounted, by: str) -> Writing:
    """The wagons of a heat's shared train were counted."""
    counted = round_of(book.state, entry.round).shared_placed.get(entry.heat)
    return [] if counted == entry.placed and was_written(book, entry, by) else [(entry, "")]


def revealed(book: Book, round_id: str, secret: bytes, why: str) -> Writing:
    """A round's secret, unless it is out already; the round is over then."""
    its = round_of(book.state, round_id)
    entry = Revealed(round_id, secret.hex())
    if its.secret == entry.secret:
        return []
    if not why and not standings(book.state).rounds[round_id].certain:
        raise RefusedError(
            [f"attempts of round {round_id} are still to come, and nobody plays in it once its secret is out"],
            where=round_id,
            cure="let them be made, or withdraw who does not come; to end the round all the same, say why",
        )
    return [(entry, why)]
