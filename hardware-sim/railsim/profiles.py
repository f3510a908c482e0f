"""In what the versions of a DCC-EX station's firmware differ, as data.

Source: the firmware CommandStation-EX 4.1.6, 5.0.9, 5.4.22, 5.6.0 and the development branch at 5.7.5, for a Mega with
the standard motor shield. What was recorded from a running station is 5.6.0 alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from types import MappingProxyType

from pointsman.errors import UsageError
from railsim.definitions import To


class Displays(Enum):
    """How a station passes on what its display shows."""

    COMMENTS = auto()
    """``<* LCD0:text *>``, to USB."""
    USB = auto()
    """``<@ 0 0 "text">``, to USB."""
    ALL = auto()
    """The same, to every port."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One version's behaviour; the answers are those of the command named."""

    version: str
    build: str
    buffer: int
    """Bytes of the command buffer of each port."""
    old_reader: bool
    """A ``<`` restarts, a stray ``>`` repeats, the surplus of an overlong command is dropped."""
    slots: int
    slot_in_reports: bool
    """``<l cab reg ...>``: reg is the slot; else 0."""
    status_power_first: bool
    """``<s>``: the power before the greeting, and the outputs after the turnouts."""
    power_by_track: bool
    """A power line for each track, then a summary; else one line."""
    power_always_told: bool
    """Also when nothing has changed."""
    power_by_letter: bool
    """``<1 A>``."""
    track_manager: bool
    """``<=>``, ``<JI>`` and ``<JG>``, and comments that name the track by its letter."""
    main_current_twice: bool
    """``<c>`` is answered by ``<a n>`` too."""
    turnout_lists: bool
    """``<JT>`` and ``<JT id>``."""
    turnout_always_told: bool
    """``<H id n>`` also when it lies so already."""
    unknown_turnout_refused: bool
    """``<T 99 1>``."""
    no_turnouts_refused: bool
    """``<T>`` when there is none."""
    no_sensors_refused: bool
    """``<S>`` when there is none."""
    definitions_confirmed: bool
    """``<O>`` after a turnout or sensor was defined or deleted."""
    throttle_query_to: To
    unknown_cab_as_zero: bool
    """A defect: ``<t 99>`` of an unknown locomotive answers ``<l 0 -1 128 0>``."""
    unchanged_speed_sent: bool
    """A speed that is the stored one is sent to the rails again."""
    full_table_refused: bool
    """``<X>``; else a comment on USB, and nothing moves."""
    highest_cab_checked: bool
    legacy_throttle_answered: bool
    """``<t reg cab speed dir>`` is answered by ``<T reg speed dir>`` too."""
    cab_zero_stops: bool
    """``<t 0 0 1>`` stops every locomotive; else ``<X>``."""
    pause: bool
    """``<!P>``, ``<!R>``, ``<!Q>``; else each is a plain ``<!>``."""
    stop_tells_unchanged: bool
    """``<!>`` reports locomotives that were stopped so already."""
    forgetting_told: bool
    """``<- cab>`` is broadcast."""
    displays: Displays
    throttle_app_lines: bool
    """Bare ``PPA1`` and ``PTA4id`` lines between the answers on the serial port."""

    @property
    def greeting(self) -> str:
        """The greeting's text."""
        return f"iDCC-EX V-{self.version} / MEGA / STANDARD_MOTOR_SHIELD G-{self.build}"


_5_6 = Profile(
    version="5.6.0",
    build="master-202605011818Z",
    buffer=64,
    old_reader=False,
    slots=50,
    slot_in_reports=False,
    status_power_first=False,
    power_by_track=True,
    power_always_told=False,
    power_by_letter=True,
    track_manager=True,
    main_current_twice=False,
    turnout_lists=True,
    turnout_always_told=False,
    unknown_turnout_refused=True,
    no_turnouts_refused=True,
    no_sensors_refused=False,
    definitions_confirmed=True,
    throttle_query_to=To.ALL,
    unknown_cab_as_zero=False,
    unchanged_speed_sent=False,
    full_table_refused=True,
    highest_cab_checked=True,
    legacy_throttle_answered=True,
    cab_zero_stops=False,
    pause=True,
    stop_tells_unchanged=True,
    forgetting_told=True,
    displays=Displays.USB,
    throttle_app_lines=False,
)
_5_7 = replace(
    _5_6,
    version="5.7.5",
    build="devel-202606081200Z",
    unknown_turnout_refused=False,
    no_turnouts_refused=False,
    definitions_confirmed=False,
    unknown_cab_as_zero=True,
    legacy_throttle_answered=False,
    displays=Displays.ALL,
)
_5_4 = replace(
    _5_6,
    version="5.4.22",
    build="master-202604031200Z",
    buffer=100,
    slot_in_reports=True,
    no_sensors_refused=True,
    throttle_query_to=To.ASKER,
    unchanged_speed_sent=True,
    full_table_refused=False,
    cab_zero_stops=True,
    pause=False,
    stop_tells_unchanged=False,
)
_5_0 = replace(
    _5_4,
    version="5.0.9",
    build="master-202401211200Z",
    old_reader=True,
    power_by_track=False,
    power_always_told=True,
    power_by_letter=False,
    forgetting_told=False,
    displays=Displays.COMMENTS,
)
_4_1 = replace(
    _5_0,
    version="4.1.6",
    build="master-202305091200Z",
    status_power_first=True,
    track_manager=False,
    main_current_twice=True,
    turnout_lists=False,
    turnout_always_told=True,
    highest_cab_checked=False,
    throttle_app_lines=True,
)

DEFAULT_PROFILE = "5.6"
PROFILES: Mapping[str, Profile] = MappingProxyType(
    {"4.1.6": _4_1, "5.0.9": _5_0, "5.4": _5_4, "5.6": _5_6, "5.7": _5_7}
)


def find_profile(name: str) -> Profile:
    """The profile of this name. Raises UsageError that names them all."""
    if name not in PROFILES:
        raise UsageError(f"there is no firmware profile {name!r}", cure=f"choose one of: {', '.join(PROFILES)}")
    return PROFILES[name]
