"""What is said about scoring: schemes and formats, what is missing for one, a club's own, and files that are TOML."""

from __future__ import annotations

_MEANINGS = (
    ("one line for a person: how it is scored", "une ligne pour une personne : comment on compte"),
    ("what a score is so many of", "ce dont un résultat est le nombre"),
    (
        "points that costs are taken from; then more is better",
        "les points d'où les coûts sont retirés ; plus vaut alors mieux",
    ),
    (
        "what costs only as far as it is over the par",
        "ce qui ne coûte que pour autant que cela dépasse le par",
    ),
    (
        "what breaks a tie, the first first; less is better",
        "ce qui départage, le premier d'abord ; moins vaut mieux",
    ),
    ("what an attempt costs that was not finished", "ce que coûte un essai qui n'a pas été terminé"),
    ("what an attempt costs that was not started", "ce que coûte un essai qui n'a pas été commencé"),
    ("a table of what moves and time cost", "une table de ce que coûtent les coups et le temps"),
    ("a table of what faults and hints cost", "une table de ce que coûtent les fautes et les conseils"),
    ("a table of what is the most", "une table de ce qui est le plus"),
    ("what a second costs, from 0", "ce que coûte une seconde, à partir de 0"),
    ("what one of them costs, from 0", "ce que coûte un seul, à partir de 0"),
    (
        "the most that is allowed; one with more counts as not finished",
        "le plus qui soit admis ; un essai avec plus compte comme non terminé",
    ),
    ("the most that an attempt can cost", "le plus qu'un essai puisse coûter"),
    ("how it ended", "comment cela s'est terminé"),
    ("where it comes from", "d'où cela vient"),
    ("a value and its origin", "une valeur et son origine"),
    ("how often, and where that comes from", "combien de fois, et d'où cela vient"),
    ("faults by kind", "les fautes par sorte"),
    ("a whole number from 0", "un nombre entier à partir de 0"),
    ("whole milliseconds from 0", "des millisecondes entières à partir de 0"),
    ("the fewest of each count that solve the draw", "le moins de chaque compte qui résout le tirage"),
    ("the fewest of each count that were still missing", "le moins de chaque compte qui manquait encore"),
)
"""What the keys of a club's own scheme mean, and those of an attempt's marks; a cure tells it."""

TEMPLATES = (
    *_MEANINGS,
    *((f"it is {english}", f"c'est {french}") for english, french in _MEANINGS),
    *((f"add `{{a}} = ...`: {english}", f"ajoutez `{{a}} = ...` : {french}") for english, french in _MEANINGS),
    # scores
    ("did not finish", "n'a pas terminé"),
    ("did not start", "n'est pas parti"),
    ("did not finish, {a_s}", "n'a pas terminé, {a_s}"),
    ("did not start, {a_s}", "n'est pas parti, {a_s}"),
    ("{a_w} run", "{a_w} mouvement"),
    ("{a_w} runs", "{a_w} mouvements"),
    ("{a_w} reversal", "{a_w} rebroussement"),
    ("{a_w} reversals", "{a_w} rebroussements"),
    ("{a_w} coupling", "{a_w} attelage"),
    ("{a_w} couplings", "{a_w} attelages"),
    ("{a_w} pull-drop", "{a_w} tiré-posé"),
    ("{a_w} pull-drops", "{a_w} tirés-posés"),
    ("{a_w} coupling or run", "{a_w} attelage ou mouvement"),
    ("{a_w} couplings and runs", "{a_w} attelages et mouvements"),
    ("over the time limit of {a}", "au-delà du temps limite de {a}"),
    ("faults: {a_w}, and at most {b_w} are allowed", "fautes : {a_w}, et {b_w} au plus sont admises"),
    ("hints: {a_w}, and at most {b_w} are allowed", "conseils : {a_w}, et {b_w} au plus sont admis"),
    ("more than the cap allows: {a}", "plus que le plafond ne permet : {a}"),
    # what is measured
    ("time on the clock", "temps au chronomètre"),
    ("runs", "mouvements"),
    ("reversals", "rebroussements"),
    ("couplings", "attelages"),
    ("pull-drops", "tirés-posés"),
    ("couplings and runs", "attelages et mouvements"),
    ("coupling or run", "attelage ou mouvement"),
    ("hints", "conseils"),
    ("emergency stops", "arrêts d'urgence"),
    ("times another was helped on", "coups de main donnés"),
    ("wagons in their places", "wagons à leur place"),
    ("seconds", "secondes"),
    # what is missing for a score
    ("the {a_s} of an attempt was not measured", "il manque pour un essai : {a_s}"),
    ("enter it, or choose another scheme", "entrez cette valeur, ou choisissez un autre barème"),
    ("the par in {a_s} of an attempt is not known", "le par d'un essai, en {a_s}, n'est pas connu"),
    ("solve its draw first", "faites d'abord résoudre son tirage"),
    ("{a} needs a time limit", "{a} exige un temps limite"),
    ("announce one for the round", "annoncez-en un pour la manche"),
    ("a figure of {a_w}", "une valeur de {a_w}"),
    ("figures of an attempt are whole numbers from 0", "les valeurs d'un essai sont des nombres entiers à partir de 0"),
    (
        "the wagons in their places of a winner were not counted",
        "les wagons à leur place d'un vainqueur n'ont pas été comptés",
    ),
    ("count and enter them", "comptez-les et entrez leur nombre"),
    # the schemes
    ("there is no scheme {a}", "il n'y a pas de barème {a}"),
    ("the club's own: {a}", "le barème du club : {a}"),
    ("Time, and a minute for each fault", "Le temps, et une minute par faute"),
    (
        "John Allen, Model Railroader, November 1972; {a}. The minute for a derailment or a side-swipe is his. "
        "Touching is forbidden there without a figure: that a hand and an over-full siding cost a minute too, and the "
        "tie-break, are ours.",
        "John Allen, Model Railroader, novembre 1972 ; {a}. La minute pour un déraillement ou un accrochage est de "
        "lui. Toucher y est interdit sans chiffre : qu'une main et une voie trop pleine coûtent aussi une minute, et "
        "le départage, sont de nous.",
    ),
    ("Fewest moves under a time limit", "Le moins de coups dans un temps limité"),
    (
        "The convention of New Zealand's clubs, as reported; gdlines.org plays `Least Moves` with runs. The tie-break "
        "by time is ours.",
        "L'usage des clubs de Nouvelle-Zélande, d'après ce qu'on en dit ; gdlines.org joue à « Least Moves » en "
        "mouvements. Le départage par le temps est de nous.",
    ),
    ("Fewest reversals, derailments free", "Le moins de rebroussements, déraillements gratuits"),
    (
        "The Movesaver contest, as reported: moves needed to get off a wrongly set turnout count. It says nothing of "
        "other faults; that they are free too is ours.",
        "Le concours Movesaver, d'après ce qu'on en dit : les coups qu'il faut pour quitter un aiguillage mal disposé "
        "comptent. Il ne dit rien des autres fautes ; qu'elles soient gratuites aussi est de nous.",
    ),
    ("Moves and time, couplings counted", "Les coups et le temps, attelages comptés"),
    (
        "Meets of the NMRA, as reported: moves and/or time, and couplings count. That 10 s weigh as much as a move, "
        "and the tie-break, are ours.",
        "Les rencontres de la NMRA, d'après ce qu'on en dit : coups et/ou temps, et les attelages comptent. Que 10 s "
        "pèsent autant qu'un coup, et le départage, sont de nous.",
    ),
    ("Moves in percent of the par, with ranks", "Les coups en pour cent du par, avec des rangs"),
    (
        "Ticket to Ride: Track Switcher / Les Aventuriers du Rail: Gare de triage (LogiQuest, 2021), whose ranks are "
        "Atteleur, Aiguilleur, and Chef de gare for the minimum. Where Aiguilleur begins (a quarter over par, rounded "
        "up, and always two moves), the ratio and the tie-break by time are ours.",
        "Les Aventuriers du Rail : Gare de triage (LogiQuest, 2021), dont les rangs sont Atteleur, Aiguilleur, et Chef "
        "de gare pour le minimum. Où commence l'Aiguilleur (un quart au-dessus du par, arrondi vers le haut, et "
        "toujours deux coups), le rapport et le départage par le temps sont de nous.",
    ),
    ("Moves over par, added up over the rounds", "Les coups au-dessus du par, additionnés sur les manches"),
    (
        "The domino game Mexican Train: up to 13 rounds, the points left in hand are added, the lowest total wins, and "
        "who could not even start has a flat 120. That what is left in hand are the moves over par and those still "
        "missing, and that nothing costs more than 120, are ours.",
        "Le jeu de dominos Mexican Train : jusqu'à 13 manches, on additionne les points restés en main, le plus petit "
        "total gagne, et qui n'a même pas pu partir a 120. Que restent en main les coups au-dessus du par et ceux qui "
        "manquaient encore, et que rien ne coûte plus de 120, est de nous.",
    ),
    (
        "Bonus for helping, malus by the shared white train",
        "Bonus pour un coup de main, malus par le train blanc commun",
    ),
    (
        "The domino game L'Aiguilleur: five for helping another's locomotive on, five for the winner, and if the "
        "common white train ran less far than the winner's, the others share the difference; best of an agreed number "
        "of rounds, the lowest penalty wins. That penalties are moves over par, and that a train has run as far as it "
        "has wagons in their places, are ours.",
        "Le jeu de dominos L'Aiguilleur : cinq pour avoir fait avancer la locomotive d'un autre, cinq pour le "
        "vainqueur, et si le train blanc commun est allé moins loin que celui du vainqueur, les autres se partagent la "
        "différence ; au meilleur d'un nombre de manches convenu, la plus petite pénalité gagne. Que les pénalités "
        "soient les coups au-dessus du par, et qu'un train soit allé aussi loin qu'il a de wagons à leur place, est de "
        "nous.",
    ),
    # formats, ranks, knockout
    ("average without best and worst", "moyenne sans la meilleure ni la pire"),
    ("added up", "additionné"),
    ("there is no format {a}", "il n'y a pas de formule {a}"),
    ("such are: {a}", "il y a par exemple : {a}"),
    ("{a_w} attempts in {b_w}", "{a_w} essais en {b_w}"),
    ("it has {a_w}", "il y en a {a_w}"),
    ("nothing to add up", "rien à additionner"),
    ("play a round first", "jouez d'abord une manche"),
    ("scores of different kinds: {a}", "des résultats de sortes différentes : {a}"),
    (
        "compare and add what was scored by one scheme",
        "comparez et additionnez ce qui a été compté par un même barème",
    ),
    (
        "the puzzle has {a_w} wagons, and {b} plays with at most {c_w}",
        "le problème a {a_w} wagons, et {b} joue avec {c_w} au plus",
    ),
    ("choose a smaller puzzle, or another class", "choisissez un problème plus petit, ou une autre catégorie"),
    ("all go on", "tous passent"),
    ("all stay", "aucun ne passe"),
    ("the first {a_w} cannot advance", "les {a_w} premiers ne peuvent pas passer"),
    ("give a whole number from 1", "donnez un nombre entier à partir de 1"),
    ("{a_w} percent cannot advance", "{a_w} pour cent ne peuvent pas passer"),
    ("give more than 0, at most 100", "donnez plus de 0, et 100 au plus"),
    (
        "a knockout of fewer than two, or with one twice",
        "une élimination directe à moins de deux, ou avec quelqu'un deux fois",
    ),
    ("give each entrant once", "donnez chaque participant une fois"),
    # marks as they are kept, and a club's own scheme
    ("is not a table of marks", "n'est pas une table de valeurs d'un essai"),
    (
        "check the path; docs/scoring.md shows how to write one",
        "vérifiez le chemin ; docs/scoring.md montre comment faire",
    ),
    ("{a} cannot be used here", "{a} ne peut pas servir ici"),
    ("{a} is there twice", "{a} y est deux fois"),
    ("leave one of them out", "enlevez-en un"),
    ("{a} costs nothing", "{a} ne coûte rien"),
    ("add `{a} = ...` under [weights]", "ajoutez `{a} = ...` sous [weights]"),
    ("nothing costs anything", "rien ne coûte quoi que ce soit"),
    ("add what costs, as `time_s = 1` under [weights]", "ajoutez ce qui coûte, comme `time_s = 1` sous [weights]"),
    ("stands beside start_with", "est à côté de start_with"),
    (
        "leave it out: with start_with such an attempt has 0",
        "enlevez cette clé : avec start_with un tel essai a 0",
    ),
    ("costs less than did_not_finish", "coûte moins que did_not_finish"),
    ("let it cost as much, or more", "que cela coûte autant, ou plus"),
    (
        "add `points = ...`, at most {a_w}: else {b_w} could help",
        "ajoutez `points = ...`, {a_w} au plus : sinon {b_w} pourrait avantager",
    ),
    (
        "costs less than the {a_w} that a finished attempt can",
        "coûte moins que les {a_w} d'un essai terminé",
    ),
    ("let it cost at least {a_w}", "que cela coûte au moins {a_w}"),
    # a file that is TOML
    ("there is no such file", "ce fichier n'existe pas"),
    ("check the path", "vérifiez le chemin"),
    (
        "check the path; `pointsman layouts` lists the built-in layouts",
        "vérifiez le chemin ; `pointsman layouts` donne les réseaux fournis",
    ),
    ("cannot be read: {a}", "ne peut pas être lu : {a}"),
    ("it must be a file that you may read", "il faut un fichier que vous avez le droit de lire"),
    ("is no file name: {a}", "n'est pas un nom de fichier : {a}"),
    ("is larger than {a_w} kB", "dépasse {a_w} ko"),
    ("this is not a file of ours; check the path", "ce n'est pas un fichier à nous ; vérifiez le chemin"),
    ("is not text in UTF-8 (line {a_w}, byte {b_w})", "n'est pas du texte en UTF-8 (ligne {a_w}, octet {b_w})"),
    ("save it again with the encoding UTF-8", "enregistrez-le de nouveau dans le codage UTF-8"),
    ("is nested too deeply", "est emboîté trop profondément"),
    ("write it as {a_w} shows", "écrivez-le comme {a_w} le montre"),
    ("is not TOML: {a}", "n'est pas du TOML : {a}"),
    ("numbers have a point, not a comma: write {a_w}", "les nombres ont un point, pas de virgule : écrivez {a_w}"),
    (
        "a name with accents would need quotes, and is refused then: names have a to z, 0 to 9, - and _",
        "un nom accentué demanderait des guillemets, et est alors refusé : les noms ont a à z, 0 à 9, - et _",
    ),
    (
        "mend that line; a common cause is a missing quote, or a name given twice",
        "corrigez cette ligne ; souvent c'est un guillemet oublié, ou un nom donné deux fois",
    ),
    ("is missing", "manque"),
    ("add `{a} = ...`", "ajoutez `{a} = ...`"),
    ("is not a key of the top of the file", "n'est pas une clé du haut du fichier"),
    ("is not a key of {a}", "n'est pas une clé de {a}"),
    ("the top of the file", "le haut du fichier"),
    ("see {a_w}", "voyez {a_w}"),
    (
        "write it without quotes and with a point: {a_w}",
        "écrivez-le sans guillemets et avec un point : {a_w}",
    ),
    ("must be one of {a}, but is {b}", "doit être l'un de {a}, mais est {b}"),
    ("must be {a_s}, but is {b}", "doit être {a_s}, mais est {b}"),
    ("must have {a_s} entries, but has {b_w}", "doit avoir {a_s} entrées, mais en a {b_w}"),
    ("must not be empty", "ne doit pas être vide"),
    ("more than {a_w}", "plus de {a_w}"),
    ("at least {a_w}", "au moins {a_w}"),
    ("less than {a_w}", "moins de {a_w}"),
    ("at most {a_w}", "au plus {a_w}"),
    ("a whole number", "un nombre entier"),
    ("a number", "un nombre"),
    ("a finite number", "un nombre fini"),
    ("text in quotes", "du texte entre guillemets"),
    ("true or false", "true ou false"),
    ("a list in [ ]", "une liste entre [ ]"),
    ("a table", "une table"),
)
