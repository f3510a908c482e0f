"""Telling the network that a signal box is there (zeroconf), under the name of its layout."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from zeroconf import InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from pointsman.web.addresses import is_any, own_addresses, parsed

KIND = "_http._tcp.local."
PHONES = "_withrottle._tcp.local."


@asynccontextmanager
async def announced(layout: str, host: str, port: int, kind: str = KIND) -> AsyncIterator[str]:
    """While inside, the page, or what else, is announced as ``pointsman LAYOUT``; the name under which it is.

    ``host`` is the address that is listened at; ``0.0.0.0`` stands for all of this computer's.
    """
    everywhere = parsed(host) is None or is_any(host)
    addresses = own_addresses() if everywhere else [host]
    interfaces: Sequence[str] | InterfaceChoice = InterfaceChoice.All if everywhere else addresses
    name = f"pointsman {layout}.{kind}"
    server = f"{socket.gethostname().partition('.')[0]}.local."
    info = ServiceInfo(
        kind, name, port=port, parsed_addresses=addresses, server=server, properties={"path": "/", "layout": layout}
    )
    zeroconf = AsyncZeroconf(interfaces=interfaces, ip_version=IPVersion.V4Only)
    try:
        await (await zeroconf.async_register_service(info, allow_name_change=True))
        yield info.name
        await (await zeroconf.async_unregister_service(info))
    finally:
        await zeroconf.async_close()
