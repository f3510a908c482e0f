"""The words on paper: those of the page where it has them, and names of colours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Locomotive, Vehicle
from pointsman.web.french import sentence
from pointsman.web.printing.results_words import ENGLISH as RESULTS
from pointsman.web.printing.results_words import FRENCH as RESULTS_FR

_FOLDER = Path(__file__).parents[1] / "static" / "words"
_ENGLISH = {
    "print.train-of": "train of {name}",
    "print.goal": "as notation: {goal}",
    "print.par": "Par: {par}",
    "print.proved": "proved",
    "print.at-most": "at most, not proved",
    "print.scan": "Scan to find this puzzle again",
    "print.run": "Our runs",
    "print.date": "Date",
    "print.name": "Name",
    "print.time": "Time",
    "print.signature": "Signature",
    "print.seconds": "about {seconds} seconds",
    "print.page": "{page} of {pages}",
    "print.cut": "Print at full size (100 %), cut along the lines.",
}
_FRENCH = {
    "print.train-of": "train de {name}",
    "print.goal": "en notation : {goal}",
    "print.par": "Par : {par}",
    "print.proved": "prouvé",
    "print.at-most": "au plus, non prouvé",
    "print.scan": "À scanner pour retrouver ce problème",
    "print.run": "Nos essais",
    "print.date": "Date",
    "print.name": "Nom",
    "print.time": "Temps",
    "print.signature": "Signature",
    "print.seconds": "environ {seconds} secondes",
    "print.page": "{page} sur {pages}",
    "print.cut": "Imprimer en taille réelle (100 %), couper le long des traits.",
}
_OWN = {"en": {**_ENGLISH, **RESULTS}, "fr": {**_FRENCH, **RESULTS_FR}}
_COLOURS_FR = {
    "black": "noir",
    "grey": "gris",
    "silver": "argent",
    "white": "blanc",
    "maroon": "bordeaux",
    "brown": "brun",
    "red": "rouge",
    "orange": "orange",
    "yellow": "jaune",
    "olive": "olive",
    "green": "vert",
    "lime": "vert clair",
    "teal": "bleu canard",
    "cyan": "cyan",
    "blue": "bleu",
    "navy": "bleu marine",
    "purple": "violet",
    "magenta": "magenta",
    "pink": "rose",
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language, ``en`` or ``fr``."""

    language: str

    def __call__(self, key: str, **values: object) -> str:
        """A text by its key. KeyError for one that there is not."""
        return _texts(self.language)[key].format_map(values)

    def sentence(self, text: str) -> str:
        """A title or sentence of the program."""
        return sentence(text) if self.language == "fr" else text

    def kind(self, kind: str) -> str:
        """A kind of vehicle; the layout's own word where we have none."""
        return _texts(self.language).get(f"kind.{kind}", kind)

    def vehicle(self, vehicle: Vehicle) -> str:
        """What a vehicle is; of a locomotive its kind is the layout's own word, a ``tank`` is no tank wagon there."""
        return self.kind("locomotive" if isinstance(vehicle, Locomotive) else vehicle.kind)

    def colour(self, colour: str) -> str:
        """A colour by its name; ``#rrggbb`` as it is."""
        return _COLOURS_FR.get(colour, colour) if self.language == "fr" else colour

    def counted(self, count: Count, value: int) -> str:
        """A value of what is counted: ``25 runs``."""
        if count is Count.SECONDS:
            return self("print.seconds", seconds=(value + 500) // 1000)
        word = self(f"count.{count}")
        return f"{value} {word.removesuffix('s') if value == 1 else word}"


@lru_cache
def _texts(language: str) -> Mapping[str, str]:
    page = json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return {**page, **_OWN[language]}
