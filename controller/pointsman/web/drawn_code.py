"""Addresses as QR codes: on the page, and in a terminal."""

from __future__ import annotations

from io import BytesIO, StringIO

import segno


def svg_of(address: str) -> str:
    """An address as an SVG element that is as large as its place."""
    out = BytesIO()
    segno.make_qr(address, error="m").save(out, kind="svg", scale=6, xmldecl=False, svgns=True, nl=False, omitsize=True)
    return out.getvalue().decode()


def text_of(address: str) -> str:
    """An address as blocks for a terminal."""
    out = StringIO()
    segno.make_qr(address, error="l").terminal(out, compact=True)
    return out.getvalue()
