"""Charts as SVG, written by hand: readable on light and on dark pages, in print and without colour."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from xml.sax.saxutils import escape

_STYLE = """
  .sheet { fill: #ffffff } text { fill: #24292f; font: 12px sans-serif } .title { font-size: 15px; font-weight: bold }
  .line { stroke: #8c959f; stroke-width: 1 } .bar { fill: #0969da } .a { stroke: #0969da } .b { stroke: #bc4c00 }
  .curve { fill: none; stroke-width: 2 } .b.curve { stroke-dasharray: 6 3 }
  .dot { stroke-width: 6; stroke-linecap: round }
  @media (prefers-color-scheme: dark) {
    .sheet { fill: #0d1117 } text { fill: #e6edf3 } .line { stroke: #6e7681 } .bar { fill: #58a6ff }
    .a { stroke: #58a6ff } .b { stroke: #f0883e }
  }
"""

_LEFT, _TOP, _BOTTOM, _RIGHT = 64, 48, 52, 20


def sheet(width: int, height: int, title: str, body: Sequence[str]) -> str:
    """A whole SVG document with a title and elements on a plain ground."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'width="{width}" height="{height}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="sheet" width="{width}" height="{height}"/>',
        label(_LEFT, 26, title, "title"),
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def label(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    """A thin line."""
    return f'<line class="line" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def bar_chart(title: str, bars: Sequence[tuple[int, int]], across: str, up: str) -> str:
    """A histogram: (place, how many), places rising; what is counted across and upwards is written at the axes."""
    width, height = 720, 360
    first, last = (bars[0][0], bars[-1][0]) if bars else (0, 0)
    most = max((many for _, many in bars), default=1) or 1
    step = (width - _LEFT - _RIGHT) / (last - first + 1)
    foot = height - _BOTTOM
    body = []
    for tick in ticks(most):
        y = foot - (foot - _TOP) * tick / most
        body += [line(_LEFT, y, width - _RIGHT, y), label(_LEFT - 8, y + 4, f"{tick:,}", anchor="end")]
    every = max(1, -(-28 // int(step))) if step >= 1 else last - first + 1
    for place, many in bars:
        tall = (foot - _TOP) * many / most
        x = _LEFT + (place - first) * step
        body.append(
            f'<rect class="bar" x="{x + step * 0.1:.1f}" y="{foot - tall:.1f}" width="{step * 0.8:.1f}" '
            f'height="{tall:.1f}"><title>{place}: {many:,}</title></rect>'
        )
    for place in range(first, last + 1, every):
        body.append(label(_LEFT + (place - first + 0.5) * step, foot + 18, str(place), anchor="middle"))
    body.append(line(_LEFT, foot, width - _RIGHT, foot))
    body.append(label((_LEFT + width - _RIGHT) / 2, height - 12, across, anchor="middle"))
    body.append(label(_LEFT, _TOP - 8, up))
    return sheet(width, height, title, body)


def ticks(most: int) -> list[int]:
    """At most six round numbers from 0 up to ``most``."""
    sizes = (digit * 10**power for power in count() for digit in (1, 2, 5))
    size = next(size for size in sizes if most // size <= 5)
    return list(range(0, most + 1, size))
