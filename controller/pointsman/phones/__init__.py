"""Throttle apps on phones: who they are, what they may do, and their server (WiThrottle)."""
