"""What the program says, in French: templates of its sentences. What has no template stays as it is said.

Names of tracks, turnouts and vehicles are the layout's own in every language. In a template ``{a}`` stands for
anything, ``{a_w}`` for one word, ``{leg}`` for a turnout's leg, ``{a_d}`` for what is done, and ``{a_s}`` for a
sentence that is put into French itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

TEXTS = frozenset({"note", "why", "cure", "text", "title", "run", "words"})
"""The keys whose values are sentences."""
_WORDS = {"closed": "la voie directe", "thrown": "la voie déviée", "the points": "l'aiguillage"}
_WORDS |= {"the buffer stop": "le heurtoir"}
_ENDS = "ends"
_DEEDS = {
    "deal": "tirer un problème",
    "put right": "corriger la position",
    "take up a play": "reprendre une partie",
    "begin": "commencer",
    "drive": "rouler",
    "give a hint": "donner un conseil",
    "begin the demo": "commencer la démonstration",
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
    ("emergency stop by {a}: nothing was moving", "arrêt d'urgence par {a} : rien ne bougeait"),
    ("emergency stop by {a}", "arrêt d'urgence par {a}"),
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
    ("the link to the station is lost: {a}", "la liaison avec la centrale est perdue : {a}"),
    ("the station restarted: {a}", "la centrale a redémarré : {a}"),
    ("something else controls the layout: {a}", "autre chose commande le réseau : {a}"),
    ("overload on the track: {a}", "surcharge sur la voie : {a}"),
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
    ("ask the marshal", "demandez au responsable"),
    ("reload the page", "rechargez la page"),
    ("look at the screen", "regardez l'écran"),
    ("a spectator may not do this", "un spectateur ne peut pas le faire"),
    ("a driver may not do this", "un conducteur ne peut pas le faire"),
    ("this cannot be done here", "cela ne peut pas se faire ici"),
    ("that is not asked any more", "cette question n'est plus posée"),
    ("there is no play to take up", "il n'y a pas de partie à reprendre"),
    ("there is no play to go on with", "il n'y a pas de partie à continuer"),
    ("nothing is driven by itself", "rien ne roule tout seul"),
    ("there is no draw to print", "il n'y a pas de tirage à imprimer"),
    ("there is nothing to pause", "il n'y a rien à interrompre"),
    ("{a} stands on {b}: say on which track it stands", "{a} est sur {b} : dites sur quelle voie il se trouve"),
    ("{a} vehicles in {b}, which holds {c}", "{a} véhicules dans {b}, qui en contient {c}"),
    ("this is not the marshal's PIN", "ce n'est pas le code du responsable"),
    ("it is in the terminal in which serve runs", "il est affiché dans le terminal où tourne serve"),
    ("there were too many wrong tries", "il y a eu trop d'essais faux"),
    ("wait {a} minutes", "attendez {a} minutes"),
    ("this code was used, or is too old", "ce code a déjà servi, ou il est trop vieux"),
    ("ask the marshal for another one", "demandez-en un autre au responsable"),
    # what goes on
    ("drawing and solving ...", "tirage et résolution ..."),
    ("planning from there ...", "nouveau plan à partir de là ..."),
    ("{a}: {b} positions, {c} moves deep", "{b} positions, {c} coups de profondeur"),
    ("solved", "résolu"),
    ("as it stands, the goal is reached", "tel quel, le but est atteint"),
    ("Not driven: {a}", "Pas conduit : {a}"),
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


@lru_cache(maxsize=1024)
def sentence(text: str) -> str:
    """A sentence in French, or several; as it is where there is no template for it."""
    if text in _WORDS:
        return _WORDS[text]
    for pattern, into in _COMPILED:
        found = pattern.fullmatch(text)
        if found is not None:
            return into.format_map({name: _put(name, part) for name, part in found.groupdict().items()})
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
    return _WORDS[part] if name == "leg" else part


def _pattern(english: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", english)
    return re.compile("".join(_holding(part) if at % 2 else re.escape(part) for at, part in enumerate(parts)))


def _holding(name: str) -> str:
    if name == "leg":
        return f"(?P<{name}>closed|thrown)"
    return rf"(?P<{name}>\S+?)" if name.endswith("_w") else f"(?P<{name}>.+?)"


_COMPILED = tuple((_pattern(english), into) for english, into in _TEMPLATES)
