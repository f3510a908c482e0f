"""What is said about standings: whose turn it is and why not, what looks wrong, and rounds that cannot be so."""

from __future__ import annotations

TEMPLATES = (
    # why somebody may not be called
    ("attempt {a_w} is to be run again on a spare draw", "l'essai {a_w} est à refaire sur un tirage de réserve"),
    ("{a_w} has made every attempt of round {b_w}", "{a_w} a fait tous ses essais de la manche {b_w}"),
    ("{a_w} has not reached the cut-off of round {b_w}", "{a_w} n'a pas atteint le seuil de la manche {b_w}"),
    (
        "whether {a_w} reaches the cut-off of round {b_w} is not known yet",
        "on ne sait pas encore si {a_w} atteint le seuil de la manche {b_w}",
    ),
    ("attempt {a_w} cannot be scored: {b_s}", "l'essai {a_w} ne peut pas être noté : {b_s}"),
    (
        "who goes on to round {a_w} is not certain before round {b_w} is over",
        "qui passe à la manche {a_w} n'est pas certain avant la fin de la manche {b_w}",
    ),
    ("{a_w} is in no pair", "{a_w} n'est dans aucune paire"),
    ("{a_w} was not in round {b_w} when it began", "{a_w} n'était pas de la manche {b_w} quand elle a commencé"),
    ("{a_w} has not advanced from round {b_w}", "{a_w} ne s'est pas qualifié à la manche {b_w}"),
    (
        "the pair {a} has not two who are in round {b_w}",
        "la paire {a} n'a pas deux membres dans la manche {b_w}",
    ),
    ("round {a_w} has nobody for {b} to meet", "la manche {a_w} n'a personne que {b} puisse rencontrer"),
    ("{a} is out of round {b_w}", "{a} est éliminé de la manche {b_w}"),
    ("{a} has won round {b_w}", "{a} a gagné la manche {b_w}"),
    ("{a} is through to the next stage of round {b_w}", "{a} est au tour suivant de la manche {b_w}"),
    ("{a_w} has played, and the other has not yet", "{a_w} a joué, et l'autre pas encore"),
    (
        "round {a_w} has no heat left: announce another round for those still in it",
        "la manche {a_w} n'a plus de série : annoncez une autre manche pour ceux qui y sont encore",
    ),
    # what looks wrong
    ("attempt {a_w} of {b_w} is missing before it", "l'essai {a_w} de {b_w} manque avant celui-ci"),
    ("it cannot be scored: {a_s}", "on ne peut pas le noter : {a_s}"),
    ("{a_s}, and the median of its heat is {b_s}", "{a_s}, et la médiane de sa série est {b_s}"),
    ("every figure is that of attempt {a_w}", "toutes les valeurs sont celles de l'essai {a_w}"),
    (
        "its time of {a_w} is just that of attempt {b_w}",
        "son temps de {a_w} est exactement celui de l'essai {b_w}",
    ),
    ("{a_s} cannot be driven in {b_w}", "on ne peut pas faire {a_s} en {b_w}"),
    ("{a_s}, and the par of its draw is {b_s}", "{a_s}, et le par de son tirage est {b_s}"),
    # what a book refuses
    (
        "nobody advances from a knockout: it has a winner",
        "personne ne passe d'une élimination directe : elle a un vainqueur",
    ),
    ("leave the advance out", "laissez la qualification de côté"),
    ("{a_w} heats cannot be shared out among {b_w} attempts", "{a_w} séries ne se partagent pas entre {b_w} essais"),
    (
        "take {a_w}, or another multiple of {b_w}: each group has its own heat each time",
        "prenez-en {a_w}, ou un autre multiple de {b_w} : chaque groupe a chaque fois sa propre série",
    ),
    ("no train is shared in round {a_w}", "aucun train n'est commun dans la manche {a_w}"),
    ("nothing is to be counted", "il n'y a rien à compter"),
    (
        "the shared train of heat {a_w} is counted already",
        "le train commun de la série {a_w} est déjà compté",
    ),
)
