"""One phone: what it says is asked of the railway, and what the railway does is told to it.

It does nothing by itself but what ``tick`` is called for, and lets nothing move that its person has not asked for
just now: a throttle that was not closed by the phone has to be closed on the phone before it drives again.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from pointsman.errors import PointsmanError
from pointsman.phones.guests import Guest, Person, State
from pointsman.phones.naming import shown_name
from pointsman.phones.railway import Function, Locomotive, Railway
from pointsman.phones.turnouts import TurnoutOrders
from pointsman.phones.voice import Voice
from pointsman.protocols import withrottle_messages as m
from pointsman.protocols.withrottle import ALL, FUNCTIONS, HIGHEST_STEP, STOPPED, key_of

INTERVAL_S = 4
"""A phone is asked to be heard so often, and apps keep to nine tenths of it. Elsewhere 10 is usual: a train goes far
in that time."""
SILENT_S = 4.5
"""One that was not heard for so long is stopped."""
RENEW_S = 0.5
"""How often ``tick`` is to be called: a throttle that is open is said again then, and silence noticed."""
GIVEN_UP_S = 15.0
"""One that drives and was not heard for so long is shown out."""
QUIET_S = 120.0
"""One that has nothing to drive and was not heard for so long gives way, when there is no room for another one."""
UNNAMED_S = 10.0
"""One that has said nothing known for so long is no phone, and is shown out."""
STALE_S = 0.5
"""What comes so soon after a silence may have been said long ago: it does not set anything in motion."""
SHUT_FIRST = "Stopped. Press stop on the phone before it drives again."


@dataclass(slots=True)
class _Held:
    """A locomotive on a throttle of the phone."""

    throttle: str
    key: str
    locomotive: str
    forward: bool
    shut_first: bool
    step: int = 0
    functions: dict[int, bool] = field(default_factory=dict)
    pressed: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a phone needs: the railway, a clock that counts seconds, and what it tells the others.

    ``say`` sends a message, ``spawn`` carries out what takes time, ``people_changed`` is called when its ``person``
    is another one now, ``identify`` with what its app knows itself by. ``web_port`` is that of the page, or None.
    ``said`` puts a sentence into the language of those with the phones.
    """

    railway: Railway
    clock: Callable[[], float]
    say: Callable[[m.ToPhone], None]
    spawn: Callable[[Coroutine[Any, Any, None]], None]
    people_changed: Callable[[], None]
    identify: Callable[[str], None]
    web_port: int | None = None
    said: Callable[[str], str] = str


class Phone:
    """See the module. ``leaves`` says why its connection is to be ended; empty while it is not."""

    def __init__(self, guest: Guest, around: Surroundings) -> None:
        self.guest = guest
        self.leaves = ""
        self.said_goodbye = False
        self.named = False
        self._identified = False
        self._around, self._railway = around, around.railway
        self._voice = Voice(around.say, around.clock, around.said)
        self._say = around.say
        self._view = self._railway.view
        self._held: _Held | None = None
        self._waiting: _Held | None = None
        self._came_again = False
        self._began_s = self._heard_s = around.clock()
        self._silent = False
        self._stale_until_s = 0.0
        self._turnouts = TurnoutOrders(around.railway, self._voice, around.spawn)

    @property
    def person(self) -> Person:
        """As the marshal sees it."""
        has = self._held or self._waiting
        state = State.READING if has is None else State.DRIVING if self._held is not None else State.WAITING
        return Person(self.guest.who, self.guest.name, state, self.guest.locomotive if has is None else has.locomotive)

    @property
    def quiet_s(self) -> float:
        """How long it has been of no account: nothing to drive, and not heard."""
        return 0.0 if self._held is not None else self._around.clock() - self._heard_s

    def begin(self) -> None:
        """Tell it what there is."""
        view = self._view
        self._say(m.Version())
        entries = ((one.name, key_of(one.address, long=one.long)) for one in view.locomotives)
        self._say(m.Roster(tuple(entries)))
        self._say(m.Power(view.power))
        self._say(m.TurnoutWords())
        self._say(m.Turnouts(tuple((one.name, one.title, one.points) for one in view.turnouts)))
        if self._around.web_port is not None:
            self._say(m.WebPort(self._around.web_port))
        self._say(m.Interval(INTERVAL_S))
        if view.halted:
            self._voice.alert(view.halted)

    # ------------------------------------------------------------ what it says

    def heard(self, messages: Sequence[m.FromPhone]) -> None:
        """What has come at once from it."""
        now = self._around.clock()
        if self._silent:
            self._silent, self._stale_until_s = False, now + STALE_S
        self._heard_s = now
        stops: set[bool] = set()
        for message in messages:
            self.named = self.named or not isinstance(message, m.Unknown)
            match message:
                case m.EmergencyStop() | m.AskPower(on=False):
                    power_off = isinstance(message, m.AskPower)
                    # An app says it once for each of its throttles: one press of a button is one stop.
                    if power_off not in stops:
                        self._emergency_stop(power_off=power_off)
                    stops.add(power_off)
                case m.Quit():
                    self.said_goodbye, self.leaves = True, "it said goodbye"
                    return
                case m.DeviceName() | m.DeviceId() | m.Monitoring() | m.AskPower():
                    self._introduced(message)
                case m.Acquire() | m.Steal():
                    self._asks_for(message)
                case m.Release():
                    self._gives_back(message)
                case m.AskTurnout():
                    self._turnouts.ask(self.guest, message)
                case m.Heartbeat() | m.Unknown():
                    pass
                case _:
                    self._act(message)

    def _introduced(self, message: m.DeviceName | m.DeviceId | m.Monitoring | m.AskPower) -> None:
        match message:
            case m.DeviceName(name):
                self.guest.name = shown_name(name)
                self._say(m.Interval(INTERVAL_S))
                self._around.people_changed()
            case m.DeviceId(text):
                if text and not self._identified and self._held is None and self._waiting is None:
                    self._identified = True
                    self._around.identify(text)
            case m.Monitoring(on=on):
                if not on:
                    self._voice.inform(f"A train is stopped here when its phone is not heard for {SILENT_S:g} s.")
            case m.AskPower():
                self._voice.alert("The track power is switched on by the marshal, on the screen.")
                self._say(m.Power(self._railway.view.power))

    def _emergency_stop(self, *, power_off: bool) -> None:
        self._railway.emergency_stop(self.guest.who, power_off=power_off)
        self._stop_shown()

    def _stop_shown(self) -> None:
        """Its throttle shows an emergency stop, if it does not already."""
        if self._held is not None and not self._held.shut_first:
            self._shut(self._held, STOPPED)

    # ------------------------------------------------------------ a locomotive

    def _asks_for(self, message: m.Acquire | m.Steal) -> None:
        throttle, key = message.throttle, message.key
        roster = message.roster if isinstance(message, m.Acquire) else None
        locomotive = self._locomotive(key)
        held = self._held
        if locomotive is None or roster not in {None, locomotive.name}:
            self._refuse(throttle, key, f"There is no locomotive {roster or key} here.")
        elif held is not None and (held.throttle, held.locomotive) == (throttle, locomotive.name):
            self._tell_held(held, locomotive)
        elif held is not None:
            self._refuse(throttle, key, f"This phone has {held.locomotive} already: give it back first.")
        else:
            if self._waiting is not None and (self._waiting.throttle, self._waiting.key) != (throttle, key):
                self._say(m.Removed(self._waiting.throttle, self._waiting.key))
            self._waiting = None
            wanted = _Held(throttle, key, locomotive.name, locomotive.forward, self._came_again)
            if self.guest.locomotive == locomotive.name:
                self._take(wanted, steal=isinstance(message, m.Steal))
            else:
                self._waiting = wanted
                self._tell_waiting(wanted)
            self._around.people_changed()

    def _take(self, wanted: _Held, *, steal: bool) -> None:
        locomotive = self._locomotive(wanted.key)
        holder = None if locomotive is None else locomotive.holder
        if holder not in {None, self.guest.who} and not steal:
            self._voice.inform(f"{wanted.locomotive} is driven by {holder}; it stops when you take it over.")
            self._say(m.InUse(wanted.throttle, wanted.key))
            return
        try:
            self._railway.take(self.guest.who, wanted.locomotive, steal=steal)
        except PointsmanError as error:
            self._say(m.Removed(wanted.throttle, wanted.key))
            self._voice.refusal(error)
            return
        locomotive = self._locomotive(wanted.key)
        assert locomotive is not None, "it was taken"
        wanted.forward = locomotive.forward
        self._held = wanted
        # Whoever is silent is stopped: from now on.
        self._heard_s = self._around.clock()
        self._tell_held(wanted, locomotive)

    def _tell_held(self, held: _Held, locomotive: Locomotive) -> None:
        """All that a throttle shows."""
        throttle, key = held.throttle, held.key
        functions = {one.number: one for one in locomotive.functions}
        held.functions = {number: one.on for number, one in functions.items()}
        self._say(m.Added(throttle, key))
        if functions:
            labels = (functions[number].label if number in functions else "" for number in range(FUNCTIONS))
            self._say(m.Labels(throttle, key, tuple(labels)))
        for number in range(FUNCTIONS):
            self._say(m.FunctionState(throttle, key, number, held.functions.get(number, False)))
        self._say(m.Speed(throttle, key, held.step))
        self._say(m.Direction(throttle, key, held.forward))
        self._say(m.Steps(throttle, key))

    def _gives_back(self, message: m.Release) -> None:
        for has in (self._held, self._waiting):
            if has is not None and _meant(message, has):
                self._give_up()
                self._say(m.Removed(has.throttle, has.key))
                self._around.people_changed()
                return

    def _give_up(self) -> None:
        """Have nothing any more; a train is stopped."""
        held, self._held, self._waiting = self._held, None, None
        if held is not None:
            self._let_go(held)
            self._railway.stop(self.guest.who, held.locomotive)
            self._railway.release(self.guest.who, held.locomotive)

    def _act(self, message: m.Action) -> None:
        """Something said to a locomotive."""
        held = self._held
        if held is None or not _meant(message, held):
            self._not_held(message)
            return
        throttle, key = held.throttle, held.key
        match message:
            case m.SetSpeed(step=0):
                held.step, held.shut_first = 0, False
                self._railway.stop(self.guest.who, held.locomotive)
            case m.SetSpeed(step=step):
                self._open(held, step)
            case m.SetDirection(forward=forward):
                self._turn(held, forward=forward)
            case m.Button(number=number, pressed=pressed):
                self._button(held, number, pressed=pressed)
            case m.SetFunction(number=number, on=on):
                self._switch(held, self._function(held, number), number, on=on)
            case m.Query(about=m.About.SPEED):
                self._say(m.Speed(throttle, key, held.step))
            case m.Query(about=m.About.DIRECTION):
                self._say(m.Direction(throttle, key, held.forward))
            case m.Query(about=m.About.MOMENTARY):
                for number in held.functions:
                    function = self._function(held, number)
                    self._say(m.Momentary(throttle, key, number, function is not None and function.momentary))
            case m.Query() | m.SetSteps():
                self._say(m.Steps(throttle, key))

    def _not_held(self, message: m.Action) -> None:
        waiting = self._waiting
        if waiting is not None and _meant(message, waiting) and isinstance(message, m.SetSpeed) and message.step:
            # Its slider may show that speed when it is accepted.
            waiting.shut_first = True
            self._say(m.Speed(waiting.throttle, waiting.key, 0))
            self._tell_waiting(waiting)

    def _open(self, held: _Held, step: int) -> None:
        if self._around.clock() < self._stale_until_s:
            held.shut_first = True
        if held.shut_first:
            self._say(m.Speed(held.throttle, held.key, 0))
            self._voice.alert(SHUT_FIRST)
            return
        held.step = step
        self._drive(held)

    def _drive(self, held: _Held) -> None:
        locomotive = self._locomotive(held.key)
        fastest_mm_s = 0.0 if locomotive is None else locomotive.fastest_mm_s
        speed_mm_s = fastest_mm_s * held.step / HIGHEST_STEP
        try:
            self._railway.drive(self.guest.who, held.locomotive, forward=held.forward, speed_mm_s=speed_mm_s)
        except PointsmanError as error:
            self.stopped(error)

    def _turn(self, held: _Held, *, forward: bool) -> None:
        """The other way: under way the train stops, and goes that way when the throttle is opened again."""
        if held.forward is forward:
            return
        held.forward = forward
        if held.step:
            held.step = 0
            self._railway.stop(self.guest.who, held.locomotive)
            self._say(m.Speed(held.throttle, held.key, 0))

    def _shut(self, held: _Held, shown: int = 0) -> None:
        """The throttle is closed, not by the phone."""
        self._let_go(held)
        held.step, held.shut_first = 0, True
        self._say(m.Speed(held.throttle, held.key, shown))

    # ------------------------------------------------------------ functions

    def _button(self, held: _Held, number: int, *, pressed: bool) -> None:
        function = self._function(held, number)
        if function is not None and function.momentary:
            self._switch(held, function, number, on=pressed)
        elif pressed:
            self._switch(held, function, number, on=function is not None and not function.on)

    def _switch(self, held: _Held, function: Function | None, number: int, *, on: bool) -> None:
        if function is None:
            self._voice.inform(f"F{number} does nothing here.")
            return
        try:
            self._railway.function(self.guest.who, held.locomotive, number, on=on)
        except PointsmanError as error:
            self._voice.refusal(error)
            return
        if function.momentary:
            (held.pressed.add if on else held.pressed.discard)(number)

    def _let_go(self, held: _Held) -> None:
        """Nobody's finger is on a button any more."""
        for number in sorted(held.pressed):
            self._switch(held, self._function(held, number), number, on=False)
        held.pressed.clear()

    # ------------------------------------------------------------ what happens to it

    def tick(self) -> None:
        """Some time has passed."""
        now = self._around.clock()
        held, silent_s = self._held, now - self._heard_s
        if held is not None and silent_s >= SILENT_S:
            if not self._silent:
                self._silent = True
                self._fall_silent(held)
            if silent_s >= GIVEN_UP_S:
                self.leaves = "it was not heard any more"
        elif held is not None and held.step:
            self._drive(held)
        if not self.named and now - self._began_s >= UNNAMED_S:
            self.leaves = "it is no phone"

    def _fall_silent(self, held: _Held) -> None:
        self._railway.stop(self.guest.who, held.locomotive)
        if held.step:
            self._shut(held)
            self._voice.alert(f"Nothing was heard of this phone for {SILENT_S:g} s: {held.locomotive} was stopped.")
        self._let_go(held)

    def stopped(self, error: PointsmanError) -> None:
        """What it ordered is refused, or was braked."""
        held = self._held
        if held is not None:
            self._railway.stop(self.guest.who, held.locomotive)
            self._shut(held)
        self._voice.refusal(error)

    def changed(self) -> None:
        """There is a new view."""
        before, self._view = self._view, self._railway.view
        view, held = self._view, self._held
        if view.power is not before.power:
            self._say(m.Power(view.power))
        lay = {one.name: one.points for one in before.turnouts}
        for one in view.turnouts:
            if lay.get(one.name) is not one.points:
                self._say(m.TurnoutState(one.name, one.points))
        if held is not None:
            self._look_at(held)
        if view.halted and view.halted != before.halted:
            self._stop_shown()
            self._voice.alert(view.halted)

    def _look_at(self, held: _Held) -> None:
        """What has become of its locomotive."""
        locomotive = self._locomotive(held.key)
        if locomotive is None or locomotive.holder != self.guest.who:
            by = None if locomotive is None else locomotive.holder
            self._held = None
            self._say(m.Speed(held.throttle, held.key, 0))
            self._say(m.Removed(held.throttle, held.key))
            self._voice.alert(f"{held.locomotive} was stopped, and taken over by {by or 'the signal box'}.")
            self._around.people_changed()
            return
        for one in locomotive.functions:
            if held.functions.get(one.number) is not one.on:
                held.functions[one.number] = one.on
                self._say(m.FunctionState(held.throttle, held.key, one.number, one.on))

    def accept(self, locomotive: str) -> None:
        """The marshal lets it drive a locomotive, and no other."""
        if self._held is not None and self._held.locomotive != locomotive:
            self._take_away(f"The marshal has given you {locomotive}.")
        self.guest.locomotive = locomotive
        waiting = self._waiting
        if waiting is not None and waiting.locomotive == locomotive:
            self._waiting = None
            self._take(waiting, steal=False)
        elif self._held is None:
            self._voice.inform(f"The marshal has accepted this phone: choose {locomotive} to drive it.")
        self._around.people_changed()

    def dismiss(self) -> None:
        """The marshal does not let it drive, or not any more."""
        self.guest.locomotive = None
        self._take_away("The marshal does not let this phone drive now.")
        self._around.people_changed()

    def _take_away(self, why: str) -> None:
        has = self._held or self._waiting
        self._give_up()
        if has is not None:
            self._say(m.Speed(has.throttle, has.key, 0))
            self._say(m.Removed(has.throttle, has.key))
        self._voice.alert(why)

    def become(self, guest: Guest) -> None:
        """It is a phone that was here before: it begins with a throttle that has to be closed first."""
        self.guest, self._came_again = guest, True
        self._around.people_changed()

    def gone(self) -> None:
        """Its connection has ended: its train is stopped at once."""
        self._give_up()

    # ------------------------------------------------------------ pieces

    def _locomotive(self, key: str) -> Locomotive | None:
        view = self._railway.view
        return next((one for one in view.locomotives if key_of(one.address, long=one.long) == key), None)

    def _function(self, held: _Held, number: int) -> Function | None:
        locomotive = self._locomotive(held.key)
        functions = () if locomotive is None else locomotive.functions
        return next((one for one in functions if one.number == number), None)

    def _refuse(self, throttle: str, key: str, why: str) -> None:
        self._say(m.Removed(throttle, key))
        self._voice.alert(why)

    def _tell_waiting(self, wanted: _Held) -> None:
        name, who = self.guest.name, self.guest.who
        # The marshal sees several of a name: by this one the person is found.
        who = f"{name} ({who})" if name and name != who else who
        self._voice.alert(f"Waiting: the marshal has to accept {who} for {wanted.locomotive} on the screen.")


def _meant(message: m.Action | m.Release, has: _Held) -> bool:
    return message.throttle == has.throttle and message.key in {ALL, has.key}
