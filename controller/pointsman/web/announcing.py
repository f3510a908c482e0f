"""Telling the network that a signal box is there (zeroconf), under the name of its layout."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import ifaddr
from zeroconf import InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

KIND = "_http._tcp.local."


@asynccontextmanager
async def announced(layout: str, host: str, port: int) -> AsyncIterator[str]:
    """While inside, the page is announced as ``pointsman LAYOUT``; the name under which it is.

    ``host`` is the address that is listened at; ``0.0.0.0`` stands for all of this computer's.
    """
    everywhere = ipaddress.ip_address(host).is_unspecified if _is_address(host) else True
    addresses = _own() if everywhere else [host]
    interfaces: Sequence[str] | InterfaceChoice = InterfaceChoice.All if everywhere else addresses
    name = f"pointsman {layout}.{KIND}"
    server = f"{socket.gethostname().partition('.')[0]}.local."
    info = ServiceInfo(
        KIND, name, port=port, parsed_addresses=addresses, server=server, properties={"path": "/", "layout": layout}
    )
    zeroconf = AsyncZeroconf(interfaces=interfaces, ip_version=IPVersion.V4Only)
    try:
        await (await zeroconf.async_register_service(info, allow_name_change=True))
        yield info.name
        await (await zeroconf.async_unregister_service(info))
    finally:
        await zeroconf.async_close()


def _own() -> list[str]:
    """This computer's addresses on its networks."""
    own = [str(ip.ip) for adapter in ifaddr.get_adapters() for ip in adapter.ips if ip.is_IPv4]
    return [ip for ip in own if not ipaddress.ip_address(ip).is_loopback] or own


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
