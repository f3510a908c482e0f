"""French for an attempt of a competition on the layout, and for a draw that is given by its wagons."""

from __future__ import annotations

TEMPLATES = (
    (
        "it cannot {a_d} now: attempt {b_w} of {c} is on",
        "impossible de {a_d} maintenant : l'essai {b_w} de {c} est en cours",
    ),
    ("end the attempt first", "terminez d'abord l'essai"),
    ("it cannot {a_d}: the attempt is over", "impossible de {a_d} : l'essai est terminé"),
    ("the attempt is over", "l'essai est terminé"),
    ("deal the next one", "tirez le suivant"),
    ("it cannot {a_d} now: the referee's clock stands", "impossible de {a_d} maintenant : le chronomètre est arrêté"),
    ("the referee's clock stands", "le chronomètre est arrêté"),
    ("let the clock go first", "remettez d'abord le chronomètre en marche"),
    ("the rules of this attempt allow no hint", "le règlement de cet essai n'admet pas de conseil"),
    ("drive on without one", "continuez sans conseil"),
    ("it cannot {a_d}: there is no attempt", "impossible de {a_d} : il n'y a pas d'essai"),
    ("deal an attempt first", "tirez d'abord un essai"),
    ("correct the attempt in the competition", "corrigez l'essai dans le concours"),
    ("it cannot {a_d}: the attempt has not begun", "impossible de {a_d} : l'essai n'a pas commencé"),
    ("begin it first", "commencez-le d'abord"),
    ("end the attempt, and judge how it ended", "terminez l'essai, et jugez de son issue"),
    ("nothing can be added to it: {a_s}", "rien ne peut y être ajouté : {a_s}"),
    ("it is empty", "il est vide"),
    ("go on with the play: its new journal takes it", "reprenez la partie : son nouveau journal le prendra"),
    ("make room on the disk, and allow it to be written", "faites de la place sur le disque, et permettez d'y écrire"),
    ("its first line does not say which attempt it is", "sa première ligne ne dit pas quel essai c'est"),
    (
        "it was written by another version: play the attempt again",
        "il a été écrit par une autre version : rejouez l'essai",
    ),
    (
        "the draw of an attempt is not printed: its sheet says the par",
        "le tirage d'un essai ne s'imprime pas : sa feuille donne le par",
    ),
    ("this is not the journal of a calibration", "ce n'est pas le journal d'un étalonnage"),
    ("give one that pointsman calibrate wrote", "donnez-en un que pointsman calibrate a écrit"),
    ("no passage between both beams is in it", "aucun passage d'un faisceau à l'autre ne s'y trouve"),
    ("calibrate again, and let it pass both beams", "étalonnez de nouveau, en passant les deux faisceaux"),
    ("print it when the round is over", "imprimez-le quand la manche sera terminée"),
    ("a draw that is given has the level that it has", "un tirage donné a le niveau qu'il a"),
    ("leave one of them out", "n'en donnez qu'un"),
    ("draw again: give other --cards, or none at all", "tirez de nouveau : donnez d'autres --cards, ou aucune"),
)
