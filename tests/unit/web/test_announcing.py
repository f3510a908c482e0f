"""That a signal box is found on the network; here on loopback."""

from __future__ import annotations

from zeroconf import IPVersion
from zeroconf.asyncio import AsyncZeroconf

from pointsman.web.announcing import KIND, announced


async def test_it_is_found_by_name_with_its_port() -> None:
    listener = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    try:
        async with announced("inglenook-small", "127.0.0.1", 8765) as name:
            info = await listener.async_get_service_info(KIND, name, timeout=10_000)
            assert name.startswith("pointsman inglenook-small")
            assert info is not None
            assert (info.port, info.parsed_addresses()) == (8765, ["127.0.0.1"])
            assert info.properties[b"layout"] == b"inglenook-small"
    finally:
        await listener.async_close()
