"""What is found when something is looked at once more: where it is not what it should be, or could not be looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pointsman.errors import PointsmanError


@dataclass(frozen=True, slots=True)
class Difference:
    """Where something is not what it should be, or could not be looked at, and what."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found: ``differences``, and what is ``unchecked`` because it is not here, or not told yet."""

    differences: tuple[Difference, ...]
    unchecked: tuple[Difference, ...] = ()

    def __add__(self, other: Verified) -> Verified:
        return Verified(self.differences + other.differences, self.unchecked + other.unchecked)


def told(error: PointsmanError) -> str:
    """An error in one sentence, with where it is."""
    return f"{error.where}: {error.what}" if error.where else error.what


def differing(noted: object, found: object, where: str, key: str = "") -> Iterator[Difference]:
    """Where two JSON values differ, the deepest places alone, by their keys; a figure is told with its origin."""
    if isinstance(noted, dict) and isinstance(found, dict) and not (_is_figure(noted) or _is_figure(found)):
        for name in dict.fromkeys((*noted, *found)):
            yield from differing(noted.get(name), found.get(name), where, f"{key}.{name}" if key else name)
    elif isinstance(noted, list) and isinstance(found, list) and len(noted) == len(found):
        for number, (one, other) in enumerate(zip(noted, found, strict=True), 1):
            yield from differing(one, other, where, f"{key}[{number}]")
    elif noted != found or type(noted) is not type(found):
        yield Difference(where, f"{key} was told as {_shown(noted)}, and is {_shown(found)}")


def _shown(value: object) -> str:
    """A value as a person reads it."""
    if isinstance(value, dict) and _is_figure(value):
        return f"{value['value']} ({value['origin']})"
    return "nothing" if value is None else str(value)


def _is_figure(value: dict[str, object]) -> bool:
    return value.keys() == {"value", "origin"}
