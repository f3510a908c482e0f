"""Listening at an MQTT broker: it is subscribed, and nothing is published, not even a last will."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.drivers.hearing import ON, Ear, Seen
from pointsman.drivers.mqtt.names import Names
from pointsman.protocols.jmri_mqtt import (
    Availability,
    LightState,
    Points,
    PowerState,
    SensorState,
    TurnoutState,
)
from pointsman.track.wiring import Wiring
from pointsman.transports.mqtt_base import Delivery, MqttLink

KEPT_WITHIN_S = 3.0
"""What a broker has kept comes at once; after so long it has nothing more."""
POWER = "track power"


class MqttEar(Ear):
    """Hears what the nodes of one MQTT station say, and what anybody commands them."""

    def __init__(self, link: MqttLink, wiring: Wiring, tell: Callable[[Seen], None], station: str | None) -> None:
        self._names = names = Names(wiring, station)
        self._link = link
        topic = names.topics.topic
        things = {f"node {node}": topic(Availability(node, True)) for node in names.mqtt.nodes}
        things[POWER] = topic(PowerState(False))
        for name, one in names.turnouts.items():
            things[f"turnout {one.name}"] = topic(TurnoutState(name, Points.UNKNOWN))
        for name, one in names.beams.items():
            things[f"beam {one.name}"] = topic(SensorState(name, None))
        for name, one in names.magnets.items():
            things[f"magnet {one.name}"] = topic(LightState(name, False))
        super().__init__(link.name, things, tell)
        link.listen(self._on_message, self._on_lost)

    async def _open(self) -> None:
        await self._link.open(None)
        self.greeting = f"the broker at {self._link.name}"
        await self._link.subscribe(self._names.subscriptions(self._link.client_id))
        await self._until(lambda: self._known(self._things), KEPT_WITHIN_S)

    async def _close(self) -> None:
        await self._link.close()

    def _unheard(self, what: str) -> tuple[str, str]:
        kind, _, name = what.partition(" ")
        if kind == "node":
            return f"{what} is not online", f"is it powered and on the network? It must publish {self._things[what]}"
        if kind == "beam":
            cure = "its node must publish it, retained, before it says that it is online"
            return f"no state is known of beam {name}", cure
        return "", ""

    def _on_message(self, delivery: Delivery) -> None:
        names = self._names
        match message := names.topics.read(delivery.topic, delivery.payload):
            case Availability(node=node, online=online) if f"node {node}" in self._things:
                self._judge(f"node {node}", online, f"node {node} is offline", "look at its power and its network")
                self._put(f"node {node}", "online" if online else "OFFLINE")
            case SensorState(name=topic, active=active) if topic in names.beams:
                beam = names.beams[topic]
                what = f"beam {beam.name}"
                self._judge(what, active is not None, f"the node of {what} does not know its state", "look at the node")
                broken = active is not None and beam.ours(active)
                self._put(what, "unknown" if active is None else "BROKEN" if broken else "free", broken=broken)
            case TurnoutState(name=topic, points=points) if topic in names.turnouts:
                turnout = names.turnouts[topic]
                settled = points in (Points.CLOSED, Points.THROWN)
                thrown = turnout.ours(points is Points.THROWN)
                self._put(f"turnout {turnout.name}", ("closed", "thrown")[thrown] if settled else str(points).lower())
            case LightState(name=topic, on=on) if topic in names.magnets:
                magnet = names.magnets[topic]
                self._put(f"magnet {magnet.name}", ON if magnet.ours(on) else "off")
            case PowerState(on=on):
                self._put(POWER, ON if on else "off")
            case _ if what := names.described(message):
                if delivery.retained:
                    self.notes.append(f"the broker keeps the command {delivery.topic} for every node that starts")
                else:
                    self._say(f"commanded by somebody: {what}")

    def _judge(self, what: str, right: bool, wrong: str, cure: str) -> None:
        if right:
            self._wrong.pop(what, None)
        else:
            self._wrong[what] = (wrong, cure)
