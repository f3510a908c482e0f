"""What is refused at a play that is under way, or about to be."""

from __future__ import annotations

TEMPLATES = (
    ("a play is under way", "une partie est en cours"),
    ("end it first", "finissez-la d'abord"),
    ("it does not set off: {a_s}", "il ne part pas : {a_s}"),
    ("{a} has said stop", "{a} a demandé l'arrêt"),
    ("{a} has gone", "{a} est parti"),
    ("a pause was asked for", "une pause a été demandée"),
    (
        "{a_s}: the demo begins anew with another draw",
        "{a_s} : la démonstration recommence avec un autre tirage",
    ),
    ("it was stopped", "il a été arrêté"),
    ("ask again", "demandez de nouveau"),
    ("no plan can be driven from where the train stands", "aucun plan ne peut se rouler depuis là où est le train"),
    (
        "drive the whole train into one track, off the points, and ask again",
        "conduisez tout le train dans une seule voie, hors des aiguillages, et demandez de nouveau",
    ),
)
