"""Sets a node up, live: servo ends, thresholds, the watchdog; what a person types, and what comes of it.

Nothing is armed: servos move where a person sends them, and no track, coil or solenoid gets current.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from pointsman.drivers.node.talk import STORED_WITHIN_S, Talk
from pointsman.errors import StationError, UsageError, did_you_mean
from pointsman.protocols import node_constants as k
from pointsman.protocols.node import Accepted, FromNode, Happened, Refused
from pointsman.protocols.node_constants import Latch, Machine, Refusal, Reset, Setting, SettingsState, Verb
from pointsman.protocols.node_messages import (
    About,
    Alive,
    Command,
    Defaults,
    Driven,
    End,
    Get,
    Latched,
    OtherVersion,
    Set,
    SettingsAre,
    State,
    Store,
    Trip,
    Turnout,
    answer_of,
    machine_number,
    owners,
    setting_names,
)
from pointsman.transports.base import Transport
from pointsman.workbench.telling import Interpreter, about_words, reset_words

BACK_WITHIN_S = 6.0
"""A board that comes back from a reset by the watchdog does so within its bootloader's two seconds."""
TOLD_WITHIN_S = 2.0
"""A whole state is some 25 lines, of 2 ms each."""
HELP = """\
closed N US, thrown N US    set an end of the servo of turnout N, and move it there; +10 or -10: so much further
machine N servo             what moves turnout N: none, servo, solenoid
turnout N closed            move a servo to an end: closed, thrown
show                        how everything is set
set NAME [N] VALUE          any setting by its name; N is the turnout or beam
watchdog                    try whether the board comes back from a reset by its watchdog, and switch it on if so;
                            that stores all settings
store                       keep the settings as they are now
defaults                    go back to the safe ones, servo ends and all; asks first
quit                        end; asks when something is not stored"""

Ask = Callable[[str], Awaitable[bool]]
_ENDS = {"closed": Setting.CLOSED_US, "thrown": Setting.THROWN_US}


class SettingUp:
    """A node that is being set up. ``show`` prints a line, ``agrees`` asks a person a question."""

    def __init__(self, transport: Transport, show: Callable[[str], None], agrees: Ask) -> None:
        self._transport = transport
        self._show = show
        self._agrees = agrees
        self._interpreter = Interpreter()
        self._talk = Talk(transport, self._hear)
        self._about: About | None = None
        self._changed: list[str] = []
        self._armed = self._driven = False
        self._resetting = self._trying = False
        self._told: asyncio.Future[None] | None = None

    @property
    def unsaved(self) -> str:
        """What this session has set and not stored; empty when nothing is."""
        return ", ".join(dict.fromkeys(self._changed))

    async def open(self) -> None:
        """Greet the node. Raises PortError, LinkLostError, and StationError: it is no node, or another host drives."""
        self._about = await self._talk.open()
        self._show(about_words(self._about))
        await self._look()
        if self._armed or self._driven:
            raise StationError(
                "another program has armed the node: trains may move over its points",
                where=self._transport.name,
                cure="end the play, or whatever else drives it, then start again",
            )

    async def _look(self) -> None:
        """Let the node tell its whole state: what is on, and who drives it, is seen in that."""
        self._told = asyncio.get_running_loop().create_future()
        try:
            await self._tell(State())
            async with asyncio.timeout(TOLD_WITHIN_S):
                await self._told
        except TimeoutError:
            raise StationError(
                "the node does not tell its whole state",
                where=self._transport.name,
                cure="look at the cable, press the board's reset button, then start again",
            ) from None
        finally:
            self._told = None

    async def close(self) -> None:
        """Say what was not stored, and close the link."""
        try:
            if self.unsaved:
                self._show(f"not stored, and gone when the node starts anew: {self.unsaved}")
        finally:
            await self._talk.close()

    async def lost(self) -> None:
        """Wait until the link is lost. Raises LinkLostError then."""
        await self._talk.lost()

    def _hear(self, said: FromNode) -> None:
        lines = self._interpreter.lines(said)
        if isinstance(said, Happened):
            match said.event:
                case Latched(latch) | Alive(latch):
                    self._armed = latch is Latch.NONE
                case Driven(step=step):
                    self._driven = step > 0
                case SettingsAre(SettingsState.DEFAULTS) if self._resetting:
                    self._resetting = False
                    lines = lines[:-1]  # it has done what it was told: nothing was unreadable
                case About(reset=Reset.WATCHDOG | Reset.UNKNOWN) if self._trying:
                    lines = ["it has started anew, by the trial"]
                case End() if self._told is not None and not self._told.done():
                    self._told.set_result(None)
            if self._told is not None and said.event != SettingsAre(SettingsState.DEFAULTS):
                return  # how everything is now was asked by the session, and not by the person
        for line in lines:
            self._show(line)

    @property
    def about(self) -> About:
        """What the node is."""
        assert self._about is not None, "a node that was greeted"
        return self._about

    async def obey(self, line: str) -> bool:
        """Do what a person has typed; False when it was the end. Raises LinkLostError, StationError."""
        if self._talk.restarted:
            self._changed.clear()
            self._about = await self._talk.greet()
            self._show("it is greeted anew; what was not stored is gone")
        words = line.split()
        if not words:
            return True
        if words[0] in {"quit", "exit", "q"}:
            return bool(self.unsaved) and not await self._agrees(f"Not stored: {self.unsaved}. End all the same?")
        try:
            await self._obey(words)
        except (UsageError, _RefusedError) as error:
            self._show(str(error))
        return True

    async def _obey(self, words: list[str]) -> None:
        match words:
            case ["help" | "?"]:
                self._show(HELP)
            case ["show"]:
                await self._show_all()
            case ["closed" | "thrown" as leg, turnout, value]:
                await self._end(leg, _number(turnout), value)
            case ["machine", turnout, name]:
                await self._set(Setting.MACHINE, _number(turnout), name)
            case ["turnout", turnout, "closed" | "thrown" as leg]:
                await self._move(_number(turnout), leg)
            case ["set", name, value]:
                await self._set(_setting(name), 0, value)
            case ["set", name, of, value]:
                await self._set(_setting(name), _number(of), value)
            case ["watchdog"]:
                await self._try_watchdog()
            case ["store"]:
                await self._store()
            case ["defaults"]:
                await self._reset_all()
            case _:
                raise UsageError(f"{' '.join(words)!r} is not understood", cure="help lists what can be typed")

    # ------------------------------------------------------------ settings

    async def _tell(self, command: Command, within_s: float | None = None) -> Accepted:
        answer = await (self._talk.ask(command) if within_s is None else self._talk.ask(command, within_s))
        if isinstance(answer, Refused):
            raise _RefusedError(answer)
        return answer

    async def _command(self, command: Command, within_s: float | None = None) -> Accepted:
        """Tell what moves or changes something: never while somebody else drives."""
        if self._armed or self._driven:
            raise UsageError("another program has armed the node meanwhile", cure="wait until it has ended, or end it")
        return await self._tell(command, within_s)

    async def _get(self, setting: Setting, of: int) -> int:
        values = answer_of(Verb.GET, (await self._tell(Get(setting, of))).values)
        if values is None or not isinstance(values[0], int):
            raise StationError(f"the node's answer about {setting} says nothing", where=self._transport.name)
        return values[0]

    async def _set(self, setting: Setting, of: int, text: str) -> None:
        of_what, value = k.SETTINGS[setting][4], _value(setting, text)
        if (of == 0) is not (of_what == "node"):
            cure = f"set {setting} {text}" if of_what == "node" else f"set {setting} N {text}"
            raise UsageError(f"{setting} is a setting of {'the whole' if of else 'each'} {of_what}", cure=cure)
        if setting is Setting.WATCHDOG and value:
            # That it is on says to every host that this board comes back.
            raise UsageError(
                "an old bootloader never comes back from the watchdog, so it is switched on by a trial only",
                cure="the command watchdog tries it",
            )
        await self._command(Set(setting, of, value))
        what = str(setting) if of_what == "node" else f"{setting} of {of_what} {of}"
        self._changed.append(what)
        self._show(f"{what}: {text}")

    async def _end(self, leg: str, turnout: int, text: str) -> None:
        """Set an end and move there at once: that is how one sees where it is."""
        setting = _ENDS[leg]
        if re.fullmatch(r"[+-][0-9]{1,4}", text):
            text = str(await self._get(setting, turnout) + int(text))
        await self._set(setting, turnout, text)
        await self._move(turnout, leg)

    async def _move(self, turnout: int, leg: str) -> None:
        if await self._get(Setting.MACHINE, turnout) == machine_number(Machine.SOLENOID):
            raise UsageError(
                f"turnout {turnout} has a solenoid, which gets current only from an armed node",
                cure="try it in a play, or with doctor",
            )
        await self._command(Turnout(turnout, thrown=leg == "thrown"))

    async def _show_all(self) -> None:
        numbers = owners(self.about)
        for setting, (_, low, high, usual, of_what) in k.SETTINGS.items():
            values = [await self._get(setting, of) for of in numbers[of_what]]
            names = setting_names(setting)
            told = " ".join(names[value] if names else str(value) for value in values)
            limits = " | ".join(names) if names else f"{low} to {high}, usually {usual}"
            each = "" if of_what == "node" else f" of each {of_what}"
            self._show(f"{setting}{each}: {told}   ({limits})")

    async def _reset_all(self) -> None:
        question = (
            "Every setting goes back to its safe default: each servo's ends are lost, and no turnout has a machine. "
            "Shall they?"
        )
        if not await self._agrees(question):
            return
        self._resetting = True
        try:
            await self._command(Defaults())
        except (UsageError, _RefusedError):
            self._resetting = False
            raise
        self._changed.append("the safe defaults of everything")
        self._show("everything is at its safe defaults; what was stored comes back at the next start, unless you store")

    async def _store(self) -> None:
        await self._command(Store(), STORED_WITHIN_S)
        self._changed.clear()
        self._show("stored")

    # ------------------------------------------------------------ the watchdog

    async def _try_watchdog(self) -> None:
        """One reset by the watchdog on purpose. Raises StationError when the board does not come back."""
        if self.unsaved:
            raise UsageError(
                f"that would store all settings, and these are not stored: {self.unsaved}",
                cure="store them first, or press the board's reset button to forget them",
            )
        question = (
            "All settings are stored as they are, with what another program may have set before and not stored (show "
            "lists them); then the board is reset by its watchdog. An old bootloader does not come back from that "
            "before it is unplugged. Shall it be tried?"
        )
        if not await self._agrees(question):
            return
        await self._command(Set(Setting.WATCHDOG, 0, 0))
        await self._store()
        self._trying = True
        try:
            await self._command(Trip())
            about = await self._talk.starts(BACK_WITHIN_S)
        finally:
            self._trying = False
        if about is None or isinstance(about, OtherVersion):
            raise StationError(
                "the board did not come back from a reset by its watchdog: its bootloader is an old one",
                where=self._transport.name,
                cure="unplug it and plug it in again. The watchdog stays off, so the track must be fed through the "
                "node's relay, which opens when the program hangs: see The track relay in firmware/README.md",
            )
        self._about = await self._talk.greet()
        if about.reset not in {Reset.WATCHDOG, Reset.UNKNOWN}:
            self._show(f"it has started because {reset_words(about)}: that was not the watchdog, which stays off")
            return
        await self._command(Set(Setting.WATCHDOG, 0, 1))
        await self._store()
        self._show("it came back: the watchdog is on from now on")
        if about.reset is Reset.UNKNOWN:
            self._show("its bootloader hides why it starts: a reset by the watchdog will be told as an unknown one")


class _RefusedError(Exception):
    """The node has refused a command; never leaves this file."""

    def __init__(self, answer: Refused) -> None:
        cure = _CURES.get(answer.reason, "")
        super().__init__(f"the node refuses: {answer.meaning}" + (f"\n  -> {cure}" if cure else ""))


_CURES: dict[str, str] = {
    Refusal.ABSENT: "give a turnout or beam that the board has pins for, and a turnout a machine: machine N servo",
    Refusal.MOVING: "wait until the points lie; a node that another host has armed cannot be set up",
    Refusal.DUTY: f"a rest is at least {k.LEAST_RESTS} times as long as the pulse: set the longer rest first",
    Refusal.MEMORY: "try store again; a memory that is worn out takes nothing any more",
}


def _number(text: str) -> int:
    low, high = 1, k.LIMITS["of"][1]
    if not re.fullmatch(r"[0-9]{1,2}", text) or not low <= int(text) <= high:
        raise UsageError(f"{text!r} is no number of a turnout or beam", cure=f"give one from {low} to {high}")
    return int(text)


def _setting(name: str) -> Setting:
    if name not in list(Setting):
        raise UsageError(f"there is no setting {name!r}", cure=did_you_mean(name, Setting))
    return Setting(name)


def _value(setting: Setting, text: str) -> int:
    """The value that a person means. Raises UsageError for one that the setting cannot have."""
    _, low, high, _, _ = k.SETTINGS[setting]
    names = setting_names(setting)
    if text in names:
        return names.index(text)
    if names or not re.fullmatch(r"[0-9]{1,5}", text) or not low <= int(text) <= high:
        raise UsageError(
            f"{setting} cannot be {text}", cure=f"one of: {', '.join(names)}" if names else f"from {low} to {high}"
        )
    return int(text)
