"""The native protocol of DCC-EX command stations, both roles, without any input or output.

The host's side: ``HostReader`` turns bytes into replies, ``encode`` a command into bytes. The station's side:
``StationReader`` turns bytes into commands as firmware 5.4 and later reads them, ``OldStationReader`` as earlier ones
do, ``encode_reply`` a reply into bytes.

Source: the firmware CommandStation-EX 4.1.6 to 5.6.0 and replies recorded from a running 5.6.0. Numbers are signed
16 bit and wrap silently at the station, there is no checksum, and a line of more than 63 characters is thrown
away: so ``encode`` refuses (``ProtocolError``) everything that the station would wrap, cut or misread.
"""

from pointsman.protocols.dccex.command_reader import StationReader
from pointsman.protocols.dccex.commands import Command, encode
from pointsman.protocols.dccex.old_command_reader import OldStationReader
from pointsman.protocols.dccex.replies import Reply, encode_reply
from pointsman.protocols.dccex.reply_reader import HostReader

__all__ = ["Command", "HostReader", "OldStationReader", "Reply", "StationReader", "encode", "encode_reply"]
