"""The driver for an Arduino node: commands down, events up, through the layout's wiring."""

from pointsman.drivers.node.driver import NodeDriver

__all__ = ["NodeDriver"]
