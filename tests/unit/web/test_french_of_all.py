"""Every sentence in the source that a page can show has French; whoever writes a new one is told here."""

from __future__ import annotations

import tomllib

import pytest
from said import Said, sentences

from pointsman.track.builtin import builtin_layouts, find_layout, layout_puzzles
from pointsman.web.french import sentence

TOLD_ON_A_PAGE = (
    "box",
    "compete/attempted.py",
    "compete/book.py",
    "compete/by_hand.py",
    "compete/certainty.py",
    "compete/chain.py",
    "compete/clocking.py",
    "compete/commitment.py",
    "compete/desk.py",
    "compete/desk_attempts.py",
    "compete/desk_book.py",
    "compete/desk_clock.py",
    "compete/desk_draws.py",
    "compete/desk_entrants.py",
    "compete/desk_presses.py",
    "compete/desk_rounds.py",
    "compete/differences.py",
    "compete/draws.py",
    "compete/doubts.py",
    "compete/entries.py",
    "compete/entry_json.py",
    "compete/evidence.py",
    "compete/field.py",
    "compete/following.py",
    "compete/export",
    "compete/formats.py",
    "compete/going_on.py",
    "compete/knockout.py",
    "compete/knockout_table.py",
    "compete/lines.py",
    "compete/marks.py",
    "compete/marks_json.py",
    "compete/overall.py",
    "compete/pars.py",
    "compete/plans.py",
    "compete/played_out.py",
    "compete/ranking.py",
    "compete/placing.py",
    "compete/retracing.py",
    "compete/rules.py",
    "compete/schedule.py",
    "compete/scoring",
    "compete/sealing.py",
    "compete/speed_check.py",
    "compete/standing.py",
    "compete/standings.py",
    "compete/state.py",
    "compete/store",
    "compete/tokens.py",
    "compete/verify.py",
    "compete/verify_draws.py",
    "compete/verify_entitled.py",
    "compete/verify_marks.py",
    "dispatch",
    "draws.py",
    "errors.py",
    "hand_driving.py",
    "operate/ahead.py",
    "operate/causes.py",
    "operate/hand_drive.py",
    "operate/hand_parting.py",
    "operate/hands.py",
    "operate/interlocking.py",
    "operate/motion.py",
    "operate/needs.py",
    "operate/parting.py",
    "operate/plan.py",
    "operate/power.py",
    "operate/putting_right.py",
    "operate/referee.py",
    "operate/retelling.py",
    "operate/set_up.py",
    "operate/standing.py",
    "operate/steps.py",
    "operate/stopping.py",
    "operate/sweep.py",
    "operate/telling.py",
    "operate/tracker.py",
    "phones",
    "playing.py",
    "posix.py",
    "puzzle/choice.py",
    "puzzle/deal.py",
    "puzzle/journey.py",
    "puzzle/moves.py",
    "puzzle/position.py",
    "puzzle/puzzle.py",
    "record.py",
    "replanning.py",
    "resuming.py",
    "solver",
    "track/tomlfile.py",
    "transports/base.py",
    "transports/diagnosis.py",
    "transports/mqtt.py",
    "transports/serial.py",
    "transports/tcp.py",
    "transports/websocket.py",
    "drivers/chatter.py",
    "drivers/dccex/driver.py",
    "drivers/dccex/link.py",
    "drivers/dccex/overheard.py",
    "drivers/dccex/proof.py",
    "drivers/dccex/reports.py",
    "drivers/dccex/setup.py",
    "drivers/dccex/window.py",
    "drivers/halt.py",
    "drivers/jmri/driver.py",
    "drivers/jmri/link.py",
    "drivers/jmri/reports.py",
    "drivers/jmri/setup.py",
    "drivers/jmri/window.py",
    "drivers/mqtt/driver.py",
    "drivers/mqtt/link.py",
    "drivers/mqtt/names.py",
    "drivers/mqtt/reports.py",
    "drivers/mqtt/setup.py",
    "drivers/node/addresses.py",
    "drivers/node/arming.py",
    "drivers/node/driver.py",
    "drivers/node/link.py",
    "drivers/node/misfits.py",
    "drivers/node/moves.py",
    "drivers/node/reports.py",
    "drivers/node/setup.py",
    "drivers/node/talk.py",
    "drivers/node/tunnel.py",
    "drivers/several.py",
    "drivers/wired.py",
    "protocols/node_constants.py",
    "web/commands.py",
    "web/competing",
    "web/front.py",
    "web/guarding.py",
    "web/phones.py",
    "web/printing/certificate.py",
    "web/printing/press.py",
    "web/printing/result_sheet.py",
    "web/routes.py",
    "web/server.py",
    "web/sessions.py",
    "web/visits.py",
)
"""Not here: mistakes in files and words of the command line, which a terminal tells before any page is there; and what
``doctor``, ``calibrate``, ``ports`` and ``node`` tell."""

NOT_TOLD = {
    "the journal": {
        "pointsman x1",
        "the goal",
        "x1 forward at x1 mm/s",
        "x1 backward at x1 mm/s",
        "protection x1",
        "play x1 runs",
        "uncouple at x1",
        "x1 Fx1 on",
        "x1 Fx1 off",
        "a person's word",
        "let pass",
        "the time it stands over the magnet",
        "accepted by the station, then the machine's own time",
        "none on the way",
    },
    "where it is, which the page shows in the picture": {
        "the demo",
        "drive x1",
        "goal 'x1'",
        "cards x1",
        "from 'x1'",
        "x1, seed x1, x1",
        "layout x1",
        "position, part x1 (x1)",
        "broker x1",
        "locomotive x1",
    },
    "a piece of a sentence, which has French as a whole": {
        "x1 magnet x1",
        "by x1",
        "or to",
        "over closed",
        "leaving x1",
        "leaving x1 in x1",
        "to x1",
        "with x1",
        "x1 of level x1",
        "cab x1",
        "a x1 may not do this",
        "Does the front of x1 point to x1?",
        "When the node drives x1 forward, does it run to x1?",
        "it is x1",
        "add `x1 = ...`: x1",
        "more than",
        "at least",
        "less than",
        "at most",
        "Value error",
    },
    "notation": {"x1>closed: x1"},
    "a name": {"phone x1", "Chef de gare", "JMRI x1", "Arduino Mega 2560", "meets itself", "may be foul"},
    "what the command line alone tells": {
        "--withrottle alone serves nobody: phones come by the network",
        "add --host 0.0.0.0, or the address of this computer on the network of the phones",
        "end the program that has the port, or give another one with --withrottle-port",
        "now believed",
        "last confirmed",
        "can be solved",
        "cannot be solved",
        "x1 of x1 draws can be solved",
        "all x1 draws can be solved",
        "a program that just ended",
        "x1 (process x1)",
        "sudo fuser -v x1 names them",
        "a built-in port, hardly a command station",
        "x1 runs: x1",
        "it takes a port for some seconds when it is plugged in, and sends modem commands",
        "it takes USB-serial chips (CH340 and others) for braille displays",
        "if your board has no port: sudo apt remove brltty, then plug the board in again",
        "if a port is held, or the station behaves oddly then: sudo systemctl disable --now ModemManager",
    },
    "names of threads, and of what is kept on the disk": {
        "reader of x1",
        "writer of x1",
        "closer of x1",
        "pointsman challenges 1",
        "pointsman deal 1",
        "pointsman competition draws 1",
        "pointsman shapes 2 x1",
        "pointsman distances 3",
        "pointsman distances 3\nx1",
        "tuple[list[int], list[bytes]]",
    },
    "what a store is asked, and what it says": {
        "PRAGMA x1",
        "SET LOCAL lock_timeout = x1",
        "SELECT pg_advisory_xact_lock(:key)",
        "lock timeout",
        "file is not a database",
        'pip install "pointsman[postgresql]"',
    },
    "what the chain of a book hangs on": {"pointsman book 1\nx1"},
    "what a commitment is made of": {
        "pointsman draws 1",
        "secret x1",
        "program x1",
        "puzzle x1",
        "round x1",
        "count x1",
        "pars x1 x1",
        "draws x1",
        "heats x1",
        "spares x1",
    },
    "HTTP, and its description for programs": {
        'inline; filename="x1"',
        "private, max-age=x1",
        "camera=(), geolocation=(), microphone=()",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "object-src 'none'",
        "img-src 'self' data:",
        "default-src 'self'",
        "What it is printed on.",
        "The document.",
        "There is no picture.",
        "It is the same as before.",
        "The picture.",
        "Not understood.",
        "Too often from one address.",
        "This server is not called so.",
        "Longer than 4 kB.",
        "Refused, and why.",
        "No JSON in UTF-8.",
        "What changes is told on the websocket `/ws`, where everything on the layout is asked for too.",
        "The signal box of a model railway layout",
        "What changes is told by the competition's events; everything is asked for by its deeds.",
        "A competition of model railway shunting",
        "The language of its sentences.",
        "The whole book.",
        "The table.",
        "An event `head` at once and at every change.",
        "Not there below the scope of a marshal; the newest first.",
        "Not there below the scope of a marshal.",
        "Club evening",
        "head: | s1: L 1 2 3 | s2: 4 5 | s3:",
        "head: L | s1: 1 2 3 | s2: 4 5 | s3:",
        ": still here",
    },
    "parts of the sentences of a competition's log, which have French as a whole": {
        "a fault in x1: x1",
        "x1 has ended: x1",
        "the set-up is agreed",
        "the clock runs",
        "the clock runs again",
        "the clock stands",
        "a hint was given",
        "the marks are corrected",
        "the marks are checked",
    },
    "who writes what a layout has shown: a name, as it stands in the book": {"the layout"},
    "the log": {
        "%s of attempt %s was not written: %s",
        "%s comes in",
        "%s may drive %s",
        "%s may not drive",
        "%s leaves: %s",
        "%s does not read",
        "x1, page x1",
    },
    "why a phone's connection ends, for the log": {
        "it has connected again",
        "it says too much at once",
        "it says too much",
        "it has gone",
        "it was quiet, and another one has come",
        "it said goodbye",
        "it is no phone",
        "it was not heard any more",
        "its connection is lost (x1)",
    },
}
"""Texts that are no sentences of a page, by what they are."""


def has_french(text: str) -> bool:
    """As a whole, as a part of a sentence, or as what is done."""
    parts = {text, text.strip(" ;,:"), f"{text}."}
    return any(sentence(one) != one for one in parts) or text not in sentence(f"it cannot {text} now: it is {text}")


def untold(found: list[Said], passed_over: set[str]) -> list[str]:
    """The ways to say something that have no French."""
    ways = [(one, way.strip()) for one in found for way in one.ways]
    return [
        f"{one.file}:{one.line}: {way}"
        for one, way in ways
        if way.strip(" ,") not in passed_over and not has_french(way)
    ]


def test_every_sentence_that_a_page_can_show_has_french() -> None:
    found = sentences(*TOLD_ON_A_PAGE)
    assert len(found) > 600
    passed_over = set().union(*NOT_TOLD.values())
    assert untold(found, passed_over) == []
    # What is passed over is still there: the list does not outlive what it is about.
    assert passed_over - {way.strip().strip(" ,") for one in found for way in one.ways} == set()


def test_a_sentence_is_found_in_every_way_that_it_is_told_and_missed_where_it_has_no_french() -> None:
    ways = {way for one in sentences("operate/ahead.py", "operate/tracker.py") for way in one.ways}
    assert {"x1 stands foul of x1", "x1 stands foul of x1, or may"} <= ways
    assert {f"beam x1 was not {done} by x1 where it should have been" for done in ("broken", "freed")} <= ways
    assert untold([Said("x.py", 3, ("x1 sings", "x1 is moving"))], set()) == ["x.py:3: x1 sings"]


def test_every_title_of_the_built_in_layouts_and_puzzles_has_french() -> None:
    files = []
    for name in builtin_layouts():
        folder = find_layout(name)
        files += [folder / "layout.toml", *(folder / "puzzles" / f"{puzzle}.toml" for puzzle in layout_puzzles(folder))]
    titles = {tomllib.loads(file.read_text(encoding="utf-8"))["title"] for file in files}
    # These two are names, and the same in both languages.
    assert {title for title in titles if sentence(title) == title} <= {"Inglenook Sidings, 5-3-3", "Tchoutchou, 5-3-3"}


@pytest.mark.parametrize(
    ("english", "in_french"),
    [
        (
            "beam s1 was not broken by L where it should have been; did L run the other way, or is it on another "
            "track?",
            "le faisceau s1 n'a pas été coupé par L là où il aurait dû l'être ; "
            "L est-elle partie dans l'autre sens, ou est-elle sur une autre voie ?",
        ),
        (
            "if L ran the other way, swap the two wires to the rails, or answer the other way; else L stood still, or "
            "beam s1 is dead",
            "si L est partie dans l'autre sens, inversez les deux fils des rails, ou donnez l'autre réponse ; "
            "sinon L n'a pas bougé, ou le faisceau s1 est mort",
        ),
        (
            "the link to the station is lost: the node has not confirmed a stop within 2 s",
            "la liaison avec la centrale est perdue : le nœud n'a pas confirmé un arrêt en 2 s",
        ),
        (
            "the computer was busy: end other programs, then start again; look at the layout before anything else",
            "l'ordinateur était occupé : terminez d'autres programmes, puis recommencez ; regardez d'abord le réseau",
        ),
        (
            "something else controls the layout: turnout T1 was thrown by somebody else: another throttle, or the "
            "station's own automation",
            "autre chose commande le réseau : l'aiguillage T1 a été mis en voie déviée par quelqu'un d'autre : "
            "une autre commande, ou l'automatisme de la centrale",
        ),
        (
            "the node stops the locomotive by itself within 1 second: look whether it stands; if it does not, switch "
            "the track power off by hand: nobody confirmed that it went off; then look at the layout",
            "le nœud arrête lui-même la locomotive en 1 seconde : regardez si elle est arrêtée ; sinon, coupez la "
            "tension à la main : personne n'a confirmé qu'elle est coupée ; puis regardez le réseau",
        ),
        (
            "beam s1 became broken 12 mm before 3 can have reached it",
            "le faisceau s1 est devenu coupé 12 mm avant que 3 ait pu l'atteindre",
        ),
        (
            "L: in head, its coupler towards the points 60 mm from the buffer stop; 1 2 coupled to it.",
            "L : dans head, son attelage vers l'aiguillage à 60 mm du heurtoir ; 1 2 attelé.",
        ),
        ("attempt a1 is paused", "l'essai a1 est interrompu"),
        ("there is no entrant 'adda'", "il n'y a pas de participant 'adda'"),
        (
            'entry.at must be in UTC, but is "2026"',
            'entry.at doit être en UTC, mais c\'est "2026"',
        ),
        (
            "entry 2 is missing; entry 3 was changed: entry 4 holds on to another one",
            "l'entrée 2 manque ; l'entrée 3 a été changée : l'entrée 4 en suit une autre",
        ),
        (
            "entry 4 was changed: attempt.heat must be at least 1, but is 0",
            "l'entrée 4 a été changée : attempt.heat doit être au moins 1, mais c'est 0",
        ),
    ],
)
def test_sentences_that_are_put_together(english: str, in_french: str) -> None:
    assert sentence(english) == in_french
