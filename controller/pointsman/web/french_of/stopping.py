"""What stops a play, what is refused on the track, and how everything is set up."""

from __future__ import annotations

TEMPLATES = (
    # what a beam has told, or has not
    (
        "beam {a_w} was not broken by {b_w} where it should have been",
        "le faisceau {a_w} n'a pas été coupé par {b_w} là où il aurait dû l'être",
    ),
    (
        "beam {a_w} was not freed by {b_w} where it should have been",
        "le faisceau {a_w} n'a pas été libéré par {b_w} là où il aurait dû l'être",
    ),
    (
        "beam {a_w} is {b_s}, though {c_w} should only make it so further on",
        "le faisceau {a_w} est {b_s}, alors que {c_w} ne devait le faire que plus loin",
    ),
    (
        "beam {a_w} became {b_s}, and nothing that moves should do that here",
        "le faisceau {a_w} est devenu {b_s}, et rien de ce qui bouge ne devait le faire ici",
    ),
    (
        "beam {a_w} became {b_s} {c_w} mm before {d_w} can have reached it",
        "le faisceau {a_w} est devenu {b_s} {c_w} mm avant que {d_w} ait pu l'atteindre",
    ),
    (
        "beam {a_w} became {b_s} {c_w} mm later than it must have",
        "le faisceau {a_w} est devenu {b_s} {c_w} mm plus tard qu'il n'aurait dû",
    ),
    ("{a_w} did not get there in {b_w} s", "{a_w} n'y est pas arrivé en {b_w} s"),
    ("{a_w} may be about to run too far", "{a_w} va peut-être aller trop loin"),
    (
        "did {a_w} run the other way, or is it on another track?",
        "{a_w} est-elle partie dans l'autre sens, ou est-elle sur une autre voie ?",
    ),
    ("is {a_w} turned round, or on another track?", "{a_w} est-elle retournée, ou sur une autre voie ?"),
    ("if {a_w} ran the other way, {b_s}; else {c_s}", "si {a_w} est partie dans l'autre sens, {b_s} ; sinon {c_s}"),
    ("if {a_w} ran the other way, {b_s}", "si {a_w} est partie dans l'autre sens, {b_s}"),
    (
        "swap the two wires to the rails, or answer the other way",
        "inversez les deux fils des rails, ou donnez l'autre réponse",
    ),
    ("else {a_s}", "sinon {a_s}"),
    ("then {a_s}", "puis {a_s}"),
    ("{a} may not have moved, {b_s}", "{a} n'a peut-être pas bougé, {b_s}"),
    ("may not have moved", "n'a peut-être pas bougé"),
    ("beam {a_w} does not see {b_w}", "le faisceau {a_w} ne voit pas {b_w}"),
    (
        "beam {a_w} is broken, though nothing should stand there",
        "le faisceau {a_w} est coupé, alors que rien ne devrait s'y trouver",
    ),
    (
        "beam {a_w} at {b_w} is broken by something that should not be there",
        "le faisceau {a_w} à {b_w} est coupé par quelque chose qui ne devrait pas s'y trouver",
    ),
    # why nothing may move, or not like this
    ("faster than {a_w} mm/s", "plus vite que {a_w} mm/s"),
    ("there is not room enough to stop", "il n'y a pas assez de place pour s'arrêter"),
    ("magnet {a_w} is on", "l'aimant {a_w} est en marche"),
    ("magnet {a_w} is still on", "l'aimant {a_w} est encore en marche"),
    (
        "nobody has proved yet where {a_w} is and which way it faces",
        "personne n'a encore vérifié où est {a_w} et dans quel sens elle est",
    ),
    ("the track power is off", "la voie est hors tension"),
    ("the last piece never ends", "le dernier morceau ne finit jamais"),
    ("uncouple by hand, then say what stands where", "dételez à la main, puis dites ce qui se trouve où"),
    ("uncouple by hand, or put a magnet there", "dételez à la main, ou mettez-y un aimant"),
    ("uncouple {a_w} by hand", "dételez {a_w} à la main"),
    (
        "the coupling between {a_w} and {b_w} does not stand slack over a magnet",
        "l'attelage entre {a_w} et {b_w} n'est pas détendu sur un aimant",
    ),
    (
        "{a_w} was drawn over a magnet in {b_w}, and the line does not lead there",
        "{a_w} a été tiré sur un aimant de {b_w}, et la ligne n'y mène pas",
    ),
    ("look at its magnet: the train stands too far from it", "regardez son aimant : le train en est trop loin"),
    (
        "no magnet in {a_w} that the coupling behind {b_w} could be drawn over",
        "aucun aimant dans {a_w} sur lequel tirer l'attelage derrière {b_w}",
    ),
    ("drive clear of it first, then couple up", "dégagez-le d'abord, puis attelez"),
    (
        "{a_w} was parted from {b_w}, and they have not been apart and met again since",
        "{a_w} a été séparé de {b_w}, et ils ne se sont pas éloignés puis retrouvés depuis",
    ),
    ("stop before it, and go on from there", "arrêtez-vous avant, et continuez de là"),
    ("it passes {a} more than once", "il passe plus d'une fois sur {a}"),
    (
        "stand the locomotive where it can reach a beam, then start again",
        "placez la locomotive d'où elle peut atteindre un faisceau, puis recommencez",
    ),
    (
        "{a_w} on {b_w} has no beam ahead of it either way",
        "{a_w} sur {b_w} n'a de faisceau devant elle dans aucun sens",
    ),
    ("run {a_w} ({b_s})", "mouvement {a_w} ({b_s})"),
    ("{a_w} is not on the line of {b_w}", "{a_w} n'est pas sur la ligne de {b_w}"),
    ("no coupling is near", "aucun attelage n'est près"),
    ("the nearest coupling is {a_w} mm from", "l'attelage le plus proche est à {a_w} mm"),
    (
        "give the track more length, put a beam nearer, or use a slower lowest speed step",
        "allongez la voie, rapprochez un faisceau, ou prenez un premier cran plus lent",
    ),
    (
        "the stop must lie within {a_w} mm, and it can miss by {b_w} mm in all ({c_s})",
        "l'arrêt doit tomber dans {a_w} mm, et il peut s'écarter de {b_w} mm en tout ({c_s})",
    ),
    (
        "the stop must lie within {a_w} mm, and it can miss by {b_w} mm in all",
        "l'arrêt doit tomber dans {a_w} mm, et il peut s'écarter de {b_w} mm en tout",
    ),
    ("the stop must lie within {a_w} mm ({b_s})", "l'arrêt doit tomber dans {a_w} mm ({b_s})"),
    ("the stop must lie within {a_w} mm", "l'arrêt doit tomber dans {a_w} mm"),
    ("and it can miss by {a_w} mm in all", "et il peut s'écarter de {a_w} mm en tout"),
    ("say what stands where, then start again", "dites ce qui se trouve où, puis recommencez"),
    ("the train should be {a}, and {b} stands there", "le train devrait être {a}, et il y a là {b}"),
    (
        "as the points lie, {a} does not stand in one line with the rest of the train",
        "les aiguillages étant ainsi, {a} n'est pas sur la même ligne que le reste du train",
    ),
    (
        "drive the whole train into one track, off the points, or say what stands where",
        "conduisez tout le train dans une seule voie, hors des aiguillages, ou dites ce qui se trouve où",
    ),
    (
        "{a} came along: set back to uncouple it from {b_w} once more",
        "{a} a suivi : recul pour le dételer encore une fois de {b_w}",
    ),
    ("set back", "recul"),
    (
        "and going round it did not help ({a_w} such runs tried)",
        "et le contourner n'a pas suffi ({a_w} mouvements essayés)",
    ),
    # power
    (
        "a link was lost while it was on, and it is not confirmed that it went off everywhere",
        "une liaison a été perdue alors qu'elle était établie, et il n'est pas confirmé qu'elle soit coupée partout",
    ),
    (
        "the node stops the locomotive by itself within 1 second: look whether it stands; if it does not, switch "
        "the track power off by hand: {a_s}",
        "le nœud arrête lui-même la locomotive en 1 seconde : regardez si elle est arrêtée ; sinon, coupez la "
        "tension à la main : {a_s}",
    ),
    (
        "the node stops the locomotive by itself within 1 second: look whether it stands; if it does not, switch "
        "the track power off by hand",
        "le nœud arrête lui-même la locomotive en 1 seconde : regardez si elle est arrêtée ; sinon, coupez la "
        "tension à la main",
    ),
    (
        "the track power has gone off since: look at the layout before anything else",
        "la tension de la voie a été coupée depuis : regardez d'abord le réseau",
    ),
    ("part of the track power went off: {a}", "une partie de la tension de la voie a été coupée : {a}"),
    ("the station did not report the track power on", "la centrale n'a pas signalé la mise sous tension"),
    # what a play stops for by itself
    (
        "the computer was busy: end other programs, then start again; {a_s}",
        "l'ordinateur était occupé : terminez d'autres programmes, puis recommencez ; {a_s}",
    ),
    (
        "the computer was busy: end other programs, then start again",
        "l'ordinateur était occupé : terminez d'autres programmes, puis recommencez",
    ),
    (
        "this program stood still for {a_w} s, and nothing was watched meanwhile",
        "ce programme est resté bloqué {a_w} s, et rien n'a été surveillé pendant ce temps",
    ),
    (
        "a part of this program hangs: nobody looked what the train does",
        "une partie de ce programme est bloquée : personne ne regardait ce que fait le train",
    ),
    ("command {a_w} was not accepted: {b_s}", "la commande {a_w} n'a pas été acceptée : {b_s}"),
    ("the station did not confirm command {a_w} ({b})", "la centrale n'a pas confirmé la commande {a_w} ({b})"),
    ("beam {a_w} was {b_s} while everything stood", "le faisceau {a_w} a été {b_s} alors que tout était arrêté"),
    ("the station stopped everything by itself: {a_s}", "la centrale a tout arrêté d'elle-même : {a_s}"),
    (
        "{a_w} was set to {leg} twice, and is reported {leg_b}",
        "{a_w} a été manœuvré deux fois vers {leg}, et il est signalé sur {leg_b}",
    ),
    (
        "{a_w} was set to {leg}, and is reported {leg_b}; setting it again",
        "{a_w} a été manœuvré vers {leg}, et il est signalé sur {leg_b} ; nouvel essai",
    ),
    ("look at {a_w} and its machine", "regardez {a_w} et son moteur"),
    (
        "Beam {a_w} is broken, and was free before: put that right first.",
        "Le faisceau {a_w} est coupé, et il était libre avant : corrigez d'abord cela.",
    ),
    (
        "Beam {a_w} is free, and was broken before: put that right first.",
        "Le faisceau {a_w} est libre, et il était coupé avant : corrigez d'abord cela.",
    ),
    ("Beam {a_w} is {b_s} before: put that right first.", "Le faisceau {a_w} est {b_s} avant : corrigez d'abord cela."),
    ("broken, and was free", "coupé, et il était libre"),
    ("free, and was broken", "libre, et il était coupé"),
    ("the answer was no: {a_s}", "la réponse était non : {a_s}"),
    ("it was not done within {a_w} s", "cela n'a pas été fait en {a_w} s"),
    ("trying again", "nouvel essai"),
    (
        "{a_w} came along: it did not uncouple, tried {b_w} times",
        "{a_w} a suivi : il ne s'est pas dételé, après {b_w} essais",
    ),
    (
        "{a_w} came along: it did not uncouple, and {b_w} may have met {c_w} meanwhile",
        "{a_w} a suivi : il ne s'est pas dételé, et {b_w} a peut-être touché {c_w} entre-temps",
    ),
    ("{a_w} came along: it did not uncouple; trying again", "{a_w} a suivi : il ne s'est pas dételé ; nouvel essai"),
    ("{a_w} came along: it did not uncouple", "{a_w} a suivi : il ne s'est pas dételé"),
    ("{a_s}, tried {b_w} times", "{a_s}, après {b_w} essais"),
    ("{a_s}, and {b_w} may have met {c_w} meanwhile", "{a_s}, et {b_w} a peut-être touché {c_w} entre-temps"),
    ("came along", "a suivi"),
    ("let a person play in a terminal", "laissez une personne jouer dans un terminal"),
    ("nobody can be asked to do this: {a_s}", "on ne peut demander cela à personne : {a_s}"),
    (
        "set the layout up as the picture shows, then start again",
        "disposez le réseau comme sur l'image, puis recommencez",
    ),
    ("look at the cable and the station", "regardez le câble et la centrale"),
    ("the link did not come up", "la liaison ne s'est pas établie"),
    (
        "nothing may move without it; see the messages above",
        "rien ne doit bouger sans lui ; voir les messages ci-dessus",
    ),
    ("nothing may move without it; close other programs", "rien ne doit bouger sans lui ; fermez d'autres programmes"),
    ("the guardian does not start", "le gardien ne démarre pas"),
    ("the guardian cannot be started: {a}", "le gardien ne peut pas être lancé : {a}"),
    ("open the link first", "ouvrez d'abord la liaison"),
    ("a guardian needs an open link", "un gardien a besoin d'une liaison ouverte"),
    (
        "the guardian process does not listen: nobody would stop the trains if this program died",
        "le processus gardien n'écoute pas : personne n'arrêterait les trains si ce programme mourait",
    ),
    (
        "the guardian process ended: nobody would stop the trains if this program died",
        "le processus gardien a fini : personne n'arrêterait les trains si ce programme mourait",
    ),
    (
        "this program was stopped or hung for more than {a_w} s, so the guardian has stopped the trains",
        "ce programme a été arrêté ou bloqué plus de {a_w} s, et le gardien a arrêté les trains",
    ),
    ("nobody drives here any more", "plus personne ne conduit ici"),
    ("start again", "recommencez"),
    (
        "the middle of {a_w} at {b_w} mm of {c_w}, give or take {d_w}",
        "le milieu de {a_w} à {b_w} mm de {c_w}, à {d_w} près",
    ),
    # orders by hand
    (
        "stop: the throttle is another locomotive's, {a_w}",
        "arrêt : la commande est celle d'une autre locomotive, {a_w}",
    ),
    ("stop to reverse", "arrêt pour repartir dans l'autre sens"),
    (
        "drive to where the position can be written, or ask for another plan",
        "roulez jusqu'où la position peut s'écrire, ou demandez un autre plan",
    ),
    ("the first run starts from '{a}'", "le premier mouvement part de « {a} »"),
    ("functions are F0 to F{a_w}", "les fonctions vont de F0 à F{a_w}"),
    ("{a_w} has no F{b_w} here", "{a_w} n'a pas de F{b_w} ici"),
    ("the end is not work", "la fin n'est pas un travail"),
    ("there is no turnout {a_w}", "il n'y a pas d'aiguillage {a_w}"),
    ("there is no magnet {a_w}", "il n'y a pas d'aimant {a_w}"),
    ("there is no segment {a_w}", "il n'y a pas de voie {a_w}"),
    ("there is no vehicle {a}", "il n'y a pas de véhicule {a}"),
    ("there is no {a_w} {b_w}", "il n'y a pas de {a_w} {b_w}"),
    # setting up, and putting right
    (
        "Uncouple {a} from {b} by hand, in {c_w} by {d_w}. Move no wagon.",
        "Dételez {a} de {b} à la main, dans {c_w} près de {d_w}. Ne bougez aucun wagon.",
    ),
    ("Set {a_w} by hand to {leg}: towards {b}. {c_s}", "Manœuvrez {a_w} à la main vers {leg} : vers {b}. {c_s}"),
    (
        "Set up like this. Wagons: the first in each track just clear of the beam, its coupler within {a_w} mm of "
        "it, the others pushed up to it. {b_w}: in {c_w}, set up like wagons: {d_w} just clear of the beam at "
        "{e_s}, its coupler within {f_w} mm of it; {g} coupled to it.",
        "Disposez ainsi. Wagons : le premier de chaque voie juste hors du faisceau, son attelage à {a_w} mm au "
        "plus, les autres poussés contre lui. {b_w} : dans {c_w}, placée comme les wagons : {d_w} juste hors du "
        "faisceau côté {e_s}, son attelage à {f_w} mm au plus ; {g} attelé.",
    ),
    (
        "Wagons: the first in each track just clear of the beam, {a_s}, the others pushed up to it.",
        "Wagons : le premier de chaque voie juste hors du faisceau, {a_s}, les autres poussés contre lui.",
    ),
    ("{a_w}: in {b_w}, set up like wagons: {c_s}.", "{a_w} : dans {b_w}, placée comme les wagons : {c_s}."),
    ("{a_w} just clear of the beam at {b_s}, {c_s}", "{a_w} juste hors du faisceau côté {b_s}, {c_s}"),
    ("its coupler within {a_w} mm of it; {b} coupled to it", "son attelage à {a_w} mm au plus ; {b} attelé"),
    ("its coupler within {a_w} mm of it", "son attelage à {a_w} mm au plus"),
    ("{a} coupled to it", "{a} attelé"),
    ("the fouling point at {a_w}", "le point de garage de {a_w}"),
    (
        "{a_w}: in {b_w}, its coupler towards {c_s} {d_w} mm from {e_s}; {f} coupled to it.",
        "{a_w} : dans {b_w}, son attelage vers {c_s} à {d_w} mm de {e_s} ; {f} attelé.",
    ),
    (
        "{a_w}: in {b_w}, its coupler towards {c_s} {d_w} mm from {e_s}",
        "{a_w} : dans {b_w}, son attelage vers {c_s} à {d_w} mm de {e_s}",
    ),
    ("places are 1 to {a_w}", "les places vont de 1 à {a_w}"),
    ("there is no place {a_w} for {b_w} in {c_w}", "il n'y a pas de place {a_w} pour {b_w} dans {c_w}"),
    ("{a} is not understood", "{a} n'est pas compris"),
    ("{a} are {b_w} mm long, {c_w} is {d_w}", "{a} font {b_w} mm, {c_w} en fait {d_w}"),
    (
        "write a wagon and its track, like {a_w} {b_w}, or the whole line",
        "écrivez un wagon et sa voie, comme {a_w} {b_w}, ou toute la ligne",
    ),
    (
        "write it like '{a}', parts parted by '|'; segments: {b}",
        "écrivez-le comme « {a} », les parties séparées par « | » ; voies : {b}",
    ),
    ("vehicles of this puzzle: {a}", "véhicules de ce problème : {a}"),
    ("not of this puzzle: {a}", "pas de ce problème : {a}"),
    ("every vehicle of the puzzle must stand somewhere", "chaque véhicule du problème doit se trouver quelque part"),
    ("missing: {a}", "il manque : {a}"),
    ("write each vehicle once", "écrivez chaque véhicule une fois"),
    ("vehicle {a_w} is in {b_w} already", "le véhicule {a_w} est déjà dans {b_w}"),
    (
        "write an occupied turnout with the one vehicle on it, and leave a free one out",
        "écrivez un aiguillage occupé avec son seul véhicule, et pas un libre",
    ),
    ("{a_w} vehicles on {b_w}, which holds {c_w}", "{a_w} véhicules sur {b_w}, qui en contient {c_w}"),
    ("write each turnout once", "écrivez chaque aiguillage une fois"),
    ("turnout {a_w} is given twice", "l'aiguillage {a_w} est donné deux fois"),
    ("write {a_w}>closed or {b_w}>thrown", "écrivez {a_w}>closed ou {b_w}>thrown"),
    ("{a_w} is no leg", "{a_w} n'est pas une branche"),
    ("a capacity counts every vehicle, the locomotive too", "une capacité compte chaque véhicule, la locomotive aussi"),
    ("write each segment once", "écrivez chaque voie une fois"),
    ("segment {a_w} is given twice", "la voie {a_w} est donnée deux fois"),
    (
        "a vehicle on a turnout is written with the leg it lies for: {a_w}>closed or {b_w}>thrown",
        "un véhicule sur un aiguillage s'écrit avec la branche de celui-ci : {a_w}>closed ou {b_w}>thrown",
    ),
    ("not of the form 'segment: vehicles'", "pas de la forme « voie: véhicules »"),
)
