"""What is said about solving, drawing and runs; the titles of the built-in puzzles."""

from __future__ import annotations

TEMPLATES = (
    # solving a puzzle
    (
        "there may be too little memory; try a smaller puzzle",
        "la mémoire manque peut-être ; essayez un problème plus petit",
    ),
    ("the solver ended without an answer (exit code {a})", "le solveur a fini sans réponse (code {a})"),
    ("looking for a plan", "recherche d'un plan"),
    ("searching from both ends", "recherche par les deux bouts"),
    ("comparing plans", "comparaison des plans"),
    ("preparing the search", "préparation de la recherche"),
    ("looking where wagons can stand", "recherche des places possibles des wagons"),
    (
        "compiling this kind of search, as every time: its cache cannot be written",
        "compilation de cette recherche, comme à chaque fois : son cache ne peut pas être écrit",
    ),
    (
        "compiling this kind of search, only this first time",
        "compilation de cette recherche, pour cette première fois seulement",
    ),
    ("allow more seconds or memory, or ask for less", "accordez plus de secondes ou de mémoire, ou demandez moins"),
    ("allow more seconds or memory", "accordez plus de secondes ou de mémoire"),
    ("allow more seconds", "accordez plus de secondes"),
    (
        "allow more memory, or name fewer wagons in the goal: those not named are alike",
        "accordez plus de mémoire, ou nommez moins de wagons dans le but : ceux qui ne sont pas nommés se valent",
    ),
    (
        "name fewer wagons in the goal (those not named are alike), or take the best found with --budget",
        "nommez moins de wagons dans le but (ceux qui ne sont pas nommés se valent), ou prenez le meilleur trouvé "
        "avec --budget",
    ),
    (
        "{a_s}, and no plan was found; none takes less than {b}",
        "{a_s}, et aucun plan n'a été trouvé ; aucun ne prend moins de {b}",
    ),
    ("{a_s}, and no plan was found{b}", "{a_s}, et aucun plan n'a été trouvé{b}"),
    ("{a_s}, and no plan was found", "{a_s}, et aucun plan n'a été trouvé"),
    ("none takes less than {a}", "aucun ne prend moins de {a}"),
    ("draw again, or change the goal", "tirez de nouveau, ou changez le but"),
    ("change the start or the goal", "changez le départ ou le but"),
    ("draw again: give another --seed, or none at all", "tirez de nouveau : donnez une autre --seed, ou aucune"),
    (
        "proved: there is no way from here to '{a}'. Everything that can be reached was looked at",
        "prouvé : d'ici rien ne mène à « {a} ». Tout ce qui peut être atteint a été examiné",
    ),
    (
        "proved: there is no way from here to '{a}', even if some of its wagons were alike",
        "prouvé : d'ici rien ne mène à « {a} », même si certains de ses wagons étaient pareils",
    ),
    ("proved: there is no way from here to '{a}'. {b_s}", "prouvé : d'ici rien ne mène à « {a} ». {b_s}"),
    ("It is reached in no position that can come up", "Aucune position possible n'y mène"),
    (
        "It can be reached from {a_w} positions, all of which were looked at, not from this one",
        "Il peut être atteint depuis {a_w} positions, toutes examinées, mais pas depuis celle-ci",
    ),
    ("give the track more length where the refusals say so", "allongez la voie là où les refus le disent"),
    (
        "every way to '{a}' needs a run that the real lengths forbid ({b_w} of them are known)",
        "tout chemin vers « {a} » demande un mouvement que les longueurs réelles interdisent ({b_w} sont connus)",
    ),
    (
        "not proved: too many positions for a plan around what is forbidden",
        "non prouvé : trop de positions pour un plan autour de ce qui est interdit",
    ),
    (
        "not proved: {a_w} positions need {b_w} MB, and {c_w} MB may be used",
        "non prouvé : {a_w} positions demandent {b_w} Mo, et {c_w} Mo sont permis",
    ),
    (
        "not proved: there are more than {a_w} positions, and the budget is {b_w}",
        "non prouvé : il y a plus de {a_w} positions, et le budget est de {b_w}",
    ),
    ("not proved: the time is spent", "non prouvé : le temps est écoulé"),
    ("not proved: the search was stopped", "non prouvé : la recherche a été arrêtée"),
    (
        "not proved: the couplings alone can stand in more than {a_w} ways",
        "non prouvé : les attelages seuls ont plus de {a_w} états possibles",
    ),
    (
        "not proved: {a_w} steps and more, the most this table can hold",
        "non prouvé : {a_w} pas et plus, le maximum de cette table",
    ),
    ("count something else", "comptez autre chose"),
    ("let fewer take part", "faites-en participer moins"),
    (
        "{a_w} wagons stand on the track, and at most {b_w} can be searched",
        "{a_w} wagons sont sur la voie, et l'on peut en chercher {b_w} au plus",
    ),
    ("count runs", "comptez les mouvements"),
    ("count runs, or fewer wagons", "comptez les mouvements, ou moins de wagons"),
    ("count runs, reversals or couplings", "comptez les mouvements, les rebroussements ou les attelages"),
    (
        "seconds are counted on at most {a_w} turnouts, and here are {b_w}",
        "les secondes se comptent sur {a_w} aiguillages au plus, et il y en a {b_w}",
    ),
    ("counting has no end", "le compte n'a pas de fin"),
    (
        "this is a fault of the program: please report it with the puzzle",
        "c'est une erreur du programme : signalez-la avec le problème",
    ),
    ("the plan found costs {a}, and the search says {b}", "le plan trouvé coûte {a}, et la recherche dit {b}"),
    (
        "count them first, and name other counts to break ties",
        "comptez-les d'abord, et nommez d'autres comptes pour départager",
    ),
    ("pull-drops cannot break ties", "les tirés-posés ne départagent pas"),
    ("the goal '{a}' names {b}, and the start does not", "le but « {a} » nomme {b}, et pas le départ"),
    ("put them in the start, or ask for others", "mettez-les au départ, ou demandez-en d'autres"),
    (
        "put it in a segment, or beside the locomotive's train",
        "mettez-le dans une voie, ou à côté du train de la locomotive",
    ),
    (
        "put that vehicle in a segment, or beside the locomotive's train",
        "mettez ce véhicule dans une voie, ou à côté du train de la locomotive",
    ),
    (
        "pull-drops are defined only where dead-end sidings fan out from one headshunt",
        "les tirés-posés n'existent que là où des voies en impasse partent d'un seul tiroir",
    ),
    (
        "put {a_w} in {b_w} with nothing on a turnout, or count runs",
        "mettez {a_w} dans {b_w} sans rien sur un aiguillage, ou comptez les mouvements",
    ),
    (
        "pull-drops are counted between positions with the whole train in the headshunt",
        "les tirés-posés se comptent entre positions où tout le train est dans le tiroir",
    ),
    ("name at most {a_w}", "nommez-en {a_w} au plus"),
    ("{a_w} counts: {b}", "{a_w} comptes : {b}"),
    ("name each count once", "nommez chaque compte une fois"),
    ("a count is given twice: {a}", "un compte est donné deux fois : {a}"),
    (
        "tasks are not graded by {a}: what a step costs there depends on the steps before it",
        "les problèmes ne sont pas classés par {a} : ce que coûte un pas y dépend des pas précédents",
    ),
    ("use --count {a_w} or --count {b_w}", "prenez --count {a_w} ou --count {b_w}"),
    # drawing one of a level
    (
        "use a layout or a puzzle with more room or more wagons",
        "prenez un réseau ou un problème avec plus de place ou plus de wagons",
    ),
    (
        "no task with {a_w} alone in {b_w} needs {c_w} steps or more",
        "aucun problème avec {a_w} seule dans {b_w} ne demande {c_w} pas ou plus",
    ),
    (
        "there are too few different tasks for {a_w} of every level: {b}",
        "il y a trop peu de problèmes différents pour {a_w} de chaque niveau : {b}",
    ),
    ("wish for less, or use another seed", "souhaitez moins, ou prenez une autre graine"),
    ("wish for something else", "souhaitez autre chose"),
    ("none of the first {a_w} draws has {b_s}", "aucun des {a_w} premiers tirages n'a {b_s}"),
    ("there is no draw with {a_s}: {b_s}", "il n'y a pas de tirage avec {a_s} : {b_s}"),
    ("none has one", "aucun n'en a"),
    ("a solution", "une solution"),
    ("those with a solution have pars from {a_w} to {b_w}", "ceux qui ont une solution ont des pars de {a_w} à {b_w}"),
    ("give the puzzle another start or goal", "donnez au problème un autre départ ou un autre but"),
    ("none of {a_w} draws has a solution", "aucun des {a_w} tirages n'a de solution"),
    ("par {a_w} or less", "un par de {a_w} ou moins"),
    ("par {a_w} or more", "un par de {a_w} ou plus"),
    ("level {a_w}", "niveau {a_w}"),
    ("use a puzzle that asks either by name or by kind", "prenez un problème qui demande par le nom ou par le genre"),
    (
        "the goal '{a}' asks for wagons by name and by kind: its draws cannot be compared",
        "le but « {a} » demande des wagons par le nom et par le genre : ses tirages ne se comparent pas",
    ),
    (
        "proved impossible: none of its {a_w} draws can be solved",
        "prouvé impossible : aucun de ses {a_w} tirages ne peut être résolu",
    ),
    ("proved impossible: this draw, and {a_w} others", "prouvé impossible : ce tirage, et {a_w} autres"),
    (
        "give the layout more room (a longer headshunt or siding), or let the puzzle ask for less",
        "donnez plus de place au réseau (un tiroir ou une voie plus longs), ou que le problème demande moins",
    ),
    (
        "Seed {a_w} ({b}) cannot be solved, which is proved: drawn again.",
        "La graine {a_w} ({b}) ne peut pas être résolue, c'est prouvé : nouveau tirage.",
    ),
    # runs that cannot be
    ("the run does not lead from {a_w} to {b_w}", "le mouvement ne mène pas de {a_w} à {b_w}"),
    ("turnouts must hold one vehicle (holds = 1)", "les aiguillages doivent contenir un véhicule (holds = 1)"),
    ("turnout {a_w} holds {b_w}", "l'aiguillage {a_w} en contient {b_w}"),
    ("one locomotive at a time can be moved here", "on ne peut déplacer ici qu'une locomotive à la fois"),
    ("{a} on the track beside {b_w}", "{a} sur la voie en plus de {b_w}"),
    (
        "{a_w} stands on {b_w} and is not coupled to {c_w}: nothing may be left on a turnout",
        "{a_w} est sur {b_w} sans être attelé à {c_w} : rien ne peut rester sur un aiguillage",
    ),
    ("locomotive {a_w} is not on the track", "la locomotive {a_w} n'est pas sur la voie"),
    ("the position is {a}", "la position est {a}"),
    ("that way the track ends after {a_w} of {b_w} units", "dans ce sens, la voie finit après {a_w} unités sur {b_w}"),
    (
        "its legs or its end are not what that run gives: {a}",
        "ses branches ou sa fin ne sont pas celles de ce mouvement : {a}",
    ),
    ("its legs or its end are not what that run gives", "ses branches ou sa fin ne sont pas celles de ce mouvement"),
    ("it goes nowhere", "il ne va nulle part"),
    (
        "at most {a_w} vehicles can be left: those behind the locomotive in the rearmost segment",
        "on peut laisser {a_w} véhicules au plus : ceux derrière la locomotive dans la dernière voie",
    ),
    ("the rear of the train is {a}, it cannot leave {b}", "la queue du train est {a}, il ne peut pas laisser {b}"),
    ("it starts from '{a}', but the vehicles stand at '{b}'", "il part de « {a} », mais les véhicules sont à « {b} »"),
    ("not a legal run: {a_s}", "mouvement non permis : {a_s}"),
    ("divide the ring into two segments", "divisez la boucle en deux voies"),
    (
        "the train of {a_w} bites its own tail: which way its wagons are coupled cannot be written",
        "le train de {a_w} se mord la queue : dans quel ordre ses wagons sont attelés ne peut pas s'écrire",
    ),
    ("put exactly one of {a} there", "mettez-y exactement une de {a}"),
    ("{a_w} locomotives in '{b}'", "{a_w} locomotives dans « {b} »"),
    # the titles of the built-in layouts and puzzles
    (
        "Make up the train: locomotive, tender, a coach, a cattle wagon and a goods wagon in any order, caboose",
        "Formez le train : locomotive, tender, une voiture, un wagon à bestiaux et un wagon de marchandises dans "
        "n'importe quel ordre, fourgon de queue",
    ),
    (
        "Make up the train: locomotive, tender, coach, goods and cattle, caboose; no cattle next to the coach",
        "Formez le train : locomotive, tender, voiture, marchandises et bestiaux, fourgon de queue ; pas de "
        "bestiaux à côté de la voiture",
    ),
    (
        "Bring each car to the spot drawn for it, in the least time",
        "Amenez chaque wagon à la place tirée pour lui, en un minimum de temps",
    ),
    (
        "Two cars wait behind the locomotive, three stand about: bring each to the spot drawn for it",
        "Deux wagons attendent derrière la locomotive, trois sont dispersés : amenez chacun à la place tirée pour lui",
    ),
    (
        "Bring two cars to UL with the locomotive, and the others each to its spot, in the fewest moves",
        "Amenez deux wagons à UL avec la locomotive, et les autres chacun à sa place, en un minimum de mouvements",
    ),
    (
        "Bring two cars to UL with the locomotive, and the others each to its spot, in the least time",
        "Amenez deux wagons à UL avec la locomotive, et les autres chacun à sa place, en un minimum de temps",
    ),
    ("drop {a} in {b_w}", "poser {a} dans {b_w}"),
    ("pull {a} from {b_w}", "tirer {a} de {b_w}"),
    ("a trip changes a siding", "un trajet change une voie"),
    ("about {a_w} seconds", "environ {a_w} secondes"),
)
