"""Who may order what by hand: one rule for everybody, whatever it is that they hold in their hands."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.errors import RefusedError


@dataclass(frozen=True, slots=True)
class Rights:
    """What somebody has been given. ``locomotive``: the one that may be driven; None: whichever is driven here."""

    locomotive: str | None = None
    marshal: bool = False


def check(who: str, rights: Rights, engine: str, holder: str | None) -> None:
    """Raises RefusedError unless ``who`` may give the layout an order now.

    While somebody holds the throttle of ``engine``, only the holder may and the marshal; while nobody does, whoever may
    drive it.
    """
    if rights.locomotive not in {None, engine}:
        why, cure = f"you drive {rights.locomotive}, and {engine} is driven now", f"ask the marshal for {engine}"
        raise RefusedError([why], where=engine, cure=cure)
    if holder not in {None, who} and not rights.marshal:
        raise RefusedError([f"{holder} drives {engine}"], where=engine, cure="ask the one who drives, or the marshal")
