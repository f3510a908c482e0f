"""What is said about the draws of a competition, and about a draw that is given by its wagons."""

from __future__ import annotations

TEMPLATES = (
    # a draw given by its wagons
    ("there is no wagon {a}", "il n'y a pas de wagon {a}"),
    ("wagon {a_w} is drawn twice", "le wagon {a_w} est tiré deux fois"),
    ("name each wagon once", "nommez chaque wagon une fois"),
    ("{a_w} wagons are named, and a draw has {b_w}", "{a_w} wagons sont nommés, et un tirage en a {b_w}"),
    ("name {a_w} of {b}", "nommez-en {a_w} parmi {b}"),
    (
        "a draw is given by a seed or by its wagons, not by both",
        "un tirage se donne par une graine ou par ses wagons, pas par les deux",
    ),
    ("leave one out", "n'en donnez qu'un"),
    # what settles a round's draws
    (
        "a least par of {a_w}: that would be solved as it is set up",
        "un par minimal de {a_w} : ce serait résolu dès la mise en place",
    ),
    ("let it be 1 or more", "prenez 1 ou plus"),
    ("the pars {a_w} to {b_w} are no range", "les pars de {a_w} à {b_w} ne font pas un intervalle"),
    ("exchange the two", "échangez les deux"),
    ("{a} is no SHA-256 of a file", "{a} n'est pas le SHA-256 d'un fichier"),
    ("give its 64 digits, 0 to 9 and a to f", "donnez ses 64 chiffres, de 0 à 9 et de a à f"),
    (
        "{a} is not what it was when the draws were committed to",
        "{a} n'est plus ce qu'il était quand les tirages ont été engagés",
    ),
    (
        "put the file back as it was, or announce the round anew",
        "remettez le fichier comme il était, ou annoncez la manche de nouveau",
    ),
    (
        "{a} is not one line of 1 to {b_w} characters",
        "{a} n'est pas une ligne de 1 à {b_w} caractères",
    ),
    ("give one line, with no space at its ends", "donnez une seule ligne, sans espace aux deux bouts"),
    ("a round has 1 to {a_w} heats, and not {b_w}", "une manche a de 1 à {a_w} séries, et non {b_w}"),
    ("give another number of heats", "donnez un autre nombre de séries"),
    (
        "a heat has 0 to {a_w} spare draws, and not {b_w}",
        "une série a de 0 à {a_w} tirages de réserve, et non {b_w}",
    ),
    ("give another number of spares", "donnez un autre nombre de réserves"),
    (
        "{a_w} draws are possible, and the round takes {b_w}, no two of them equal",
        "{a_w} tirages sont possibles, et il en faut {b_w} à la manche, tous différents",
    ),
    (
        "widen the par range, or take fewer heats or spares",
        "élargissez l'intervalle des pars, ou prenez moins de séries ou de réserves",
    ),
    (
        "a secret of {a_w} bytes: a round has one of {b_w}, which nobody has chosen",
        "un secret de {a_w} octets : une manche en a un de {b_w}, que personne n'a choisi",
    ),
    (
        "give the 32 hexadecimal digits that were published after the round",
        "donnez les 32 chiffres hexadécimaux qui ont été publiés après la manche",
    ),
    (
        "this secret and these parts are not what was committed to",
        "ce secret et ces données ne sont pas ceux de l'engagement",
    ),
    (
        "compare the secret, the version, both files and every number with what was published",
        "comparez le secret, la version, les deux fichiers et chaque nombre avec ce qui a été publié",
    ),
    ("cannot be read: {a}", "ne peut pas être lu : {a}"),
    ("it must be a file that you may read", "ce doit être un fichier que vous pouvez lire"),
    # the seal
    (
        "this is no sealed secret: it has 32 hexadecimal digits, and its salt as many",
        "ce n'est pas un secret scellé : il a 32 chiffres hexadécimaux, et son sel autant",
    ),
    (
        "take both as they stand in the round's commitment",
        "prenez les deux comme ils sont dans l'engagement de la manche",
    ),
    ("this code does not open these draws", "ce code n'ouvre pas ces tirages"),
    (
        "type the code with which the round was sealed; if it is that one, a part of the round was changed since: "
        "compare version, files, par range, heats and spares with what was announced",
        "tapez le code avec lequel la manche a été scellée ; si c'est bien lui, quelque chose de la manche a changé "
        "depuis : comparez version, fichiers, pars, séries et réserves avec ce qui a été annoncé",
    ),
    (
        "a marshal's code has {a_w} to {b_w} letters, digits, spaces and signs",
        "le code d'un chef de manœuvre a de {a_w} à {b_w} lettres, chiffres, espaces et signes",
    ),
    (
        "take three or four words that nobody would guess",
        "prenez trois ou quatre mots que personne ne devinerait",
    ),
    # the list of draws
    ("there is no heat {a_w}", "il n'y a pas de série {a_w}"),
    ("heats are 1 to {a_w}", "les séries vont de 1 à {a_w}"),
    (
        "{a_w} draws with a par in the range are found here, and {b_w} were published",
        "{a_w} tirages ont ici un par dans l'intervalle, et {b_w} ont été publiés",
    ),
    (
        "use version {a} of the program, and the files that were published",
        "prenez la version {a} du programme, et les fichiers qui ont été publiés",
    ),
    (
        "a par of {a_w} to {b_w} leaves {c_w} of the draws, and the round takes {d_w}",
        "un par de {a_w} à {b_w} laisse {c_w} des tirages, et il en faut {d_w} à la manche",
    ),
    (
        "take another puzzle: none of its draws can be solved from here",
        "prenez un autre problème : aucun de ses tirages ne peut être résolu d'ici",
    ),
    (
        "take fewer heats or spares, or another puzzle: all pars, {a_w} to {b_w}, leave {c_w}",
        "prenez moins de séries ou de réserves, ou un autre problème : tous les pars, de {a_w} à {b_w}, en "
        "laissent {c_w}",
    ),
    (
        "let it be {a_w} to {b_w}, which leaves {c_w}, or take fewer heats or spares; all pars, {d_w} to {e_w}, leave "
        "{f_w}",
        "prenez de {a_w} à {b_w}, ce qui en laisse {c_w}, ou moins de séries ou de réserves ; tous les pars, de {d_w} "
        "à {e_w}, en laissent {f_w}",
    ),
    (
        "draws are not chosen by their seconds: those are known one draw at a time",
        "les tirages ne se choisissent pas par leurs secondes : elles ne se calculent que pour un tirage à la fois",
    ),
    (
        "give the par range in runs, reversals, couplings or pull-drops; the round may be for the time still",
        "donnez l'intervalle des pars en mouvements, rebroussements, attelages ou tirés-posés ; la manche peut quand "
        "même se jouer au temps",
    ),
    (
        "the goal '{a}' asks for wagons by name and by kind: its draws cannot be listed",
        "le but « {a} » demande des wagons par le nom et par le genre : ses tirages ne peuvent pas être énumérés",
    ),
    ("use {a} of this layout", "prenez {a} de ce réseau"),
)
