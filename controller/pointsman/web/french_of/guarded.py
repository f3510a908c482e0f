"""French for what guards a competition against slips, and against what would be unfair."""

from __future__ import annotations

TEMPLATES = (
    (
        "the file was removed or replaced while it was in use; nothing was written",
        "le fichier a été supprimé ou remplacé pendant qu'il servait ; rien n'a été écrit",
    ),
    (
        "put the file back that was there; or end the program, restore a copy, and start it again",
        "remettez le fichier qui était là ; ou arrêtez le programme, restaurez une copie, et relancez-le",
    ),
    ("the layout has not confirmed the goal", "le réseau n'a pas confirmé le but"),
    (
        "let it be driven on; an attempt that is given up did not finish",
        "qu'on conduise encore ; un essai abandonné n'est pas terminé",
    ),
)
