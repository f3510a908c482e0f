"""How much may come from one address: so much a second, and so much at once.

The tablets and phones of a hall often share one address: what it may ask for is enough for a hundred pages that are
opened at once, and then for all of them to be opened again every minute.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from collections.abc import Callable

from starlette.requests import HTTPConnection

from pointsman.web.addresses import parsed

MOST_ADDRESSES = 1000
"""More are not remembered: the one that was quiet longest is forgotten."""
_NETWORK_BITS = 64


def address_of(client: tuple[str, int] | None) -> str:
    """What somebody is counted by; of IPv6 the network, since who has one of its addresses has all of them."""
    if client is None:
        return ""
    found = parsed(client[0])
    if found is None:
        return client[0]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    if found.is_loopback:
        return str(found)
    return str(ipaddress.ip_network((found, _NETWORK_BITS), strict=False))


def sender(connection: HTTPConnection) -> str:
    """What whoever asks is counted by."""
    return address_of(connection.client)


class Rates:
    """What each address has left. ``clock`` counts seconds."""

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float]) -> None:
        self._a_second, self._at_once, self._clock = a_second, at_once, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Whether there may be one more now; it is counted if so."""
        now = self._clock()
        left, at_s = self._left.get(address, (self._at_once, now))
        left = min(self._at_once, left + (now - at_s) * self._a_second)
        may = left >= 1
        self._left[address] = left - may, now
        self._left.move_to_end(address)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return may
