"""The driver for layouts behind JMRI, through its JSON server: commands down, events up, through the wiring."""

from pointsman.drivers.jmri.driver import JmriDriver

__all__ = ["JmriDriver"]
