"""Names, codes and limits of the node protocol: written by firmware/generate.py out of protocol.toml."""

from __future__ import annotations

from enum import StrEnum

VERSION = 1
BAUD = 115200
LONGEST = 60
STOP_BYTE = 24
LAST_NUMBER = 9999
LAST_COUNT = 99
ALIVE_MS = 500
FIRST_MOVE_MS = 500
LEAST_RESTS = 4
CUT_MS = 250
WATCHDOG_MS = 250
TRIP_MS = 50


class Verb(StrEnum):
    """What a host may tell a node."""

    HELLO = "hello"
    STATE = "state"
    BEAT = "beat"
    ARM = "arm"
    OFF = "off"
    TURNOUT = "turnout"
    MAGNET = "magnet"
    DRIVE = "drive"
    GET = "get"
    SET = "set"
    STORE = "store"
    DEFAULTS = "defaults"
    TRIP = "trip"


class Event(StrEnum):
    """What a node tells by itself."""

    HELLO = "hello"
    TURNOUT = "turnout"
    BEAM = "beam"
    MAGNET = "magnet"
    DRIVE = "drive"
    LATCH = "latch"
    SETTINGS = "settings"
    ALIVE = "alive"
    END = "end"


class Setting(StrEnum):
    """What can be set at a node."""

    HEARTBEAT_MS = "heartbeat_ms"
    MAGNET_MS = "magnet_ms"
    MAGNET_REST_MS = "magnet_rest_ms"
    SOLENOID_MS = "solenoid_ms"
    SOLENOID_REST_MS = "solenoid_rest_ms"
    SERVO_MS_PER_100_US = "servo_ms_per_100_us"
    SERVO_HOLD_MS = "servo_hold_ms"
    BEAM_ON_MS = "beam_on_ms"
    BEAM_OFF_MS = "beam_off_ms"
    DC_LOWEST = "dc_lowest"
    DC_STEPS_PER_100_MS = "dc_steps_per_100_ms"
    WATCHDOG = "watchdog"
    CLOSED_US = "closed_us"
    THROWN_US = "thrown_us"
    MACHINE = "machine"
    BEAM_INVERTED = "beam_inverted"


class Refusal(StrEnum):
    """Why a node does not carry out a command."""

    CRC = "crc"
    LONG = "long"
    FORM = "form"
    VERB = "verb"
    NUMBER = "number"
    RANGE = "range"
    ABSENT = "absent"
    LATCHED = "latched"
    MOVING = "moving"
    RESTING = "resting"
    UNWATCHED = "unwatched"
    VERSION = "version"
    DUTY = "duty"
    MEMORY = "memory"


class Latch(StrEnum):
    """Why a node keeps everything stopped."""

    NONE = "none"
    BOOT = "boot"
    HEARTBEAT = "heartbeat"
    STOP = "stop"
    HOST = "host"
    HANG = "hang"
    VERSION = "version"


class Reset(StrEnum):
    """Why a node has started."""

    POWER = "power"
    BUTTON = "button"
    BROWNOUT = "brownout"
    WATCHDOG = "watchdog"
    UNKNOWN = "unknown"


class Board(StrEnum):
    """What board a node is."""

    UNO = "uno"
    MEGA = "mega"


class Lie(StrEnum):
    """How points lie, as far as a node knows."""

    CLOSED = "closed"
    THROWN = "thrown"
    MOVING = "moving"
    UNKNOWN = "unknown"


class Machine(StrEnum):
    """What moves the points of a turnout."""

    NONE = "none"
    SERVO = "servo"
    SOLENOID = "solenoid"


class SettingsState(StrEnum):
    """Where a node's settings come from."""

    STORED = "stored"
    DEFAULTS = "defaults"


REFUSALS: dict[Refusal, str] = {
    Refusal.CRC: "the line came garbled",
    Refusal.LONG: "the line is too long",
    Refusal.FORM: "it is not a command",
    Refusal.VERB: "this node does not know the command",
    Refusal.NUMBER: "another command had this number",
    Refusal.RANGE: "a number is out of range",
    Refusal.ABSENT: "nothing is fitted there",
    Refusal.LATCHED: "everything is stopped until somebody arms the node",
    Refusal.MOVING: "something moves, or may",
    Refusal.RESTING: "the coil must rest first",
    Refusal.UNWATCHED: "no heartbeat has come yet",
    Refusal.VERSION: "no hello of this node's version has come since it started",
    Refusal.DUTY: "a coil would rest too little for the length of its pulses",
    Refusal.MEMORY: "the settings could not be stored",
}
"""What each refusal means, for a person."""


LATCHES: dict[Latch, str] = {
    Latch.NONE: "it is armed",
    Latch.BOOT: "it has started",
    Latch.HEARTBEAT: "no heartbeat came",
    Latch.STOP: "it was told to stop",
    Latch.HOST: "its power was switched off",
    Latch.HANG: "its program hung for a while",
    Latch.VERSION: "a host with another version of the protocol spoke to it",
}
"""What each latch means, for a person."""


RESETS: dict[Reset, str] = {
    Reset.POWER: "the supply came on",
    Reset.BUTTON: "the reset button, or the port was opened",
    Reset.BROWNOUT: "the supply sagged",
    Reset.WATCHDOG: "the program hung",
    Reset.UNKNOWN: "nobody knows why",
}
"""What each reset means, for a person."""


BOARDS: dict[Board, str] = {
    Board.UNO: "Arduino Uno or Nano",
    Board.MEGA: "Arduino Mega 2560",
}
"""What each board means, for a person."""


LIES: dict[Lie, str] = {
    Lie.CLOSED: "closed",
    Lie.THROWN: "thrown",
    Lie.MOVING: "they are on their way",
    Lie.UNKNOWN: "nobody has set them yet",
}
"""What each lie means, for a person."""


MACHINES: dict[Machine, str] = {
    Machine.NONE: "nothing is fitted",
    Machine.SERVO: "a servo",
    Machine.SOLENOID: "a solenoid with two coils",
}
"""What each machine means, for a person."""


SETTINGS_STATES: dict[SettingsState, str] = {
    SettingsState.STORED: "as they were stored",
    SettingsState.DEFAULTS: "the stored ones could not be read: safe defaults",
}
"""What each settingsstate means, for a person."""

VERB_VALUES: dict[Verb, tuple[str, ...]] = {
    Verb.HELLO: ("version",),
    Verb.STATE: (),
    Verb.BEAT: (),
    Verb.ARM: (),
    Verb.OFF: (),
    Verb.TURNOUT: ("turnout", "leg"),
    Verb.MAGNET: ("magnet", "on_ms"),
    Verb.DRIVE: ("direction", "step"),
    Verb.GET: ("setting", "of"),
    Verb.SET: ("setting", "of", "value"),
    Verb.STORE: (),
    Verb.DEFAULTS: (),
    Verb.TRIP: (),
}
"""What each verb carries, in order."""

ANSWER_VALUES: dict[Verb, tuple[str, ...]] = {
    Verb.HELLO: ("version", "firmware", "board", "reset", "turnouts", "beams", "magnets", "dc", "relay"),
    Verb.BEAT: ("latch",),
    Verb.GET: ("value",),
}
"""What the answer to each verb carries, in order."""

REFUSAL_VALUES: dict[Refusal, tuple[str, ...]] = {
    Refusal.VERSION: ("version",),
}
"""What each refusal carries, in order."""

EVENT_VALUES: dict[Event, tuple[str, ...]] = {
    Event.HELLO: ("version", "firmware", "board", "reset", "turnouts", "beams", "magnets", "dc", "relay"),
    Event.TURNOUT: ("turnout", "lie"),
    Event.BEAM: ("beam", "broken"),
    Event.MAGNET: ("magnet", "on"),
    Event.DRIVE: ("direction", "step"),
    Event.LATCH: ("latch",),
    Event.SETTINGS: ("settings",),
    Event.ALIVE: ("latch",),
    Event.END: (),
}
"""What each event carries, in order."""

LIMITS: dict[str, tuple[int, int]] = {
    "version": (1, 255),
    "turnout": (1, 8),
    "leg": (0, 1),
    "magnet": (1, 16),
    "on_ms": (0, 2000),
    "direction": (0, 1),
    "step": (0, 126),
    "setting": (0, 15),
    "of": (0, 16),
    "value": (0, 30000),
}
"""Lowest and highest of each argument of a verb."""

SETTINGS: dict[Setting, tuple[int, int, int, int, str]] = {
    Setting.HEARTBEAT_MS: (0, 300, 3000, 1000, "node"),
    Setting.MAGNET_MS: (1, 20, 2000, 500, "node"),
    Setting.MAGNET_REST_MS: (2, 500, 10000, 2000, "node"),
    Setting.SOLENOID_MS: (3, 10, 250, 60, "node"),
    Setting.SOLENOID_REST_MS: (4, 200, 5000, 500, "node"),
    Setting.SERVO_MS_PER_100_US: (5, 20, 1000, 100, "node"),
    Setting.SERVO_HOLD_MS: (6, 0, 5000, 500, "node"),
    Setting.BEAM_ON_MS: (7, 0, 50, 5, "node"),
    Setting.BEAM_OFF_MS: (8, 0, 100, 15, "node"),
    Setting.DC_LOWEST: (9, 0, 200, 40, "node"),
    Setting.DC_STEPS_PER_100_MS: (10, 1, 126, 20, "node"),
    Setting.WATCHDOG: (11, 0, 1, 0, "node"),
    Setting.CLOSED_US: (12, 500, 2500, 1500, "turnout"),
    Setting.THROWN_US: (13, 500, 2500, 1500, "turnout"),
    Setting.MACHINE: (14, 0, 2, 0, "turnout"),
    Setting.BEAM_INVERTED: (15, 0, 1, 0, "beam"),
}
"""Number, lowest, highest, default, and of what: the node, each turnout, each beam."""

NAMED_SETTINGS: dict[Setting, type[StrEnum]] = {
    Setting.MACHINE: Machine,
}
"""Settings whose numbers stand for names, from 0 on in their order."""

DUTY: dict[Setting, Setting] = {
    Setting.MAGNET_MS: Setting.MAGNET_REST_MS,
    Setting.SOLENOID_MS: Setting.SOLENOID_REST_MS,
}
"""How long a coil is on at most, and how long it then rests: ``LEAST_RESTS`` times as long at least."""
