"""What the desk of a competition says: of plans and programmes, of presses, of how attempts end."""

from __future__ import annotations

_MEANINGS = (
    ("after so many attempts", "après tant d'essais"),
    (
        "what has to be reached by then, in the unit of the scheme; a time in seconds",
        "ce qu'il faut avoir atteint d'ici là, dans l'unité du barème ; un temps en secondes",
    ),
    ("what decides", "ce qui décide"),
    (
        "the first so many, so many percent, or the result to be reached",
        "tant de premiers, tant pour cent, ou le résultat à atteindre",
    ),
    ("for those tied across the edge", "pour les ex aequo à la limite"),
    ("one line for people", "une ligne pour les gens"),
    (
        "the name or the path of a puzzle, as `inglenook-small/classic`",
        "le nom ou le chemin d'un problème, comme `inglenook-small/classic`",
    ),
    ("what moves and pars are counted in", "ce en quoi les coups et les pars sont comptés"),
    (
        "a name of docs/scoring.md; of a club's own, how its file is named",
        "un nom de docs/scoring.md ; pour celui d'un club, le nom de son fichier",
    ),
    (
        "the path of a scheme of your own, from this file's folder",
        "le chemin d'un barème à vous, depuis le dossier de ce fichier",
    ),
    ("the text of a scheme of your own, in TOML", "le texte d'un barème à vous, en TOML"),
    ('such as "best-of-3"', "par exemple « best-of-3 »"),
    ("the least par that a draw may have", "le plus petit par qu'un tirage peut avoir"),
    ("the greatest par that a draw may have", "le plus grand par qu'un tirage peut avoir"),
    ("how many heats, each with a draw of its own", "combien de séries, chacune avec son propre tirage"),
    ("spare draws of each heat, from 0", "les tirages de réserve de chaque série, à partir de 0"),
    ("the most that an attempt may take", "le temps maximal d'un essai"),
    ("a table with after and at_most", "une table avec after et at_most"),
    (
        "kinds of fault that do not count in this round",
        "les sortes de fautes qui ne comptent pas dans cette manche",
    ),
    ("who has more did not finish", "qui en a plus n'a pas terminé"),
    ("a table with by, value and edge", "une table avec by, value et edge"),
    (
        "the class that the round is for; empty for everybody",
        "la catégorie à laquelle la manche est réservée ; vide pour tout le monde",
    ),
    ("with so many wagons at most is played", "on joue avec tant de wagons au plus"),
    ("what no locomotive may exceed", "ce qu'aucune locomotive ne doit dépasser"),
    ("a short name for the book, such as r1", "un nom court pour le livre, comme r1"),
    ("the entrant's name", "le nom du participant"),
    ("the entrant's club", "le club du participant"),
    ("the entrant's class; empty for none", "la catégorie du participant ; vide pour aucune"),
    ("what the entrant's train is called", "le nom du train du participant"),
    ("the pair that two play as", "la paire sous laquelle deux jouent"),
    (
        "the competition's short name in the store, such as club-evening",
        "le nom court du concours dans le magasin, comme club-evening",
    ),
    ("what it is called", "comment il s'appelle"),
    ("where it is held", "où il a lieu"),
    ("the most wagons that each class plays with", "le plus grand nombre de wagons de chaque catégorie"),
    ("tables of who takes part", "les tables de ceux qui participent"),
    ("tables of the rounds, in their order", "les tables des manches, dans leur ordre"),
)
_PLANS = (
    *_MEANINGS,
    *((f"it is {english}", f"c'est {french}") for english, french in _MEANINGS),
    *((f"add `{{a}} = ...`: {english}", f"ajoutez `{{a}} = ...` : {french}") for english, french in _MEANINGS),
    ("is not a table", "n'est pas une table"),
    ("is for a programme's file", "est pour le fichier d'un programme"),
    ("give the scheme's text as own_scheme", "donnez le texte du barème dans own_scheme"),
    ("stands beside {a_w}", "se trouve à côté de {a_w}"),
    ("names a fault twice", "nomme une faute deux fois"),
    (
        "add `scheme = ...`, a name of docs/scoring.md",
        "ajoutez `scheme = ...`, un nom de docs/scoring.md",
    ),
    ("{a} is no name for the book", "{a} n'est pas un nom pour le livre"),
    ("write one line", "écrivez une ligne"),
    ("write less", "écrivez moins"),
)
_ROUNDS = (
    (
        "attempts of round {a_w} are still to come, and nobody plays in it once its secret is out",
        "des essais de la manche {a_w} sont encore à venir, et plus personne n'y joue une fois son secret publié",
    ),
    (
        "let them be made, or withdraw who does not come; to end the round all the same, say why",
        "laissez-les se faire, ou retirez qui ne vient pas ; pour finir la manche quand même, dites pourquoi",
    ),
)
_PRESSES = (
    ("the clock of attempt {a_w} has not been started", "le chronomètre de l'essai {a_w} n'a pas été lancé"),
    ("start it first", "lancez-le d'abord"),
    ("say what is wrong with the equipment", "dites ce qui ne va pas avec le matériel"),
    (
        "the device's clock showed {a_w}, this computer's {b_w}",
        "le chronomètre de l'appareil montrait {a_w}, celui de cet ordinateur {b_w}",
    ),
    ("derailment: pressed at {a_w}, told after the end", "déraillement : marqué à {a_w}, annoncé après la fin"),
    ("side-swipe: pressed at {a_w}, told after the end", "prise en écharpe : marquée à {a_w}, annoncée après la fin"),
    ("hand: pressed at {a_w}, told after the end", "main : marquée à {a_w}, annoncée après la fin"),
    ("over-full: pressed at {a_w}, told after the end", "voie trop pleine : marquée à {a_w}, annoncée après la fin"),
    ("hint: pressed at {a_w}, told after the end", "conseil : marqué à {a_w}, annoncé après la fin"),
    ("{a_s}: pressed at {b_w}, told after the end", "{a_s} : marqué à {b_w}, annoncé après la fin"),
    ("attempt {a_w} had ended at {b_w} already", "l'essai {a_w} était déjà terminé à {b_w}"),
    ("correct its marks if they are wrong", "corrigez ses relevés s'ils sont faux"),
)
_ATTEMPTS = (
    (
        "no attempt of {a_w} is to come in round {b_w}",
        "aucun essai de {a_w} n'est à venir dans la manche {b_w}",
    ),
    (
        "call somebody else; the standings tell who is waited for",
        "appelez quelqu'un d'autre ; le classement dit qui est attendu",
    ),
    (
        "attempt {a_w} has not ended by a fault of the equipment",
        "l'essai {a_w} ne s'est pas terminé par une défaillance du matériel",
    ),
    (
        "end it as an equipment fault first, with the reason; another attempt is not run again",
        "terminez-le d'abord comme défaillance du matériel, avec la raison ; un autre essai ne se refait pas",
    ),
    (
        "heat {a_w} has no spare draw left: it had {b_w}",
        "la série {a_w} n'a plus de tirage de réserve : elle en avait {b_w}",
    ),
    (
        "announce another round for who is still to play; draws are never made afterwards",
        "annoncez une autre manche pour qui doit encore jouer ; on ne fait jamais de tirages après coup",
    ),
    ("attempt {a_w} has ended already: {b}", "l'essai {a_w} est déjà terminé : {b}"),
    ("if that is wrong, correct its marks and say why", "si c'est faux, corrigez ses relevés et dites pourquoi"),
    ("the journal does not show the goal confirmed", "le journal ne montre pas le but confirmé"),
    ("the journal shows the goal confirmed", "le journal montre le but confirmé"),
    ("the journal shows that it was started", "le journal montre qu'il a commencé"),
    (
        "if the journal is wrong, end it as the journal has it, correct the marks, and say why",
        "si le journal a tort, terminez-le comme dans le journal, corrigez les relevés, et dites pourquoi",
    ),
    ("the clock of attempt {a_w} has run", "le chronomètre de l'essai {a_w} a tourné"),
    ("then it was started: it did not finish", "il a donc commencé : il n'a pas terminé"),
    ("an attempt that was not started has no counts", "un essai qui n'a pas commencé n'a pas de comptes"),
    ("leave them out", "ne les donnez pas"),
    (
        "the clock of attempt {a_w} shows {b_w} ms, and {c_w} ms were typed",
        "le chronomètre de l'essai {a_w} montre {b_w} ms, et {c_w} ms ont été tapées",
    ),
    (
        "leave the time out; if the clock is wrong, correct the marks afterwards and say why",
        "ne donnez pas le temps ; si le chronomètre a tort, corrigez les relevés ensuite et dites pourquoi",
    ),
    ("hints pressed: {a_w}, hints typed: {b_w}", "conseils marqués : {a_w}, conseils tapés : {b_w}"),
    (
        "leave them out, or correct the marks afterwards and say why",
        "ne les donnez pas, ou corrigez les relevés ensuite et dites pourquoi",
    ),
    ("nobody has measured: {a_s}", "personne n'a mesuré : {a_s}"),
    (
        "type what was counted, or end the attempt as one that did not finish",
        "tapez ce qui a été compté, ou terminez l'essai comme non terminé",
    ),
    ("{a_s} are not typed together", "on ne tape pas ensemble : {a_s}"),
    ("type couplings and runs one by one", "tapez attelages et mouvements un par un"),
    ("{a_s}: {b_w} cannot be", "{a_s} : {b_w} est impossible"),
    ("give 0 to {a_w}", "donnez de 0 à {a_w}"),
    (
        "the day it is held, written as 2026-11-27 without quotes",
        "le jour où il a lieu, écrit comme 2026-11-27 sans guillemets",
    ),
)
TEMPLATES = (*_PLANS, *_ROUNDS, *_PRESSES, *_ATTEMPTS)
