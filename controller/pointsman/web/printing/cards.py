"""Wagon cards: ten to a sheet, to be cut out, shuffled and drawn."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.track.model import Track, Vehicle
from pointsman.web.printing.sheet import GREY, Paper, Sheet
from pointsman.web.printing.words import Words

CARD_MM = (88.0, 50.0)
ACROSS, DOWN = 2, 5
_LARGE = 66.0
_LEAST = 28.0
"""A name that would be smaller than this beside the picture, in points, has the card's whole width above it."""

_PHOTO_MM = 40.0
_PHOTO_FOOT_MM = 33.0
"""How wide a picture may be at the right of the name, or under it, and where on the card its foot is."""


def cards(track: Track, language: str, paper: Paper, photos: Mapping[str, bytes] | None = None) -> bytes:
    """A PDF with a card for every vehicle of a layout, wagons first.

    ``photos`` are the files of pictures by vehicle; without one, or when it is damaged, its silhouette is drawn.
    """
    words = Words(language)
    sheet = Sheet(paper, f"{words('print.cards')} - {track.title}", language)
    vehicles = [*track.wagons.values(), *track.locomotives.values()]
    each = ACROSS * DOWN
    pages = [vehicles[at : at + each] for at in range(0, len(vehicles), each)]
    for number, page in enumerate(pages, 1):
        sheet.page()
        _page(sheet, words, track, page, photos or {}, words("print.page", page=number, pages=len(pages)))
    return sheet.whole()


def _page(
    sheet: Sheet, words: Words, track: Track, vehicles: list[Vehicle], photos: Mapping[str, bytes], which: str
) -> None:
    wide, high = CARD_MM
    left, top = (sheet.width_mm - ACROSS * wide) / 2, (sheet.height_mm - DOWN * high) / 2
    head = f"{words('print.cards')} - {words.sentence(track.title)} ({track.scale})"
    sheet.text(left, top - 5.5, head, sheet.fitting(head, 100, 9), bold=True)
    sheet.text(left + ACROSS * wide, top - 5.5, which, 8, ink=GREY, align="right")
    sheet.text(left, sheet.height_mm - top + 6.5, words("print.cut"), 8, ink=GREY)
    for number, vehicle in enumerate(vehicles):
        down, across = divmod(number, ACROSS)
        x, y = left + across * wide, top + down * high
        # Cards that touch share their edge: one cut parts them.
        sheet.box(x, y, wide, high, 0.2, ink=GREY)
        _card(sheet, words, x, y, vehicle, photos.get(vehicle.name))


def _card(sheet: Sheet, words: Words, x: float, y: float, vehicle: Vehicle, photo: bytes | None) -> None:
    wide, high = CARD_MM
    pad, half = 6.0, 33.0
    size = sheet.fitting(vehicle.name, half, _LARGE, bold=True)
    beside = size >= _LEAST
    if beside:
        sheet.text(x + pad, y + 12.5 + 0.36 * size * 0.3528 + 2.5, vehicle.name, size, bold=True)
        w, h, foot, above = 36.0, 21.0, y + 26.5, y + 4
    else:
        size = sheet.fitting(vehicle.name, wide - 2 * pad, 26, bold=True)
        sheet.text(x + pad, y + 12.5, vehicle.name, size, bold=True)
        w, h, foot, above = 25.0, 14.5, y + 31.0, y + 15
    right = x + wide - pad
    if photo is None or not sheet.photo(right - _PHOTO_MM, above, _PHOTO_MM, y + _PHOTO_FOOT_MM - above, photo):
        middle = right - w / 2
        sheet.line((middle - w / 2 - 3, foot), (middle + w / 2 + 3, foot), 0.6)
        sheet.vehicle(middle, foot, w, h, vehicle, named=False)
    room = wide - 2 * pad
    kind = words.vehicle(vehicle)
    sheet.text(x + pad, y + high - 11.5, kind, sheet.fitting(kind, room, 15, bold=True), bold=True)
    colour = words.colour(vehicle.colour)
    sheet.text(x + pad, y + high - 5, colour, 12)
    sheet.text(x + wide - pad, y + high - 5, f"{vehicle.length_mm:g} mm", 12, align="right")
