"""Whether a station has done what a unit asked: what it says of the machines, before the unit's fence.

A fence proves only that what arrived was executed. There is no checksum: a lost digit makes another command of one
(``<t 3 50 1>``, ``<t 3 5 1>``), and older stations pass over in silence what they cannot do. So what a machine was set
to is asked behind each command, and compared.
"""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.dccex.window import Effect, Kind, Target, Unit
from pointsman.protocols.dccex import Reply
from pointsman.protocols.dccex.replies import (
    Done,
    LocomotiveState,
    OutputState,
    TurnoutDefinition,
    TurnoutState,
)


def why_not(unit: Unit, addresses: Addresses, main_power: bool | None) -> str:
    """Why it is not proved that the station did what the unit asked; empty when it is.

    ``main_power`` as it was last reported. An emergency stop has its own proof, by asking afterwards. A turnout that
    the station says lies otherwise is reported so, and whoever asked sets it again: that moves no train.
    """
    if unit.rejected:
        return _rejection(unit, addresses)
    if unit.halt:
        return ""
    for effect in unit.effects:
        why = _why_not(effect, unit, addresses, main_power)
        if why:
            return why
    return ""


def _rejection(unit: Unit, addresses: Addresses) -> str:
    if unit.cab and _unknown(_locomotive(unit.replies, unit.cab)):
        return _table_full(addresses.locomotives[unit.cab])
    if Done() in unit.replies:
        return (
            "the station took it for another command (<O>): bytes were lost on the way, and something was defined or "
            "deleted there; restart the station"
        )
    return "the station rejected it (<X>)"


def _why_not(effect: Effect, unit: Unit, addresses: Addresses, main_power: bool | None) -> str:
    match effect.kind, effect.value:
        case Kind.CAB, Target() as target if unit.cab == effect.number:
            return _speed_differs(addresses.locomotives[unit.cab], target, unit)
        case Kind.TURNOUT, bool() as value:
            turnout = addresses.turnouts[effect.number]
            says = [
                reply.thrown
                for reply in unit.replies
                if isinstance(reply, TurnoutState | TurnoutDefinition) and reply.turnout == effect.number
            ]
            return "" if says else _silent(f"turnout {turnout.name}", _leg(turnout.ours(value)))
        case Kind.MAGNET, bool() as value:
            magnet = addresses.magnets[effect.number]
            says = [
                reply.on for reply in unit.replies if isinstance(reply, OutputState) and reply.output == effect.number
            ]
            if says and says[-1] is not value:
                has, wanted = _way(magnet.ours(says[-1])), _way(magnet.ours(value))
                return f"lost digits: magnet {magnet.name} was to be {wanted}, the station says {has}"
            return "" if says else _silent(f"magnet {magnet.name}", _way(magnet.ours(value)))
        case Kind.POWER, bool() as value if main_power is (not value):
            return f"the power was to be {_way(value)}, and the station says it is {_way(main_power)}"
    return ""


def _speed_differs(name: str, target: Target, unit: Unit) -> str:
    state = _locomotive(unit.replies, unit.cab)
    if target.stands and (_unknown(state) or (state is not None and state.speed <= 0)):
        return ""
    others = sorted({r.cab for r in unit.replies if isinstance(r, LocomotiveState) and r.cab not in (unit.cab, 0)})
    instead = f"; cab {others[0]} was set instead" if others else ""
    if state is None:
        return f"the station did not say what locomotive {name} is set to: bytes were lost on the way{instead}"
    if _unknown(state):
        return _table_full(name) + instead
    says = Target(state.speed, state.forward)
    if says == target or (target.stands and state.speed <= 0):
        return ""
    return lost_digits(name, target, says) + instead


def lost_digits(name: str, target: Target, says: Target) -> str:
    """The station's answer to a command differs from the command."""
    return f"lost digits, or a lost command: locomotive {name} was to have {target}, the station says {says}"


def _table_full(name: str) -> str:
    return f"the station does not take locomotive {name}: its table of locomotives is full"


def _locomotive(replies: Iterable[Reply], cab: int) -> LocomotiveState | None:
    """The last thing said of a locomotive; a defect of 5.7 calls each one that it does not know cab 0."""
    states = [reply for reply in replies if isinstance(reply, LocomotiveState)]
    ours = [state for state in states if state.cab == cab or (state.cab == 0 and state.register < 0)]
    return ours[-1] if ours else None


def _unknown(state: LocomotiveState | None) -> bool:
    return state is not None and state.register < 0


def _silent(what: str, wanted: str) -> str:
    return f"the station did not say that {what} is {wanted}: bytes were lost on the way, or it was deleted there"


def _leg(thrown: bool) -> str:
    return "thrown" if thrown else "closed"


def _way(on: bool | None) -> str:
    return "on" if on else "off"
