"""What the program says, in French: templates of its sentences. What has no template stays as it is said.

Names of tracks, turnouts and vehicles are the layout's own in every language. In a template ``{a}`` stands for
anything up to a semicolon, ``{a_w}`` for one word, ``{leg}`` and ``{leg_b}`` for a turnout's leg, ``{a_d}`` for what is
done, and ``{a_s}`` for a sentence that is put into French itself. Of several that fit, the one that says more itself is
taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pointsman.web.french_of import (
    attempts,
    book,
    box,
    competing,
    desk,
    evidence,
    export,
    fair_draws,
    guarded,
    links,
    nodes,
    phones,
    playing,
    printing,
    roles,
    scoring,
    solving,
    standings,
    stations,
    stopping,
)

TEXTS = frozenset({"note", "why", "cure", "text", "title", "puzzle_title", "scheme_title", "run", "words"})
"""The keys whose values are sentences."""
_WORDS = {"closed": "la voie directe", "thrown": "la voie déviée", "the points": "l'aiguillage"}
_WORDS |= {"the buffer stop": "le heurtoir", "forward": "en avant", "reverse": "en arrière", "backward": "en arrière"}
_WORDS |= {"broken": "coupé", "free": "libre", "freed": "libéré"}
_ENDS = "ends"
_DEEDS = {
    "deal": "tirer un problème",
    "put right": "corriger la position",
    "take up a play": "reprendre une partie",
    "begin": "commencer",
    "drive": "rouler",
    "take the throttle": "prendre la commande",
    "set a turnout": "manœuvrer un aiguillage",
    "uncouple": "dételer",
    "give a hint": "donner un conseil",
    "begin the demo": "commencer la démonstration",
    "clear the layout": "vider le réseau",
    "write a fault down": "noter une faute",
    "touch the clock": "toucher au chronomètre",
    "idle": "rien n'est tiré",
    "dealt": "mise en place",
    "starting": "démarrage",
    "ready": "prêt",
    "auto": "marche automatique",
    "paused": "en pause",
    "hand": "conduite à la main",
    "halted": "arrêté",
    "solved": "résolu",
    "drawing and solving": "tirage et résolution",
    "planning from there": "nouveau plan",
}
"""What is done, and what it is when it is done: ``{a_d}`` is one of them, or several with ``or``."""

_TEMPLATES = (
    # runs, and the steps that they are made of
    ("{a_w} with {b} to {c_w}, leaving {d} in {e_w}", "{a_w} avec {b} vers {c_w}, en laissant {d} dans {e_w}"),
    ("{a_w} with {b} to {c_w}", "{a_w} avec {b} vers {c_w}"),
    ("{a_w} to {b_w}, leaving {c} in {d_w}", "{a_w} vers {b_w}, en laissant {c} dans {d_w}"),
    ("{a_w} to {leg} by hand", "{a_w} à la main vers {leg}"),
    ("{a_w} to {leg}", "{a_w} vers {leg}"),
    ("{a_w} to {b_w}", "{a_w} vers {b_w}"),
    ("drive {a} to couple up in {b}", "conduire {a} pour atteler dans {b}"),
    ("drive {a} to {b}", "conduire {a} vers {b}"),
    ("draw until {a} | {b} is over magnet {c}", "tirer jusqu'à ce que {a} | {b} soit sur l'aimant {c}"),
    ("back to slacken {a} | {b}", "reculer pour détendre {a} | {b}"),
    ("uncouple {a} from {b} by hand at {c}", "dételer {a} de {b} à la main à {c}"),
    ("uncouple {a} from {b} at {c}", "dételer {a} de {b} à {c}"),
    ("prove {a}: creep towards beam {b}", "vérifier {a} : au pas vers le faisceau {b}"),
    ("track power on", "mise sous tension de la voie"),
    ("getting ready", "préparation"),
    # why a drive stops where it does
    ("{a} must be seen at beam {b}", "{a} doit être vu au faisceau {b}"),
    ("{a} must stand whole in {b}", "{a} doit se trouver tout entier dans {b}"),
    ("{a} must stand clear in {b}", "{a} doit être garé franc dans {b}"),
    ("{a} must have left {b}", "{a} doit avoir quitté {b}"),
    ("{a} must stop short of {b}", "{a} doit s'arrêter avant {b}"),
    ("{a} must stay clear of {b}", "{a} doit rester à distance de {b}"),
    ("{a} must clear {b}", "{a} doit dégager {b}"),
    ("{a} must be met", "{a} doit être accosté"),
    ("the nearest beam is {a}", "le faisceau le plus proche est {a}"),
    (
        "the coupling between {a} and {b} must stop over magnet {c}",
        "l'attelage entre {a} et {b} doit s'arrêter sur l'aimant {c}",
    ),
    (
        "the coupling between {a} and {b} must come over magnet {c}",
        "l'attelage entre {a} et {b} doit venir sur l'aimant {c}",
    ),
    (
        "the coupling between {a} and {b} must be slack over magnet {c}",
        "l'attelage entre {a} et {b} doit être détendu sur l'aimant {c}",
    ),
    # stops
    ("emergency stop by {a_s}: nothing was moving", "arrêt d'urgence par {a_s} : rien ne bougeait"),
    ("emergency stop by {a_s}", "arrêt d'urgence par {a_s}"),
    ("marshal {a_w}", "le chef de manœuvre {a_w}"),
    ("driver {a_w}", "le conducteur {a_w}"),
    ("spectator {a_w}", "le spectateur {a_w}"),
    ("phone {a_w}", "le téléphone {a_w}"),
    ("STOPPED: {a_s}", "ARRÊTÉ : {a_s}"),
    ("everything was stopped: {a_s}", "tout a été arrêté : {a_s}"),
    ("the signal box is closed", "le poste d'aiguillage est fermé"),
    ("another puzzle is dealt", "un autre problème est tiré"),
    ("stopped by Ctrl-C", "arrêté par Ctrl-C"),
    ("the journal stops in the middle", "le journal s'arrête au milieu"),
    (
        "nothing moves any more; say what stands where to go on, or draw anew",
        "plus rien ne bouge ; pour continuer, dites ce qui se trouve où, ou tirez de nouveau",
    ),
    ("nothing moves any more; start again when you like", "plus rien ne bouge ; recommencez quand vous voulez"),
    ("SWITCH THE TRACK POWER OFF BY HAND NOW: {a_s}", "COUPEZ TOUT DE SUITE LA TENSION À LA MAIN : {a_s}"),
    ("SWITCH THE TRACK POWER OFF BY HAND NOW", "COUPEZ TOUT DE SUITE LA TENSION À LA MAIN"),
    ("the locomotive may still be running", "la locomotive roule peut-être encore"),
    ("nobody confirmed that it went off", "personne n'a confirmé qu'elle est coupée"),
    ("look at the layout before anything else", "regardez d'abord le réseau"),
    ("look at the layout", "regardez le réseau"),
    ("look at the layout, then start again", "regardez le réseau, puis recommencez"),
    ("say what stands where", "dites ce qui se trouve où"),
    ("the track power went off", "la tension de la voie a été coupée"),
    ("the link to the station is lost: {a_s}", "la liaison avec la centrale est perdue : {a_s}"),
    ("the station restarted: {a_s}", "la centrale a redémarré : {a_s}"),
    ("something else controls the layout: {a_s}", "autre chose commande le réseau : {a_s}"),
    ("overload on the track: {a_s}", "surcharge sur la voie : {a_s}"),
    (
        "beam {a} was broken while everything stood",
        "le faisceau {a} a été coupé alors que tout était arrêté",
    ),
    (
        "beam {a} was freed while everything stood",
        "le faisceau {a} a été libéré alors que tout était arrêté",
    ),
    (
        "beam {a} should have been broken by {b} by now, and was not",
        "le faisceau {a} aurait dû être coupé par {b} et ne l'a pas été",
    ),
    (
        "beam {a} should have been freed by {b} by now, and was not",
        "le faisceau {a} aurait dû être libéré par {b} et ne l'a pas été",
    ),
    ("{a} may not have moved", "{a} n'a peut-être pas bougé"),
    ("{a} stood still, or beam {b} is dead", "{a} n'a pas bougé, ou le faisceau {b} est mort"),
    # what is refused
    ("it cannot {a_d} now: it is {b_d}", "impossible de {a_d} maintenant : {b_d}"),
    (
        "it cannot {a_d} yet: the link is still open",
        "impossible de {a_d} pour l'instant : la liaison est encore ouverte",
    ),
    ("that can be done when it is {a_d}", "c'est possible dans cet état : {a_d}"),
    ("the demo is running", "la démonstration est en cours"),
    ("end the demo first", "terminez d'abord la démonstration"),
    ("wait a moment", "attendez un instant"),
    ("deal a puzzle", "tirez un problème"),
    ("ask the marshal", "demandez au chef de manœuvre"),
    ("reload the page", "rechargez la page"),
    ("look at the screen", "regardez l'écran"),
    ("a spectator may not do this", "un spectateur ne peut pas le faire"),
    ("a driver may not do this", "un conducteur ne peut pas le faire"),
    ("this cannot be done here", "cela ne peut pas se faire ici"),
    ("that is not asked any more", "cette question n'est plus posée"),
    ("there is no play to take up", "il n'y a pas de partie à reprendre"),
    ("there is no play to go on with", "il n'y a pas de partie à continuer"),
    ("nothing is driven by itself", "rien ne roule tout seul"),
    ("there is no picture of this vehicle", "il n'y a pas d'image de ce véhicule"),
    ("pointsman check tells what is wrong with one", "pointsman check dit ce qui ne va pas"),
    ("there is no draw to print", "il n'y a pas de tirage à imprimer"),
    ("there is nothing to pause", "il n'y a rien à interrompre"),
    ("{a} stands on {b}: say on which track it stands", "{a} est sur {b} : dites sur quelle voie il se trouve"),
    ("{a} vehicles in {b}, which holds {c}", "{a} véhicules dans {b}, qui en contient {c}"),
    ("this is not the marshal's PIN", "ce n'est pas le code du chef de manœuvre"),
    (
        "whoever started serve knows it: it was chosen, or printed, then",
        "qui a lancé serve le connaît : il a été choisi ou affiché alors",
    ),
    ("there were too many wrong tries", "il y a eu trop d'essais faux"),
    ("wait {a} minutes", "attendez {a} minutes"),
    ("this code was used, or is too old", "ce code a déjà servi, ou il est trop vieux"),
    ("ask the marshal for another one", "demandez-en un autre au chef de manœuvre"),
    # driving by hand: how far it may go, and why no further
    ("by hand", "à la main"),
    ("by hand: {a_w} towards {b_w}", "à la main : {a_w} vers {b_w}"),
    ("stopped: {a_s}", "arrêt : {a_s}"),
    ("careful: {a_s}", "attention : {a_s}"),
    ("{a_w} came along", "{a_w} a suivi"),
    ("the protection was raised", "la protection a été renforcée"),
    ("the throttle was not renewed for {a} s", "la commande n'a pas été confirmée pendant {a} s"),
    ("the track ends in {a_w}", "la voie finit dans {a_w}"),
    ("beyond {a_w} the line comes back to itself", "après {a_w}, la voie revient sur elle-même"),
    (
        "{a_w} is still moving, and turnouts move one after the other",
        "{a_w} est encore en mouvement, et les aiguillages se manœuvrent l'un après l'autre",
    ),
    ("{a_w} is still moving", "{a_w} est encore en mouvement"),
    ("nobody knows how {a_w} lies", "personne ne sait comment {a_w} est disposé"),
    (
        "{a_w} lies for its {leg} leg, against a train from {leg_b}",
        "{a_w} est disposé pour {leg}, contre un train qui vient par {leg_b}",
    ),
    (
        "{a_w} lies for its {leg} leg, the train needs {leg_b}",
        "{a_w} est disposé pour {leg}, et il faut au train {leg_b}",
    ),
    (
        "{a_w} was set for its {leg} leg, and is reported {leg_b}",
        "{a_w} a été disposé pour {leg}, et il est signalé sur {leg_b}",
    ),
    ("{a_w} stands foul of {b_w}, or may", "{a_w} engage {b_w}, ou peut-être"),
    ("{a_w} stands foul of {b_w}", "{a_w} engage {b_w}"),
    ("{a_w} holds {b_w}: {c} would be too many", "{a_w} en contient {b_w} : {c}, ce serait trop"),
    ("{a_w} stands there, and is never pushed", "{a_w} se trouve là, et ne se pousse jamais"),
    ("go the other way", "partez dans l'autre sens"),
    ("set it for the train, or go the other way", "disposez-le pour le train, ou partez dans l'autre sens"),
    ("set it", "manœuvrez-le"),
    ("wait until it is over", "attendez qu'il ait fini"),
    ("push clear what stands there", "poussez à l'écart ce qui s'y trouve"),
    ("push it further in", "poussez-le plus loin"),
    ("leave a wagon elsewhere", "laissez un wagon ailleurs"),
    ("move that one first", "déplacez d'abord celle-là"),
    (
        "{a_w} has no room either way, and no turnout on its way may be set",
        "{a_w} n'a de place dans aucun sens, et aucun aiguillage sur son chemin ne peut être manœuvré",
    ),
    # and what else is refused there
    ("you do not hold the throttle", "vous n'avez pas la commande"),
    ("take it first", "prenez-la d'abord"),
    ("take it over", "reprenez-la"),
    ("{a_w} is driving the other way", "{a_w} roule dans l'autre sens"),
    ("stop first", "arrêtez d'abord"),
    ("stop it first", "arrêtez-le d'abord"),
    ("a train is moving", "un train roule"),
    ("the train stands", "le train est arrêté"),
    ("close the throttle, then drive on", "fermez la commande, puis repartez"),
    ("it cannot {a_d}: this play was the demo's", "impossible de {a_d} : cette partie était celle de la démonstration"),
    ("draw anew", "tirez de nouveau"),
    ("draw another puzzle", "tirez un autre problème"),
    ("the plan is at its end", "le plan est terminé"),
    ("nothing can be planned from here: {a_s}", "rien ne peut se prévoir d'ici : {a_s}"),
    ("drive to where everything stands clear", "roulez jusqu'à ce que tout soit garé franc"),
    ("the train has been driven meanwhile", "le train a été conduit entre-temps"),
    ("ask again when it stands", "redemandez quand il sera arrêté"),
    ("a track holds more than the game allows", "une voie en contient plus que le jeu ne permet"),
    (
        "{a} stand on {b_w}: the game writes one vehicle on a turnout",
        "{a} sont sur {b_w} : le jeu n'écrit qu'un véhicule par aiguillage",
    ),
    ("{a_w} stands on {b_w}, or may", "{a_w} est sur {b_w}, ou peut-être"),
    ("the train stands across {a_w}: {b_w} is on it", "le train est à cheval sur {a_w} : {b_w} s'y trouve"),
    ("drive clear of it first", "dégagez-le d'abord"),
    ("no coupling is near magnet {a_w}", "aucun attelage n'est près de l'aimant {a_w}"),
    (
        "the nearest coupling is {a_w} mm from magnet {b_w}",
        "l'attelage le plus proche est à {a_w} mm de l'aimant {b_w}",
    ),
    ("{a_w} does not stand on the line of magnet {b_w}", "{a_w} n'est pas sur la voie de l'aimant {b_w}"),
    ("the end of {a_w} is {b_w} mm from magnet {c}", "le bout de {a_w} est à {b_w} mm de l'aimant {c}"),
    ("stop with the coupling over it", "arrêtez-vous l'attelage sur l'aimant"),
    (
        "from here the coupling of {a_w} and {b_w} cannot surely be slackened over the magnet",
        "d'ici, l'attelage entre {a_w} et {b_w} ne peut pas être sûrement détendu sur l'aimant",
    ),
    ("stop with the coupling nearer to its middle", "arrêtez-vous l'attelage plus près de son milieu"),
    ("{a_w} was uncoupled from {b_w} already", "{a_w} est déjà dételé de {b_w}"),
    ("drive away from it", "éloignez-vous-en"),
    ("{a_w} is not coupled to {b_w}", "{a_w} n'est pas attelé à {b_w}"),
    ("couple up first", "attelez d'abord"),
    ("a slack-back of {a_w} mm, more than {b_w}", "un recul de détente de {a_w} mm, plus de {b_w}"),
    ("push the wagons together there", "poussez-y les wagons l'un contre l'autre"),
    ("nobody knows whether {a_w} is coupled to {b_w}", "personne ne sait si {a_w} est attelé à {b_w}"),
    (
        "by hand: drive {a_w} against {b_w} until they have surely met, or draw {c_w} past a beam",
        "à la main : conduisez {a_w} contre {b_w} jusqu'à ce qu'ils se soient sûrement touchés, "
        "ou tirez {c_w} devant un faisceau",
    ),
    (
        "by hand: draw {a_w} away from {b_w}, then drive against it until they have surely met",
        "à la main : éloignez {a_w} de {b_w}, puis conduisez contre jusqu'à ce qu'ils se soient sûrement touchés",
    ),
    ("{a_w} came along on the way back", "{a_w} a suivi au retour"),
    ("ask for it once more", "demandez-le encore une fois"),
    ("push {a_w} and {b_w} together first", "poussez d'abord {a_w} et {b_w} l'un contre l'autre"),
    ("{a} should be drawn along, and stands apart", "{a} devrait être tiré aussi, et se trouve à l'écart"),
    ("couple it up first", "attelez-le d'abord"),
    (
        "{a_w} is not on the line along which {b_w} can be measured: it closes to a ring",
        "{a_w} n'est pas sur la voie le long de laquelle {b_w} peut être mesurée : elle se ferme en boucle",
    ),
    ("go there another way, not round the ring", "allez-y autrement, pas par la boucle"),
    (
        "{a_w} is not in the way of {b_w}, as the turnouts lie",
        "{a_w} n'est pas sur le chemin de {b_w}, aiguillages comme ils sont",
    ),
    (
        "set the turnouts for it, or say what stands where",
        "disposez les aiguillages pour cela, ou dites ce qui se trouve où",
    ),
    ("{a_w} is moving", "{a_w} roule"),
    ("{a} drives {b_w}", "{a} conduit {b_w}"),
    # what goes on
    ("drawing and solving ...", "tirage et résolution ..."),
    ("planning from there ...", "nouveau plan à partir de là ..."),
    ("{a}: {b} positions, {c} moves deep", "{b} positions, {c} coups de profondeur"),
    ("solved", "résolu"),
    ("as it stands, the goal is reached", "tel quel, le but est atteint"),
    ("{a_s}. Not driven: {b_s}: {c_s}.", "{a_s}. Pas conduit : {b_s} : {c_s}."),
    ("Not driven: {a_s}: {b_s}.", "Pas conduit : {a_s} : {b_s}."),
    ("Not driven: {a_s}: {b_s}", "Pas conduit : {a_s} : {b_s}"),
    # setting up
    (
        "{a_s} Begin when everybody is clear of the layout.",
        "{a_s} Commencez quand personne n'a plus la main au réseau.",
    ),
    (
        "Set up like this. Wagons: the first in each track just clear of the beam, its coupler within {a} mm of it, "
        "the others pushed up to it. {b_s}",
        "Disposez ainsi. Wagons : le premier de chaque voie juste hors du faisceau, son attelage à {a} mm au plus, les "
        "autres poussés contre lui. {b_s}",
    ),
    (
        "{a}: in {b}, its coupler towards {c_s} {d} mm from {e_s}.",
        "{a} : dans {b}, son attelage vers {c_s} à {d} mm de {e_s}.",
    ),
    (
        "{a_s}: this play did not come to its end ({b_s}). Take it up?",
        "{a_s} : cette partie n'est pas allée à sa fin ({b_s}). La reprendre ?",
    ),
    ("Set {a} by hand to {leg}: towards {b}.", "Manœuvrez {a} à la main vers {leg} : vers {b}."),
    (
        "Uncouple {a} from {b} by hand, in {c}. Move no wagon.",
        "Dételez {a} de {b} à la main, dans {c}. Ne bougez aucun wagon.",
    ),
    (
        "Does the front of {a_w} point to {b_s} or to {c_s}?",
        "L'avant de {a_w} est-il tourné vers {b_s} ou vers {c_s} ?",
    ),
    (
        "When the node drives {a_w} forward, does it run to {b_s} or to {c_s}?",
        "Quand le nœud fait avancer {a_w}, va-t-elle vers {b_s} ou vers {c_s} ?",
    ),
    (
        "{a_w} runs on direct current: the wires to the rails decide which way it runs, not its front. The first "
        "movement shows whether the answer is right.",
        "{a_w} roule en courant continu : ce sont les fils des rails qui décident de son sens de marche, non son "
        "avant. Le premier mouvement montre si la réponse est juste.",
    ),
    # the built-in layouts
    ("Small Inglenook, 3-2-2", "Petit Inglenook, 3-2-2"),
    ("Inglenook Sidings, 5-3-3", "Inglenook Sidings, 5-3-3"),
    ("Timesaver, after John Allen", "Timesaver, d'après John Allen"),
    ("Form the train of five in the long siding; {a_s}", "Formez le train de cinq dans la voie longue ; {a_s}"),
    ("Form the train of three in the long siding; {a_s}", "Formez le train de trois dans la voie longue ; {a_s}"),
    ("the others may be anywhere", "les autres où l'on veut"),
    ("the others in the short sidings", "les autres dans les voies courtes"),
    ("the others all in siding 2", "les autres tous dans la voie 2"),
    ("the others both in siding 2", "les deux autres dans la voie 2"),
    (
        "Form the train of five in the long siding and the other three, in order, in siding 2",
        "Formez le train de cinq dans la voie longue et les trois autres, dans l'ordre, dans la voie 2",
    ),
    (
        "Form the train of three in the long siding and the other two, in order, in siding 2",
        "Formez le train de trois dans la voie longue et les deux autres, dans l'ordre, dans la voie 2",
    ),
)


def french(value: Any) -> Any:
    """A value of a message, with its sentences in French."""
    if isinstance(value, Mapping):
        return {key: _of_key(key, inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [french(inner) for inner in value]
    return value


def _of_key(key: str, value: Any) -> Any:
    if isinstance(value, str):
        return sentence(value) if key in TEXTS else value
    if key == _ENDS and isinstance(value, Mapping):
        return {end: sentence(name) for end, name in value.items()}
    return french(value)


@lru_cache(maxsize=16_384)
def sentence(text: str) -> str:
    """A sentence in French, or several; as it is where there is no template for it."""
    if text in _WORDS:
        return _WORDS[text]
    for longest, pattern, into in _COMPILED:
        found = pattern.fullmatch(text) if longest in text else None
        if found is not None:
            said: str = into.format_map({name: _put(name, part) for name, part in found.groupdict().items()})
            return said.replace(" de le ", " du ")
    for mark, joined in (("; ", " ; "), (": ", " : ")):
        head, there, rest = text.partition(mark)
        if there and (sentence(head), sentence(rest)) != (head, rest):
            return sentence(head) + joined + sentence(rest)
    return text


def _put(name: str, part: str) -> str:
    if name.endswith("_s"):
        return sentence(part)
    if name.endswith("_d"):
        return " ou ".join(_DEEDS.get(one, one) for one in part.split(" or "))
    return _WORDS[part] if name.startswith("leg") else part


def _pattern(english: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", english)
    return re.compile("".join(_holding(part) if at % 2 else re.escape(part) for at, part in enumerate(parts)))


def _holding(name: str) -> str:
    if name.startswith("leg"):
        return f"(?P<{name}>closed|thrown)"
    if name.endswith("_s"):
        return f"(?P<{name}>.+?)"
    return rf"(?P<{name}>\S+?)" if name.endswith("_w") else rf"(?P<{name}>(?:(?!; ).)+?)"


def _own(english: str) -> list[str]:
    """What a template says itself, in pieces."""
    return re.split(r"\{\w+\}", english)


_ALL = (
    *_TEMPLATES,
    *(
        one
        for part in (
            attempts,
            book,
            box,
            competing,
            desk,
            evidence,
            export,
            fair_draws,
            guarded,
            links,
            nodes,
            phones,
            playing,
            printing,
            roles,
            scoring,
            solving,
            standings,
            stations,
            stopping,
        )
        for one in part.TEMPLATES
    ),
)
_COMPILED = tuple(
    (max(_own(english), key=len), _pattern(english), into)
    for english, into in sorted(_ALL, key=lambda both: -len("".join(_own(both[0]))))
)
"""Each with its longest piece: where that is not, it need not be tried."""
