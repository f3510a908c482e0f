"""The turnouts that one phone sets."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from pointsman.errors import PointsmanError
from pointsman.phones.guests import Guest
from pointsman.phones.naming import shown_name
from pointsman.phones.railway import Railway, Turnout
from pointsman.phones.voice import Voice
from pointsman.protocols.withrottle_messages import AskTurnout, Points, TurnoutAction, TurnoutState
from pointsman.track.model import Leg

MOST_AT_ONCE = 4
"""So many turnouts may be under way for one phone."""


class TurnoutOrders:
    """``spawn`` carries out what takes time."""

    def __init__(self, railway: Railway, voice: Voice, spawn: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._railway, self._voice, self._spawn = railway, voice, spawn
        self._under_way = 0

    def ask(self, guest: Guest, message: AskTurnout) -> None:
        """Set one, if the phone may; its button is put right if not."""
        turnout = self._turnout(message.name)
        if turnout is None:
            self._voice.alert(f"There is no turnout {shown_name(message.name)} here.")
            return
        toggle = message.action is TurnoutAction.TOGGLE
        if guest.locomotive is None:
            why = "Turnouts are set by phones that the marshal has accepted."
        elif toggle and turnout.points not in {Points.CLOSED, Points.THROWN}:
            why = f"It is not known how {turnout.title} lies: say throw or close."
        elif self._under_way >= MOST_AT_ONCE:
            why = "Wait until the turnouts have been set."
        else:
            thrown = message.action is TurnoutAction.THROW or (toggle and turnout.points is Points.CLOSED)
            self._under_way += 1
            self._spawn(self._set(guest.who, guest.locomotive, turnout, Leg.THROWN if thrown else Leg.CLOSED))
            return
        self._voice.alert(why)
        self._voice.say(TurnoutState(turnout.name, turnout.points))

    async def _set(self, who: str, locomotive: str, before: Turnout, leg: Leg) -> None:
        try:
            await self._railway.turnout(who, locomotive, before.name, leg)
        except PointsmanError as error:
            self._voice.refusal(error)
        finally:
            self._under_way -= 1
        now = self._turnout(before.name)
        if now is not None and now.points is before.points:
            # It lies as before, so nobody has been told anything; but the phone's button shows what was wished.
            self._voice.say(TurnoutState(now.name, now.points))

    def _turnout(self, name: str) -> Turnout | None:
        return next((one for one in self._railway.view.turnouts if one.name == name), None)
