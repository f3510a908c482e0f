"""What can be known of a target before a layout is set up: whether it fits a wiring, and whether it is there.

Nothing is said to a station: a port is looked at; a connection to a broker, or to JMRI, is opened and closed again. One
to a station is not: it serves few at a time, and some begin to talk to whoever comes.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from pointsman.errors import LayoutError, UsageError
from pointsman.links import On, Target, fitting, link_to
from pointsman.track.builtin import find_wiring, layout_wirings
from pointsman.track.model import Track
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.base import Transport
from pointsman.transports.diagnosis import check_port
from pointsman.transports.mqtt_base import MqttLink


def wired(folder: Path, track: Track, hardware: str | None, target: Target) -> tuple[Wiring, Target]:
    """The wiring of a layout's folder that is named, and the target for its stations.

    Raises UsageError, where the target fits another wiring with that one's name; LayoutError.
    """
    wiring = load_wiring(find_wiring(folder, hardware), track)
    try:
        return wiring, fitting(target, wiring)
    except UsageError as error:
        others = [name for name in layout_wirings(folder) if _fits(folder, track, name, target)]
        if not others:
            raise
        cure = f"give --hardware {' or '.join(others)}; or with {wiring.name}, {error.cure}"
        raise UsageError(error.what, where=error.where, cure=cure) from error


def check_there(target: Target) -> None:
    """Raises what keeps a target's ports and brokers from being used.

    PortError for a port that is missing, held or not permitted, for a JMRI that does not answer, and for a broker that
    does not either or does not let us in; UsageError and LayoutError for the settings of a broker.
    """
    for port in target.serial_ports:
        check_port(port)
    for one in (target, *(each for _, each in target.each)):
        if one.on in (On.JMRI, On.MQTT):
            asyncio.run(_call(link_to(one)))


async def _call(link: Transport | MqttLink) -> None:
    if isinstance(link, MqttLink):
        await link.open(None)
    else:
        await link.open()
    await link.close()


def _fits(folder: Path, track: Track, name: str, target: Target) -> bool:
    try:
        fitting(target, load_wiring(find_wiring(folder, name), track))
    except (UsageError, LayoutError):
        return False
    return True
