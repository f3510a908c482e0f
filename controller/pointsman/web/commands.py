"""What may be asked for on the websocket, by whom, and what is done then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pointsman.box.box import Box
from pointsman.box.rights import Rights
from pointsman.errors import RefusedError, UsageError
from pointsman.messages import HIGHEST_FUNCTION
from pointsman.operate.ahead import Protection
from pointsman.phones.server import Phones
from pointsman.puzzle.choice import wagons_in
from pointsman.track.model import End, Leg
from pointsman.web import languages
from pointsman.web.schemas import LONGEST_CARDS, LONGEST_SEED, Name
from pointsman.web.sessions import Role, Session, Sessions


class Asked(BaseModel):
    """What every message has; the answer has the same ``id``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: Annotated[int, Field(ge=0, le=2**53)] | None = None


class EmergencyStop(Asked):
    """Stop everything at once."""

    do: Literal["emergency-stop"]
    power_off: bool = False


class Deal(Asked):
    """Draw the cards of a puzzle; ``cards`` are the wagons of one certain draw: ``3 5 1``."""

    do: Literal["deal"]
    puzzle: Name
    seed: Annotated[str, Field(max_length=LONGEST_SEED)] | None = None
    level: Annotated[int, Field(ge=1, le=4)] | None = None
    cards: Annotated[str, Field(max_length=LONGEST_CARDS)] | None = None


class Begin(Asked):
    """The layout is set up like the picture."""

    do: Literal["begin"]
    facing: End


class Simple(Asked):
    """What needs no more than to be named."""

    do: Literal["auto", "pause", "go-on", "step", "hint", "take-up"]


class PutRight(Asked):
    """What stands where."""

    do: Literal["put-right"]
    position: Annotated[str, Field(max_length=1000)]


class Demo(Asked):
    """The demo on or off."""

    do: Literal["demo"]
    on: bool


class Answer(Asked):
    """The answer to a question."""

    do: Literal["answer"]
    question: int
    yes: bool


class Drive(Asked):
    """Drive on at a speed: said again every half second. ``towards``: an end of the element that the train was on."""

    do: Literal["drive"]
    towards: End
    speed_mm_s: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]


class Turnout(Asked):
    """Set a turnout."""

    do: Literal["turnout"]
    name: Name
    leg: Leg


class Uncouple(Asked):
    """Uncouple over a magnet."""

    do: Literal["uncouple"]
    name: Name


class Function(Asked):
    """Lights, horn."""

    do: Literal["function"]
    number: Annotated[int, Field(ge=0, le=HIGHEST_FUNCTION)]
    on: bool


class Take(Asked):
    """Hold the throttle; ``steal``: also when another one does."""

    do: Literal["take"]
    steal: bool = False


class Protect(Asked):
    """What a person is kept from."""

    do: Literal["protection"]
    level: Protection


class Throttle(Asked):
    """Brake, or give the throttle back."""

    do: Literal["stop", "release"]


class Accept(Asked):
    """Let a phone drive a locomotive."""

    do: Literal["accept"]
    who: Name
    locomotive: Name


class Dismiss(Asked):
    """Take a driver the locomotive, or do not let a phone drive."""

    do: Literal["dismiss"]
    who: Name


class Language(Asked):
    """The page speaks another language now."""

    do: Literal["language"]
    language: languages.Language


ByHand = Drive | Turnout | Uncouple | Function | Take | Throttle
People = Accept | Dismiss | Language | Protect
Message = EmergencyStop | Deal | Begin | Simple | PutRight | Demo | Answer | People | ByHand
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="do")])

_BY_HAND = ("drive", "turnout", "uncouple", "function", "take")
_LEAST: dict[str, Role] = {
    "hint": Role.DRIVER,
    "answer": Role.DRIVER,
    "language": Role.SPECTATOR,
    **dict.fromkeys(_BY_HAND, Role.DRIVER),
    **dict.fromkeys(("stop", "release"), Role.SPECTATOR),
}
"""Who may ask for it at least; a marshal what is not named. An emergency stop may anyone.

Who has no right to drive any more may still stop, and give back.
"""
_CALMS = ("stop", "release", "pause")


def parse(text: str) -> Message:
    """A message from its JSON. Raises UsageError, which says what is wrong with it."""
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        if first["type"] == "union_tag_invalid":
            raise UsageError("this cannot be done here", cure="reload the page") from None
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"this cannot be asked for: {first['msg']}", where=where, cure="reload the page") from None


class _Meant(BaseModel):
    """What is asked for, whatever else is said."""

    do: Literal["emergency-stop"]


def means_stop(text: str) -> bool:
    """Whether a message that cannot be read otherwise asks for an emergency stop: then everything is stopped."""
    try:
        _Meant.model_validate_json(text)
    except ValidationError:
        return False
    return True


def number_of(text: str) -> int | None:
    """The ``id`` of a message that cannot be read otherwise, so that whoever sent it knows which one was refused."""
    try:
        return Asked.model_validate_json(text, extra="ignore").id
    except ValidationError:
        return None


def may(role: Role, message: Message, asked: Mapping[str, Any] | None) -> bool:
    """Whether somebody with a role may ask for it. ``asked`` is the question that is asked, if there is one.

    Whether a play begins, or is taken up, only a marshal answers; what is to be done by hand, a driver too.
    """
    if isinstance(message, Answer) and asked is not None and asked["id"] == message.question:
        return role >= (Role.DRIVER if asked["kind"] == "by-hand" else Role.MARSHAL)
    return isinstance(message, EmergencyStop) or role >= _LEAST.get(message.do, Role.MARSHAL)


def calms(message: Message) -> bool:
    """Whether less moves by it: that is taken from everybody who may, however much else is asked for."""
    return message.do in _CALMS


@dataclass(slots=True)
class Deeds:
    """Carries out what was asked for. ``phones`` are those that are served; None where none are."""

    box: Box
    sessions: Sessions
    phones: Phones | None = None

    async def do(self, message: Message, session: Session, holder: str) -> None:
        """Do it. Raises PointsmanError when it is refused. ``holder`` is who holds a throttle: a session's page.

        An emergency stop is none of them: it waits for nothing, and is done where it is heard.
        """
        box = self.box
        match message:
            case Drive() | Turnout() | Uncouple() | Function() | Take() | Throttle():
                await self._by_hand(message, session, holder)
            case Protect(level=level):
                await box.hand.protect(session.who, level)
            case Deal(puzzle=puzzle, seed=seed, level=level, cards=cards):
                await box.deal(puzzle, seed=seed, level=level, cards=None if cards is None else wagons_in(cards))
            case Begin(facing=facing):
                await box.begin(facing)
            case PutRight(position=position):
                await box.put_right(position, session.who)
            case Demo(on=on):
                await box.demo(on)
            case Answer(question=question, yes=yes):
                await box.answer(question, yes)
            case Dismiss(who=who):
                if self.phones is not None and who in {one.who for one in self.phones.people}:
                    self.phones.dismiss(who)
                else:
                    self.sessions.dismiss(who)
            case Accept(who=who, locomotive=locomotive):
                if self.phones is None:
                    raise RefusedError(["no phones are served"], cure="start serve with --withrottle")
                self.phones.accept(who, locomotive)
            case Simple(do=what):
                await self._simple(what, holder)()

    async def _by_hand(self, message: ByHand, session: Session, who: str) -> None:
        hand = self.box.hand
        rights = Rights(session.locomotive, marshal=session.role is Role.MARSHAL)
        match message:
            case Drive(towards=towards, speed_mm_s=speed_mm_s):
                hand.drive(who, towards, speed_mm_s)
            case Throttle(do="stop"):
                hand.stop(who)
            case Throttle():
                hand.release(who)
            case Take(steal=steal):
                hand.take(who, steal=steal, whose=session.who, rights=rights)
            case Turnout(name=name, leg=leg):
                await hand.turnout(who, name, leg, rights)
            case Uncouple(name=name):
                await hand.uncouple(who, name, rights)
            case Function(number=number, on=on):
                await hand.function(who, number, on=on)

    def _simple(self, what: str, who: str) -> Callable[[], Awaitable[None]]:
        box = self.box
        deeds: dict[str, Callable[[], Awaitable[None]]] = {
            "auto": lambda: box.auto(who),
            "pause": box.pause,
            "go-on": lambda: box.auto(who),
            "step": lambda: box.step(who),
            "hint": box.hint,
            "take-up": box.take_up,
        }
        return deeds[what]


def refused(number: int | None, refusal: dict[str, Any]) -> dict[str, Any]:
    """The answer to what was refused."""
    return {"type": "refused", "id": number, **{key: refusal[key] for key in ("why", "cure", "kind", "name")}}
