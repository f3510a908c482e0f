"""A host program as simple as can be, for a node whose layout is a fork: sets it up, arms it, and drives for ever.

python node_host.py PORT STEP            drives forward at a step, says so, and keeps its heart beating
python node_host.py PORT STEP --stuck    the same, but its heart stops once it drives, while it goes on commanding
python node_host.py PORT --watch         comes later: a heartbeat, and nothing else
"""

from __future__ import annotations

import sys
import time

import serial

from pointsman.protocols.node import Accepted, HostReader, Numbers, Refused, write_command
from pointsman.protocols.node_constants import BAUD
from pointsman.protocols.node_messages import Arm, Beat, Command, Drive, Hello, Latched

STARTS_WITHIN_S = 10.0
BEAT_EVERY_S = 0.2


class Host:
    """One command, and its answer."""

    def __init__(self, port: str) -> None:
        self._port = serial.Serial(port, BAUD, timeout=0.05)
        self._reader = HostReader()
        self._numbers = Numbers()
        self.started = False

    def ask(self, command: Command) -> Accepted | Refused | None:
        """None: no answer came in half a second."""
        number = self._numbers.take()
        self._port.write(write_command(number, command))
        return self.listen(0.5, number)

    def listen(self, for_s: float, number: int = 0) -> Accepted | Refused | None:
        """Until the answer, if one is awaited, or until the node has started."""
        until_s = time.monotonic() + for_s
        while time.monotonic() < until_s:
            for said in self._reader.feed(self._port.read(self._port.in_waiting or 1)):
                if isinstance(said, Accepted | Refused) and said.number == number:
                    return said
                if not isinstance(said, Accepted | Refused) and isinstance(getattr(said, "event", None), Latched):
                    self.started = True
            if not number and self.started:
                return None
        return None


def main(port: str, *words: str) -> None:
    """Never returns."""
    host = Host(port)
    host.listen(STARTS_WITHIN_S)
    step = 0 if "--watch" in words else int(words[0])
    print("begun" if host.started else "no node", host.ask(Beat()), flush=True)
    if step:
        print(host.ask(Hello()), host.ask(Arm()), host.ask(Drive(True, step)), flush=True)
        print("drives", flush=True)
    while True:
        answer = host.ask(Drive(True, step)) if "--stuck" in words else host.ask(Beat())
        print(answer, flush=True)
        time.sleep(BEAT_EVERY_S)


if __name__ == "__main__":
    main(*sys.argv[1:])
