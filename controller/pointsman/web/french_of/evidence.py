"""What a journal says of an attempt when it is shown again, and why one is no evidence of it."""

from __future__ import annotations

_REPLAY = (
    ("the clock starts", "le chronomètre démarre"),
    ("the goal is reached", "le but est atteint"),
    ("run {a_w} done: {b}", "manœuvre {a_w} faite : {b}"),
    ("stands: between positions, {a_s}", "à l'arrêt : entre deux positions, {a_s}"),
    ("stands: {a}", "à l'arrêt : {a}"),
    ("refused: {a_s}", "refusé : {a_s}"),
    ("let pass, protection {a_w}: {b_s}", "laissé passer, protection {a_w} : {b_s}"),
    ("asked: {a_s}", "demandé : {a_s}"),
    ("put right by {a}: {b}", "position corrigée par {a} : {b}"),
    ("hint: {a_s}", "conseil : {a_s}"),
    # what a person orders
    ("{a}: {b_w} forward at {c_w} mm/s", "{a} : {b_w} en avant à {c_w} mm/s"),
    ("{a}: {b_w} backward at {c_w} mm/s", "{a} : {b_w} en arrière à {c_w} mm/s"),
    ("{a}: {b_w} to {leg}", "{a} : {b_w} vers {leg}"),
    ("{a}: uncouple at {b_w}", "{a} : dételer à {b_w}"),
    ("{a}: play {b_w} runs", "{a} : jouer {b_w} manœuvres"),
    ("{a}: {b_w} F{c_w} on", "{a} : {b_w} F{c_w} en marche"),
    ("{a}: {b_w} F{c_w} off", "{a} : {b_w} F{c_w} à l'arrêt"),
    ("{a}: protection {b_w}", "{a} : protection {b_w}"),
    ("{a}: stop", "{a} : arrêt"),
    ("{a}: stop to reverse", "{a} : arrêt pour changer de sens"),
    ("{a}: end", "{a} : fin"),
    ("{a}: the throttle was not renewed for {b_w} s", "{a} : la commande n'a pas été confirmée pendant {b_w} s"),
    ("{a}: the protection was raised", "{a} : la protection a été renforcée"),
    # what a referee presses
    ("{a} has marked {b_s}", "{a} a marqué {b_s}"),
    ("{a} has taken back {b_s}", "{a} a retiré {b_s}"),
    ("a derailment", "un déraillement"),
    ("a side-swipe", "une prise en écharpe"),
    ("a hand on a vehicle", "une main sur un véhicule"),
    ("an over-full siding", "une voie trop pleine"),
    ("{a} has stopped the clock: {b_s}", "{a} a arrêté le chronomètre : {b_s}"),
    ("{a} has stopped the clock", "{a} a arrêté le chronomètre"),
    ("{a} has let the clock go on: {b_s}", "{a} a remis le chronomètre en marche : {b_s}"),
    ("{a} has let the clock go on", "{a} a remis le chronomètre en marche"),
)

_NO_EVIDENCE = (
    ("line {a_w}: {b_s}", "ligne {a_w} : {b_s}"),
    ("{a_s}; it is no evidence of anything", "{a_s} ; il ne prouve rien"),
    (
        "take it from where it was written, or let a marshal enter the marks",
        "prenez-le là où il a été écrit, ou faites entrer les notes par un chef de manœuvre",
    ),
    ("give the journal of this attempt", "donnez le journal de cet essai"),
    ("it is a calibration's, and no attempt's", "c'est celui d'un étalonnage, pas d'un essai"),
    ("its {a_w} is '{b}', and the attempt's is '{c}'", "son {a_w} est « {b} », et celui de l'essai est « {c} »"),
    ("it starts from '{a}', and the draw from '{b}'", "il part de « {a} », et le tirage de « {b} »"),
    ("it is the journal of {a_s}, and not of {b_s}", "c'est le journal de {a_s}, pas de {b_s}"),
    ("no attempt", "aucun essai"),
    ("attempt {a_s}", "l'essai {a_s}"),
    ("{a_w} of {b_w}", "{a_w} de {b_w}"),
    ("it goes on from itself", "il continue lui-même"),
    ("it goes on from {a}, which is not there", "il continue {a}, qui n'est pas là"),
    ("it goes on from {a}, which is not what it was then", "il continue {a}, qui n'est plus ce qu'il était"),
    ("take that journal from where it was written", "prenez ce journal là où il a été écrit"),
    ("put that journal beside it", "mettez ce journal à côté"),
    (
        "its first line names no journal that it goes on from",
        "sa première ligne ne nomme aucun journal qu'il continue",
    ),
    ("its first line has no start", "sa première ligne n'a pas de départ"),
    ("it begins twice", "il commence deux fois"),
    ("a {a_w} line where none can be", "une ligne {a_w} là où il ne peut pas y en avoir"),
    ("a {a_w} line after its end", "une ligne {a_w} après sa fin"),
    ("it has counted fewer than it began with", "il a compté moins qu'à son début"),
    ("no run {a} leads from '{b}' to '{c}'", "aucune manœuvre {a} ne mène de « {b} » à « {c} »"),
    ("where the figures come from is not whole", "l'origine des chiffres n'est pas complète"),
    (
        "a press of the clock that says not how it is",
        "une pression sur le chronomètre qui ne dit pas où il en est",
    ),
    ("there is no press {a}", "il n'y a pas de pression {a}"),
    ("there is no fault {a}", "il n'y a pas de faute {a}"),
)

TEMPLATES = _REPLAY + _NO_EVIDENCE
