"""A layout's locomotives as a wiring drives them: which speed steps can be sent, and what speeds they make.

The layout's own table is of a decoder. A node's direct current makes other speeds of the same locomotive: its table
stands in the wiring, and what is measured on it is kept apart.
"""

from __future__ import annotations

from dataclasses import replace

from pointsman.track.model import Locomotive, Track
from pointsman.track.percent import STEPS
from pointsman.track.wiring import LocomotiveWiring, Protocol, Wiring


def as_driven(track: Track, wiring: Wiring) -> Track:
    """The track with locomotives as they are driven; itself where that is as its own file has them.

    Over MQTT a plan must not use the steps that are no whole percent. A locomotive on direct current that was measured
    (on it: ``with_calibrations``) keeps what was measured.
    """
    engines = {
        name: _as_driven(engine, wiring.locomotives[name], wiring) if name in wiring.locomotives else engine
        for name, engine in track.locomotives.items()
    }
    return track if engines == dict(track.locomotives) else replace(track, locomotives=engines)


def _as_driven(engine: Locomotive, wired: LocomotiveWiring, wiring: Wiring) -> Locomotive:
    if wiring.stations[wired.station].protocol is Protocol.MQTT:
        return replace(engine, speeds=replace(engine.speeds, steps=STEPS[1:]))
    if wired.speeds is None or engine.by_direction is not None:
        return engine
    return replace(engine, speeds=wired.speeds)
