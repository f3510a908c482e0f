"""Addresses on the network: which are this computer's own, and which of them nobody else reaches."""

from __future__ import annotations

import ipaddress

import ifaddr

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def parsed(host: str) -> Address | None:
    """The address that a text is, without its zone; None when it is a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether only this computer itself is called so."""
    found = parsed(host)
    return host == "localhost" if found is None else found.is_loopback


def is_any(host: str) -> bool:
    """Whether it stands for all addresses of this computer: ``0.0.0.0``, ``::``."""
    found = parsed(host)
    return found is not None and found.is_unspecified


def own_addresses() -> list[str]:
    """This computer's IPv4 addresses on its networks; where it is on none, the one that nobody else reaches."""
    own = [str(ip.ip) for adapter in ifaddr.get_adapters() for ip in adapter.ips if ip.is_IPv4]
    return [ip for ip in own if not is_loopback(ip)] or own
