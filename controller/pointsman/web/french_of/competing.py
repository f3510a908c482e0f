"""French for a competition in the browser: who may do what there, and what its log tells."""

from __future__ import annotations

TEMPLATES = (
    # who may do what
    ("somebody may not do this", "il faut être admis pour faire cela"),
    (
        "sign in as the marshal, or ask the marshal for a code, and scan it",
        "ouvrez une session de chef de manœuvre, ou demandez-lui un code, et scannez-le",
    ),
    ("too many pages are open", "trop de pages sont ouvertes"),
    ("close some of them", "fermez-en quelques-unes"),
    # what is not there
    ("there is no competition {a} here", "il n'y a pas de concours {a} ici"),
    ("there is no attempt {a}", "il n'y a pas d'essai {a}"),
    ("there is no heat {a} to set up", "il n'y a pas de série {a} à mettre en place"),
    ("others still have to play this heat", "d'autres doivent encore jouer cette série"),
    ("look again when everybody has played it", "regardez de nouveau quand tout le monde l'a jouée"),
    ("no layout is served here", "aucun réseau n'est desservi ici"),
    (
        "name it to pointsman compete run, and start again",
        "nommez-le à pointsman compete run, et relancez",
    ),
    # replays
    ("the journal {a_w} is not here", "le journal {a_w} n'est pas ici"),
    ("put it into the folder of the journals", "mettez-le dans le dossier des journaux"),
    (
        "put the right one into the folder of the journals; pointsman compete verify tells what differs",
        "mettez le bon dans le dossier des journaux ; pointsman compete verify dit ce qui diffère",
    ),
    ("no journal tells of this attempt", "aucun journal ne parle de cet essai"),
    ("look at its marks", "regardez ses notes"),
    # an attempt on the layout
    ("hints of this attempt are given by the layout", "les conseils de cet essai sont donnés par le réseau"),
    ("ask for one on its page", "demandez-en un sur sa page"),
    ("this clock starts with the first movement", "ce chronomètre se lance au premier mouvement"),
    ("begin on the layout's page", "commencez sur la page du réseau"),
    ("{a_w} is not a puzzle of {b_w}", "{a_w} n'est pas un problème de {b_w}"),
    ("serve the layout of this round", "desservez le réseau de cette manche"),
    ("call somebody, and play that attempt", "appelez quelqu'un, et jouez cet essai"),
    ("the program was ended in the middle of it", "le programme a été arrêté en plein milieu"),
    # the log
    ("a fault in {a_w}: derailment", "une faute dans {a_w} : déraillement"),
    ("a fault in {a_w}: side-swipe", "une faute dans {a_w} : prise en écharpe"),
    ("a fault in {a_w}: hand", "une faute dans {a_w} : main"),
    ("a fault in {a_w}: over-full", "une faute dans {a_w} : voie trop remplie"),
    (
        "{a_w} is called in heat {b_w}, spare draw {c_w}",
        "{a_w} est appelé dans la série {b_w}, tirage de réserve {c_w}",
    ),
    ("{a_w} is called in heat {b_w}", "{a_w} est appelé dans la série {b_w}"),
    ("{a_w} has ended: finished", "{a_w} est terminé : réussi"),
    ("{a_w} has ended: did-not-finish", "{a_w} est terminé : non réussi"),
    ("{a_w} has ended: did-not-start", "{a_w} est terminé : pas parti"),
    ("{a_w} has ended: equipment", "{a_w} est terminé : panne du matériel"),
    ("{a_w}: the set-up is agreed", "{a_w} : la mise en place est acceptée"),
    ("{a_w}: the clock runs again", "{a_w} : le chronomètre tourne de nouveau"),
    ("{a_w}: the clock runs", "{a_w} : le chronomètre tourne"),
    ("{a_w}: the clock stands", "{a_w} : le chronomètre est arrêté"),
    ("{a_w}: a hint was given", "{a_w} : un conseil a été donné"),
    ("{a_w}: the marks are corrected", "{a_w} : les notes sont corrigées"),
    ("{a_w}: the marks are checked", "{a_w} : les notes sont vérifiées"),
    ("round {a_w} is announced", "la manche {a_w} est annoncée"),
    ("the draws of round {a_w} are settled", "les tirages de la manche {a_w} sont fixés"),
    ("heat {a_w} of round {b_w} is opened", "la série {a_w} de la manche {b_w} est ouverte"),
    ("the secret of round {a_w} is published", "le secret de la manche {a_w} est publié"),
    ("{a} was timed: {b_w} mm in {c_w} ms", "{a} a été chronométrée : {b_w} mm en {c_w} ms"),
    ("{a} takes part", "{a} participe"),
    ("what is written of {a} is changed", "ce qui est écrit de {a} est changé"),
    ("{a_w} withdraws", "{a_w} se retire"),
    ("the device {a} is admitted no more", "l'appareil {a} n'est plus admis"),
    ("the device {a} is admitted", "l'appareil {a} est admis"),
    ("entry {a_w} is taken back", "l'entrée {a_w} est annulée"),
    (
        "the shared train of heat {a_w} of round {b_w} has {c_w} in their places",
        "le train commun de la série {a_w} de la manche {b_w} en a {c_w} à leur place",
    ),
    ("the competition begins", "le concours commence"),
)
