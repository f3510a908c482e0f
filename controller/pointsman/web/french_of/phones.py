"""What throttle apps on phones tell their person."""

from __future__ import annotations

TEMPLATES = (
    # what a phone says to its person
    (
        "Waiting: the marshal has to accept {a} for {b_w} on the screen.",
        "En attente : le chef de manœuvre doit accepter {a} pour {b_w} à l'écran.",
    ),
    (
        "The marshal does not let this phone drive now.",
        "Le chef de manœuvre ne laisse pas ce téléphone conduire maintenant.",
    ),
    ("The marshal has given you {a_w}.", "Le chef de manœuvre vous a donné {a_w}."),
    (
        "The marshal has accepted this phone: choose {a_w} to drive it.",
        "Le chef de manœuvre a accepté ce téléphone : choisissez {a_w} pour la conduire.",
    ),
    ("{a_w} was stopped, and taken over by {b_s}.", "{a_w} a été arrêtée, et reprise par {b_s}."),
    ("the signal box", "le poste d'aiguillage"),
    (
        "Nothing was heard of this phone for {a_w} s: {b_w} was stopped.",
        "Rien n'a été entendu de ce téléphone pendant {a_w} s : {b_w} a été arrêtée.",
    ),
    ("F{a_w} does nothing here.", "F{a_w} ne fait rien ici."),
    (
        "{a_w} is driven by {b}; it stops when you take it over.",
        "{a_w} est conduite par {b} ; elle s'arrête quand vous la reprenez.",
    ),
    ("This phone has {a_w} already: give it back first.", "Ce téléphone a déjà {a_w} : rendez-la d'abord."),
    ("There is no locomotive {a} here.", "Il n'y a pas de locomotive {a} ici."),
    ("There is no turnout {a} here.", "Il n'y a pas d'aiguillage {a} ici."),
    (
        "The track power is switched on by the marshal, on the screen.",
        "La tension de la voie est mise par le chef de manœuvre, à l'écran.",
    ),
    (
        "A train is stopped here when its phone is not heard for {a_w} s.",
        "Un train est arrêté ici quand son téléphone n'est pas entendu pendant {a_w} s.",
    ),
    (
        "Stopped. Press stop on the phone before it drives again.",
        "Arrêté. Appuyez sur arrêt au téléphone avant qu'il reparte.",
    ),
    ("Wait until the turnouts have been set.", "Attendez que les aiguillages soient disposés."),
    (
        "Turnouts are set by phones that the marshal has accepted.",
        "Les aiguillages se manœuvrent par les téléphones que le chef de manœuvre a acceptés.",
    ),
    (
        "It is not known how {a} lies: say throw or close.",
        "On ne sait pas comment {a} est disposé : dites dévier ou fermer.",
    ),
    ("The signal box is being closed.", "Le poste d'aiguillage se ferme."),
    ("There are too many phones.", "Il y a trop de téléphones."),
    ("There are too many connections from this phone.", "Il y a trop de connexions de ce téléphone."),
)
