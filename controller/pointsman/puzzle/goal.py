"""What a puzzle asks for, and its one-line notation.

A goal is one or more terms, parted by ``|``; every term must hold, and whatever no term speaks of is free::

    s1: 1 2 3 4 5                        s1 holds exactly these, in this order from its `from` end
    s1: 1 2 3 4 5 | s2: {6 7 8}          and s2 holds exactly those, in any order
    s1: 1 2 3 4 5 | s2+s3: {6 7 8}       s2 and s3 together hold those, in any arrangement
    s1: 1 2 3 4 5 | head:                and no wagon stands in head
    UL: ? ? 3                            three wagons, the third of them 3: a place of its own (`?` is any wagon)
    UL: ? 3 ..                           the second wagon is 3, and any number may follow (`..`, none too)
    LL: .. 3 ..                          3 stands somewhere in LL, others may too
    LL: {3 4 ..}                         3 and 4 do, in any order
    s1: @open @van ..                    by kind: an open wagon, then a van, then anything
    s1: .. @brake                        a brake van last
    s1: @tender {@coach @cattle @goods} @caboose !cattle/coach
                                         in braces in any order; no cattle wagon next to a coach
    L+: 1 2 3                            the train of L is exactly this, 1 next to L

A goal looks at wagons only: a locomotive may be anywhere, in a named segment too, unless the term names it (or its
kind); then the term's segment is compared with its locomotive. ``L+`` holds when L and its whole train stand in one
segment, whichever it is, with nothing on the locomotive's other side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pointsman.errors import NotationError
from pointsman.puzzle.pattern import Automaton, Block, Choice, Element, Gap, Symbols, automaton, choices_of
from pointsman.puzzle.position import Position
from pointsman.track.model import Track

_FORMS = (
    "write a goal like 's1: 1 2 3' (in order), 's2: {4 5}' (any order), 's2+s3: {4 5}', 's1: .. 3 ..' or 'L+: 1 2', "
    "parted by '|'"
)
_TOKEN = re.compile(r"\.\.|[{}?]|!\S+|@[A-Za-z0-9_-]+|[A-Za-z0-9_-]+|\S")
LOCOMOTIVE = 255
"""The symbol of the locomotive: no kind of wagon has it."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Two kinds that may not stand next to each other: ``!cattle/coach``."""

    kinds: tuple[str, str]
    one: frozenset[str]
    other: frozenset[str]

    def __str__(self) -> str:
        return f"!{self.kinds[0]}/{self.kinds[1]}"


@dataclass(frozen=True, slots=True)
class Term:
    """What stands in a segment from its `from` end, or in several, or in the train of a locomotive.

    ``train`` is the locomotive of a term about its train, which has no segments. A term over several segments is one
    block, in any order.
    """

    segments: tuple[str, ...]
    elements: tuple[Element, ...]
    apart: tuple[Apart, ...] = ()
    train: str | None = None

    @property
    def vehicles(self) -> tuple[str, ...]:
        """Every vehicle it names, as written."""
        return tuple(choice.name for choice in choices_of(self.elements) if choice.name is not None)

    def names(self, locomotive: str) -> bool:
        """Whether a vehicle is one of those that it speaks of, by name or by kind."""
        return any(choice.of is not None and locomotive in choice.of for choice in choices_of(self.elements))

    def row(self, position: Position, locomotives: Collection[str]) -> tuple[str, ...] | None:
        """The vehicles it is about, in its order; None when its locomotive's train does not stand in one segment."""
        if self.train is not None:
            return _beside(position, self.train)
        found = [vehicle for segment in self.segments for vehicle in position.in_segment(segment)]
        return tuple(v for v in found if v not in locomotives or self.names(v))

    def automaton(self, symbols: Callable[[Choice], Symbols]) -> Automaton:
        """How a row is read."""
        return automaton(self.elements, symbols)

    def reached(self, position: Position, locomotives: Collection[str]) -> bool:
        """Whether the term holds in a position; ``locomotives`` are overlooked unless the term names one."""
        row = self.row(position, locomotives)
        if row is None or any(
            (a in apart.one and b in apart.other) or (a in apart.other and b in apart.one)
            for a, b in pairwise(row)
            for apart in self.apart
        ):
            return False
        symbol = {vehicle: number for number, vehicle in enumerate(position.vehicles)}
        if not any(choice.text.startswith("@") for choice in choices_of(self.elements)):
            for place, element in enumerate(self.elements):  # one symbol for all of a block: far fewer states
                if isinstance(element, Block) and element.names_only:
                    symbol |= {choice.text: -1 - place for choice in element.choices}
        wagons = frozenset(symbol[vehicle] for vehicle in position.vehicles if vehicle not in locomotives)

        def symbols(choice: Choice) -> Symbols:
            return wagons if choice.of is None else frozenset(symbol[v] for v in choice.of if v in symbol)

        return self.automaton(symbols).accepts([symbol[vehicle] for vehicle in row])

    def renamed(self, names: Mapping[str, str]) -> Term:
        """The same with vehicles renamed; a block keeps no order, so it is sorted as before the renaming."""

        def choice(old: Choice) -> Choice:
            new = old.name and names.get(old.name, old.name)
            return Choice(new, frozenset((new,))) if new else old

        def element(old: Element) -> Element:
            if isinstance(old, Block):
                return Block(_in_order([choice(one) for one in old.choices]), old.more)
            return choice(old) if isinstance(old, Choice) else old

        return replace(self, elements=tuple(element(old) for old in self.elements))

    def __str__(self) -> str:
        head = "+".join(self.segments) if self.train is None else f"{self.train}+"
        return f"{head}: {' '.join(map(str, (*self.elements, *self.apart)))}".rstrip()


@dataclass(frozen=True, slots=True)
class Goal:
    """All terms must hold. Terms stand in the track's order, so equal goals are equal."""

    terms: tuple[Term, ...]

    @property
    def vehicles(self) -> tuple[str, ...]:
        """Every vehicle named, term by term."""
        return tuple(vehicle for term in self.terms for vehicle in term.vehicles)

    @property
    def trains(self) -> tuple[str, ...]:
        """The locomotives whose trains it asks for."""
        return tuple(term.train for term in self.terms if term.train is not None)

    def reached(self, position: Position, locomotives: Collection[str]) -> bool:
        """Whether the goal is reached in a position."""
        return all(term.reached(position, locomotives) for term in self.terms)

    def kinds(self, wagons: Collection[str]) -> dict[str, int]:
        """Which wagons are alike for this goal: wagon -> kind, numbered from 0.

        A wagon with a place of its own is a kind of its own, those of one block of names are alike, and so are all
        that the goal does not tell apart. Two goals that differ only by the names of wagons give the same kinds place
        by place, so they share one table of distances.
        """
        places: dict[str, list[object]] = {wagon: [] for wagon in wagons}
        for number, (choice, block) in enumerate(self._choices()):
            for wagon in (choice.of or ()) if choice.of is not None else ():
                if wagon in places and choice.name is not None:
                    places[wagon].append(block if block is not None else (number,))
                elif wagon in places:
                    places[wagon].append(choice.text)
        for term in self.terms:
            for apart in term.apart:
                for kind, those in zip(apart.kinds, (apart.one, apart.other), strict=True):
                    for wagon in those:
                        if wagon in places:
                            places[wagon].append(f"@{kind}")
        named = [vehicle for vehicle in self.vehicles if vehicle in places]
        # Those not named in an order of their own, whatever order they come in; the ones alike for every term last.
        others = sorted(
            (wagon for wagon in wagons if wagon not in named),
            key=lambda wagon: (not places[wagon], sorted(map(str, places[wagon]))),
        )
        found: dict[str, int] = {}
        number_of: dict[frozenset[object], int] = {}
        for wagon in (*named, *others):
            found[wagon] = number_of.setdefault(frozenset(places[wagon]), len(number_of))
        return found

    def pattern(self, kinds: Mapping[str, int]) -> list[object]:
        """The goal with kinds in the place of wagons: two goals with the same pattern have the same table."""

        def those(vehicles: frozenset[str]) -> list[str]:
            return sorted({str(kinds.get(vehicle, "L")) for vehicle in vehicles})

        def one(choice: Choice) -> object:
            return "?" if choice.of is None else those(choice.of)

        def element(of: Element) -> object:
            if isinstance(of, Block):
                return [sorted(map(str, map(one, of.choices))), of.more]
            return one(of) if isinstance(of, Choice) else ".."

        return [
            [
                term.segments,
                term.train,
                [element(of) for of in term.elements],
                [[those(apart.one), those(apart.other)] for apart in term.apart],
            ]
            for term in self.terms
        ]

    def renamed(self, names: Mapping[str, str]) -> Goal:
        """The same goal with vehicles renamed; kinds stay."""
        return Goal(tuple(term.renamed(names) for term in self.terms))

    def _choices(self) -> Iterator[tuple[Choice, tuple[int, int] | None]]:
        """Every choice, with the block in which it may stand for others."""
        for number, term in enumerate(self.terms):
            for place, element in enumerate(term.elements):
                block = (number, place) if isinstance(element, Block) and element.names_only else None
                yield from ((choice, block) for choice in choices_of([element]))

    def __str__(self) -> str:
        return " | ".join(str(term) for term in self.terms)


def parse_goal(text: str, track: Track, vehicles: Collection[str] | None = None) -> Goal:
    """Read the one-line notation; ``vehicles``, when given, are those of the puzzle.

    Raises NotationError, which names the part: unknown or repeated segments, vehicles and kinds, more than fits.
    """
    known = (*track.locomotives, *track.wagons) if vehicles is None else tuple(vehicles)
    terms: list[Term] = []
    places: set[str] = set()
    seen: set[str] = set()
    for number, part in enumerate(text.split("|"), start=1):
        where = f"goal, part {number} ({part.strip()!r})"
        head, colon, body = part.partition(":")
        names = tuple(name.strip() for name in head.split("+"))
        if not colon or not names[0] or ":" in body or ("" in names and (len(names) != 2 or names[1])):
            raise NotationError("not of the form 'segment: vehicles'", where=where, cure=_FORMS)
        train = names[0] if "" in names else None
        elements, apart = _read_body(body, track, known, where)
        segments = () if train else names
        _check_head(segments, train, track, known, places, where)
        if len(segments) > 1 and not (len(elements) == 1 and isinstance(elements[0], Block)):
            raise NotationError("several segments have no one order", where=where, cure="put the vehicles in braces")
        order = tuple(segment for segment in track.segments if segment in segments)
        term = Term(order, elements, apart, train)
        _check_vehicles(term, track, known, seen, where)
        terms.append(term)
    rank = {segment: place for place, segment in enumerate(track.segments)}
    return Goal(tuple(sorted(terms, key=lambda term: rank[term.segments[0]] if term.segments else len(rank))))


def _read_body(
    body: str, track: Track, known: Sequence[str], where: str
) -> tuple[tuple[Element, ...], tuple[Apart, ...]]:
    elements: list[Element] = []
    apart: list[Apart] = []
    inside: list[Choice] | None = None  # of the braces being read
    more = False
    for token in _TOKEN.findall(body):
        if apart and token[0] != "!":
            raise NotationError("what may not stand together comes last", where=where, cure=_FORMS)
        if token == "{" and inside is None:
            inside, more = [], False
        elif token == "}" and inside is not None:
            elements.append(Block(_in_order(inside), more))
            inside = None
        elif token == "..":
            more = True
            if inside is None:
                elements.append(Gap())
        elif token[0] == "!" and inside is None:
            apart.append(_read_apart(token, track, known, where))
        elif token == "?" or token[0] == "@" or re.fullmatch(r"[A-Za-z0-9_-]+", token):
            choice = _read_choice(token, track, known, where)
            if inside is None:
                elements.append(choice)
            else:
                inside.append(choice)
        else:
            raise NotationError(f"not of the form 'segment: vehicles': {token!r}", where=where, cure=_FORMS)
    blocks = [element for element in elements if isinstance(element, Block)]
    if inside is not None or (len(elements) > 1 and any(block.more for block in blocks)):
        what = "not of the form 'segment: vehicles': braces not closed, or '..' in braces that are not all"
        raise NotationError(what, where=where, cure=_FORMS)
    return tuple(elements), tuple(apart)


def _read_choice(token: str, track: Track, known: Sequence[str], where: str) -> Choice:
    if token == "?":
        return Choice(token, None)
    if token[0] == "@":
        return Choice(token, _of_kind(token[1:], track, known, where))
    if token not in known:
        cure = f"vehicles of this puzzle: {' '.join(known)}"
        raise NotationError(f"there is no vehicle {token!r}", where=where, cure=cure)
    return Choice(token, frozenset((token,)))


def _read_apart(token: str, track: Track, known: Sequence[str], where: str) -> Apart:
    one, slash, other = token[1:].partition("/")
    if not slash or not one or not other:
        raise NotationError(f"{token!r} names no two kinds", where=where, cure="write it like '!cattle/coach'")
    return Apart((one, other), _of_kind(one, track, known, where), _of_kind(other, track, known, where))


def _of_kind(kind: str, track: Track, known: Sequence[str], where: str) -> frozenset[str]:
    found = frozenset(name for name in known if track.vehicle(name).kind == kind)
    if not found:
        kinds = sorted({track.vehicle(name).kind for name in known})
        raise NotationError(
            f"there is no vehicle of kind {kind!r}", where=where, cure=f"kinds in this puzzle: {' '.join(kinds)}"
        )
    return found


def _check_head(
    segments: Sequence[str], train: str | None, track: Track, known: Sequence[str], places: set[str], where: str
) -> None:
    if train is not None and (train not in track.locomotives or train not in known):
        cure = f"a train is named by its locomotive: {' '.join(f'{name}+' for name in track.locomotives)}"
        raise NotationError(f"there is no locomotive {train!r}", where=where, cure=cure)
    for segment in segments if train is None else (f"{train}+",):
        if train is None and segment not in track.segments:
            cure = f"segments of this track: {' '.join(track.segments)}"
            raise NotationError(f"there is no segment {segment!r}", where=where, cure=cure)
        if segment in places:
            raise NotationError(f"segment {segment} is given twice", where=where, cure="name each segment once")
        places.add(segment)


def _check_vehicles(term: Term, track: Track, known: Sequence[str], seen: set[str], where: str) -> None:
    for vehicle in term.vehicles:
        if vehicle in seen:
            raise NotationError(f"vehicle {vehicle} is given twice", where=where, cure="name each vehicle once")
        seen.add(vehicle)
    if term.train is not None and term.train in term.vehicles:
        cure = f"write '{term.train}+: ...' with its wagons only"
        raise NotationError(f"{term.train} is in its own train", where=where, cure=cure)
    choices = choices_of(term.elements)
    if term.train is None:
        room = sum(track.segments[segment].capacity for segment in term.segments)
        place = "+".join(term.segments)
    else:
        room = max(segment.capacity for segment in track.segments.values()) - 1
        place = "any segment beside its locomotive"
    if len(choices) > room:
        what = f"{len(choices)} vehicles in {place}, which holds {room}"
        raise NotationError(what, where=where, cure="ask for fewer vehicles there")
    for choice in choices:
        wanted = sum(one.of is not None and choice.of is not None and one.of <= choice.of for one in choices)
        if choice.of is not None and wanted > len(choice.of):
            what = f"{wanted} vehicles of {choice}, and there are {len(choice.of)}"
            raise NotationError(what, where=where, cure=f"vehicles of this puzzle: {' '.join(known)}")


def _in_order(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """A block is kept sorted: names first (short ones first, so that 10 comes after 9), then kinds, then any."""
    return tuple(
        sorted(choices, key=lambda choice: (choice.name is None, choice.text == "?", len(choice.text), choice.text))
    )


def _beside(position: Position, locomotive: str) -> tuple[str, ...] | None:
    """The wagons on the one side of a locomotive, the nearest first; None when it has some on both, or on a turnout."""
    if position.turnouts or locomotive not in position.vehicles:
        return None
    inside = position.in_segment(position.where(locomotive)[0])
    at = inside.index(locomotive)
    before, after = inside[:at][::-1], inside[at + 1 :]
    return None if before and after else before or after
