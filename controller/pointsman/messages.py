"""The waist between the two towers: Commands go down to a driver, Events come up from it.

Names are the layout's own (turnout ``T1``, beam ``head``, locomotive ``L``); addresses are the driver's
business. Times are seconds of the one clock (the event loop's), as ``t_s``. A command is a wish: only Events
confirm anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# ---------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
class SetTurnout:
    """Move a turnout to its closed or thrown leg."""

    turnout: str
    thrown: bool


@dataclass(frozen=True, slots=True)
class Drive:
    """Run a locomotive at a speed step (1..126, the DCC scale) in its *decoder's* direction."""

    locomotive: str
    forward: bool
    step: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Brake a locomotive to a stand (speed 0), keeping the direction."""

    locomotive: str
    forward: bool


@dataclass(frozen=True, slots=True)
class SetUncoupler:
    """Switch an uncoupling magnet."""

    uncoupler: str
    on: bool


HIGHEST_FUNCTION = 28
"""Functions of a decoder are F0 to F28."""


@dataclass(frozen=True, slots=True)
class SetFunction:
    """Switch a function of a locomotive's decoder: 0 the lights, 2 the horn. It moves nothing, and is never waited for.

    A direct current has none: there it is refused.
    """

    locomotive: str
    function: int
    on: bool


@dataclass(frozen=True, slots=True)
class SetPower:
    """Switch the power of the main track."""

    on: bool


@dataclass(frozen=True, slots=True)
class EmergencyStop:
    """Stop every locomotive at once. Jumps every queue."""


Command = SetTurnout | Drive | Stop | SetUncoupler | SetFunction | SetPower | EmergencyStop

# ---------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class SensorChanged:
    """A beam was broken (``active``) or became free."""

    t_s: float
    sensor: str
    active: bool


@dataclass(frozen=True, slots=True)
class TurnoutReported:
    """The station says which way it *commanded* a turnout; never proof that the points are over."""

    t_s: float
    turnout: str
    thrown: bool


@dataclass(frozen=True, slots=True)
class LocomotiveReported:
    """The station says what it sends to a locomotive: step 0..126, decoder direction, or an emergency stop."""

    t_s: float
    locomotive: str
    forward: bool
    step: int
    emergency: bool = False


@dataclass(frozen=True, slots=True)
class UncouplerReported:
    """The station says how it switched an uncoupler."""

    t_s: float
    uncoupler: str
    on: bool


@dataclass(frozen=True, slots=True)
class PowerReported:
    """The power of the main track; of several stations that feed it: all are on, or all are off."""

    t_s: float
    on: bool


@dataclass(frozen=True, slots=True)
class PowerDivided:
    """Of several stations that feed the track some are on, some are not: it must be taken for live."""

    t_s: float
    what: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """There is the evidence of command ``number`` that its driver waits for: all that a station's protocol can give.

    DCC-EX: the station says how the machine is set now, it fits (``drivers.dccex.proof``), and the fence behind that
    came back. JMRI: it has answered the command, and tells of a locomotive what it sends to it. MQTT: the broker has
    passed the command on, and where nodes report, the node has reported (docs/adr/0004). Arduino node: it has answered
    yes, and of points it has said that they are over. Only these reports come from the machine itself; the others say
    nothing of points being over, and none says that a train has moved.
    """

    t_s: float
    number: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """Command ``number`` will not be accepted any more, and ``why``; whether it was carried out is not known from this.

    Perhaps it was never sent: everything was stopped and is not released, the link is not up or is being closed, or a
    stop or another command overtook it. Or it was sent, and the station refused it, does not say what it should, or was
    lost before it answered.
    """

    t_s: float
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class ForeignControl:
    """The station reports a value that we did not send: another throttle, or its own automation, acts."""

    t_s: float
    what: str


@dataclass(frozen=True, slots=True)
class StationRestarted:
    """A greeting out of the blue: power off, locomotives forgotten, turnouts uncertain."""

    t_s: float
    greeting: str


@dataclass(frozen=True, slots=True)
class StationStopped:
    """The station has stopped everything by itself and keeps it stopped, and ``why``: its heartbeat, say."""

    t_s: float
    why: str


@dataclass(frozen=True, slots=True)
class OverCurrent:
    """The station cut, or is about to cut, the power because of a short circuit."""

    t_s: float
    what: str


class LinkState(StrEnum):
    """How a link to a station is."""

    CLOSED = "closed"
    OPENING = "opening"
    BOOTING = "booting"
    """The station is heard to start, or its minute for that is not over."""
    UP = "up"
    DOUBTFUL = "doubtful"
    """An answer is late."""
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The link to a station is in another state now, and why."""

    t_s: float
    station: str
    state: LinkState
    why: str


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The link is open and the station answers; ``station`` is its greeting."""

    t_s: float
    station: str


@dataclass(frozen=True, slots=True)
class LinkLost:
    """The link is gone or silent."""

    t_s: float
    why: str


@dataclass(frozen=True, slots=True)
class StationNote:
    """Text for a person: display lines, comments, anything the driver does not act on."""

    t_s: float
    text: str


Event = (
    SensorChanged
    | TurnoutReported
    | LocomotiveReported
    | UncouplerReported
    | PowerReported
    | PowerDivided
    | Accepted
    | Rejected
    | ForeignControl
    | StationRestarted
    | StationStopped
    | OverCurrent
    | LinkChanged
    | LinkUp
    | LinkLost
    | StationNote
)
