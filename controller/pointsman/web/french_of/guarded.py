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
    ("write it otherwise, in one line where it is text", "écrivez-le autrement, sur une ligne si c'est du texte"),
    (
        "the clock has run on this draw before, in attempt {a_w}, which was taken back",
        "le chronomètre a déjà couru sur ce tirage, dans l'essai {a_w}, qui a été annulé",
    ),
    ("the layout has not confirmed the goal", "le réseau n'a pas confirmé le but"),
    (
        "let it be driven on; an attempt that is given up did not finish",
        "qu'on conduise encore ; un essai abandonné n'est pas terminé",
    ),
    (
        "the draw of heat {a_d} of round {a_w} could be seen by all before {b_w} was to play it",
        "le tirage de la série {a_d} de la manche {a_w} a pu être vu de tous avant que {b_w} ne doive le jouer",
    ),
    (
        "let it be the next round; when all others have played, publish the secret of this one and say why",
        "que ce soit la manche suivante ; quand tous les autres ont joué, publiez le secret de celle-ci, et dites "
        "pourquoi",
    ),
)
