"""What may stand in a row: vehicles by name or kind, any one, any number, or some in any order; and its automaton.

A row is read as symbols, whole numbers: vehicles that a goal does not tell apart have the same. The automaton is the
one meaning of a pattern; a position and a whole table of distances are both read with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

Symbols = frozenset[int] | None
"""Which symbols a step of the automaton takes; None is any."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One vehicle: of these, or any wagon (None). ``text`` is how it is written: ``3``, ``@van`` or ``?``."""

    text: str
    of: frozenset[str] | None

    @property
    def name(self) -> str | None:
        """The one vehicle it names; None for a kind or any wagon."""
        return None if self.text == "?" or self.text.startswith("@") else self.text

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Block:
    """These in any order, one after the other; with ``more`` others may stand anywhere among them."""

    choices: tuple[Choice, ...]
    more: bool = False

    @property
    def names_only(self) -> bool:
        """Whether all are named, so that they may stand for one another."""
        return all(choice.name is not None for choice in self.choices)

    def __str__(self) -> str:
        return "{" + " ".join([*map(str, self.choices), *([".."] if self.more else [])]) + "}"


@dataclass(frozen=True, slots=True)
class Gap:
    """Any number of vehicles, none too."""

    def __str__(self) -> str:
        return ".."


Element = Choice | Block | Gap


def choices_of(elements: Sequence[Element]) -> tuple[Choice, ...]:
    """Every choice in a row of elements, as written."""
    found: list[Choice] = []
    for element in elements:
        found += [element] if isinstance(element, Choice) else element.choices if isinstance(element, Block) else []
    return tuple(found)


def fixed(elements: Sequence[Element], symbols: Callable[[Choice], Symbols]) -> tuple[Symbols, ...] | None:
    """Place by place what may stand there, where the places do not depend on one another; None where they do."""
    places: list[Symbols] = []
    for element in elements:
        if isinstance(element, Gap) or (isinstance(element, Block) and element.more):
            return None
        inside = [element] if isinstance(element, Choice) else element.choices
        allowed = [symbols(choice) for choice in inside]
        if len(set(allowed)) > 1:
            return None
        places += allowed
    return tuple(places)


@dataclass(frozen=True, slots=True)
class Automaton:
    """State 0 is the start; ``steps`` are (state before, symbols it takes, state after)."""

    states: int
    steps: tuple[tuple[int, Symbols, int], ...]
    accepting: frozenset[int]

    def accepts(self, row: Sequence[int]) -> bool:
        """Whether a row of symbols is what the pattern describes."""
        at = {0}
        for symbol in row:
            at = {after for before, taken, after in self.steps if before in at and (taken is None or symbol in taken)}
        return bool(at & self.accepting)


_Place = tuple[int, tuple[int, ...]]  # the element, and how many of each of its choices are still to come


def automaton(elements: Sequence[Element], symbols: Callable[[Choice], Symbols]) -> Automaton:
    """The automaton of a row of elements; ``symbols`` says which symbols a choice takes."""
    inside = [_alternatives(element, symbols) for element in elements]

    def onward(place: _Place) -> list[tuple[Symbols, _Place]]:
        """All steps from a place, those too that skip elements which may be empty."""
        at, left = place
        if at == len(elements):
            return []
        element, (taken, _) = elements[at], inside[at]
        found: list[tuple[Symbols, _Place]] = []
        for number, count in enumerate(left):
            if count:
                found.append((taken[number], (at, (*left[:number], count - 1, *left[number + 1 :]))))
        if isinstance(element, Gap) or (isinstance(element, Block) and element.more):
            found.append((None, place))
        return found + (onward(enter(at + 1)) if not any(left) else [])

    def enter(at: int) -> _Place:
        return (at, inside[at][1]) if at < len(elements) else (at, ())

    def done(place: _Place) -> bool:
        at, left = place
        return at == len(elements) or (not any(left) and done(enter(at + 1)))

    number = {enter(0): 0}
    steps = []
    waiting = [enter(0)]
    while waiting:
        place = waiting.pop()
        for taken, after in onward(place):
            if after not in number:
                number[after] = len(number)
                waiting.append(after)
            steps.append((number[place], taken, number[after]))
    return Automaton(len(number), tuple(steps), frozenset(n for place, n in number.items() if done(place)))


def _alternatives(
    element: Element, symbols: Callable[[Choice], Symbols]
) -> tuple[tuple[Symbols, ...], tuple[int, ...]]:
    """The different choices of an element by what they take, and how many there are of each."""
    taken: Collection[Symbols] = [symbols(choice) for choice in choices_of([element])]
    different = tuple(dict.fromkeys(taken))
    return different, tuple(sum(one == other for other in taken) for one in different)
