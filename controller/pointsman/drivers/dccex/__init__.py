"""The driver for DCC-EX stations: commands down, events up, through the layout's wiring."""

from pointsman.drivers.dccex.driver import DccExDriver

__all__ = ["DccExDriver"]
