"""The HTTP interface against its own OpenAPI: ``serve`` and ``compete run`` as processes, tried by schemathesis.

    python tests/campaign/api_campaign.py                   # 100 s: as everybody that there is, one after the other
    python tests/campaign/api_campaign.py --seconds 600 --seed 7

Whatever is sent, fitting or not: every answer must be one that the OpenAPI tells of, with the body it tells of, and
none a fault of the program. A puzzle is drawn before, a marshal has a session, and the layout has pictures: no
operation may answer nothing but that there is no such thing, or that it is forbidden, save those that are not for a
spectator. Of a competition something is in every phase, and what is sent names it more often than not. At the end the
server must still answer, and have logged no fault.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
from websockets.sync.client import connect

sys.path.append(str(Path(__file__).parents[1] / "support"))
from every_phase import ENTRANTS, ROUNDS, EveryPhase, every_phase
from halls import AT, CLUB, CODE
from pictures import pictured
from programs import Program, running, tool

PIN = "428517"
ROLES: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {
    "marshal": ((), frozenset()),
    "spectator": (("--pin", PIN), frozenset({"POST /api/driver-codes"})),
}
"""With which options of ``serve`` whoever comes is what, and what is forbidden to them."""
_OF_ALL = AT.replace(CLUB, "{competition}")
_REPLAY = f"GET {_OF_ALL}/attempts/{{attempt}}/replay"
_NOT_THEIRS = frozenset({_REPLAY, f"GET {_OF_ALL}/export.json", f"POST {_OF_ALL}/deeds"})
COMPETING: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {
    # What was marked by hand has no journal to be shown again.
    "competition's marshal": (("inglenook-small",), frozenset({_REPLAY})),
    "competition's helper": (("--pin", PIN), _NOT_THEIRS),
    "competition's spectator": (("--pin", PIN), _NOT_THEIRS),
}
"""The same of ``compete run``."""
STREAMS = f"{_OF_ALL}/events"
"""Answers that have no end are not waited for."""
EVERYBODY = {**ROLES, **COMPETING}
SECONDS = 100
LONGER_S = 60
"""For starting, and for making what was found small."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended; ``wrong`` is empty when every answer was as it is told of. ``mode`` is the server's in the end.

    ``forbidden`` are the operations that answered nothing else, ``missed`` those that found nothing to answer with.
    """

    wrong: str
    forbidden: frozenset[str]
    missed: frozenset[str]
    mode: str
    told: str


def explore(folder: Path, role: str, seconds: int, seed: int, *more: str) -> Outcome:
    """Try a server as somebody with a role. ``more`` are options of schemathesis."""
    if role in ROLES:
        words = ("serve", str(pictured(folder)), *ROLES[role][0])
        return _tried(folder, words, lambda at: drawn_by_a_marshal(at, role), seconds, seed, more)
    club = every_phase(folder)
    (folder / "schemathesis.toml").write_text(_names_of(club))
    words = ("compete", "run", CLUB, *COMPETING[role][0], "--store", club.store)
    helper = club.token if role == "competition's helper" else None
    options = ("--include-path-regex", "competition", "--exclude-path", STREAMS, *more)
    # Whether what is well said can be done is for the book to say: that it is refused is no fault.
    options += ("--exclude-checks", "positive_data_acceptance")
    return _tried(folder, words, lambda at: shown_by_a_helper(at, helper), seconds, seed, options)


def _tried(
    folder: Path,
    words: tuple[str, ...],
    cookie_of: Callable[[str], str],
    seconds: int,
    seed: int,
    more: tuple[str, ...],
) -> Outcome:
    """Try a server that these words start; ``cookie_of`` makes it ready, and says with which cookie one comes."""
    words = (*words, "--port", "0", "--journals", str(folder / "journals"))
    with running(lambda: Program(tool("pointsman"), *words)) as server:
        address = server.expect(r"http://127\.0\.0\.1:\d+").group()
        cookie = cookie_of(address)
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json", "--no-color"]
        # A page of the server's own: any other one is refused before all else.
        command += ["--header", f"Origin: {address}", "--max-time", str(seconds), "--seed", str(seed), *more]
        command += ["--header", f"Cookie: {cookie}"] if cookie else []
        command += ["--suppress-health-check", "all"]
        tried = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "NO_PROXY": "127.0.0.1"},
            capture_output=True,
            text=True,
            timeout=seconds + LONGER_S,
            check=False,
        )
        mode = httpx.get(f"{address}/healthz", timeout=5, trust_env=False).json()["mode"]
        said = server.text
    wrong = "" if tried.returncode == 0 else tried.stdout + tried.stderr
    if "a fault of the program" in said or "Traceback" in said:
        wrong += said
    forbidden, missed = _warned_of(r"40[13] ", tried.stdout), _warned_of("Missing test data: ", tried.stdout)
    return Outcome(wrong, forbidden, missed, mode, tried.stdout)


def _names_of(club: EveryPhase) -> str:
    """The names that there are, for schemathesis: four times in five one of them stands where a name belongs."""
    entrants = [name.lower() for name in ENTRANTS]
    names = {"attempt": club.attempts, "round": ROUNDS, "entrant": entrants, "id": entrants, "code": [CODE]}
    names["token"] = [club.token]
    names["round_id"] = ROUNDS
    told = [f"[dictionaries.{name}]\nvalues = {json.dumps(list(values))}" for name, values in names.items()]
    told.append(f'[parameters]\n"path.competition" = "{CLUB}"\n"path.heat" = 1')
    for name in names:
        told += [f'"{kind}.{name}" = {{ dictionary = "{name}", probability = 0.8 }}' for kind in ("path", "body")]
    return "\n".join(told) + "\n"


def _warned_of(begins: str, told: str) -> frozenset[str]:
    """The operations in the warnings that begin so."""
    lists = re.findall(rf"^{begins}.*\n+(?:.*:\n+)?((?:  - .*\n)+)", told, re.M)
    return frozenset(one.removeprefix("  - ") for found in lists for one in found.splitlines())


def shown_by_a_helper(address: str, token: str | None) -> str:
    """The cookie of a helper's device; none without a token."""
    if token is None:
        return ""
    with httpx.Client(base_url=address, headers={"origin": address}, timeout=5, trust_env=False) as device:
        device.post(f"{AT}/token", json={"token": token}).raise_for_status()
        return "; ".join(f"{name}={value}" for name, value in device.cookies.items())


def drawn_by_a_marshal(address: str, role: str) -> str:
    """Draw a puzzle as a marshal; the cookie of that session, for a marshal."""
    with httpx.Client(base_url=address, headers={"origin": address}, timeout=5, trust_env=False) as browser:
        browser.post("/api/session", json={"pin": PIN}).raise_for_status()
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    page = connect(f"ws{address[4:]}/ws", origin=address, additional_headers={"cookie": cookie}, proxy=None)  # type: ignore[arg-type]
    with page:
        page.send('{"id":1,"do":"deal","puzzle":"classic","seed":"1"}')
        while (answer := json.loads(page.recv(timeout=30))).get("id") != 1:
            pass
    if answer["type"] != "done":
        raise SystemExit(f"nothing was drawn: {answer}")
    return cookie if role == "marshal" else ""


def main() -> int:
    """Try, report, and end with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="in all")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    bad = 0
    for role, (_, never) in EVERYBODY.items():
        with tempfile.TemporaryDirectory() as folder:
            outcome = explore(Path(folder), role, max(1, arguments.seconds // len(EVERYBODY)), arguments.seed)
        more = [f"{one} is forbidden" for one in sorted(outcome.forbidden - never)]
        more += [f"{one} is not reached" for one in sorted(outcome.missed)]
        bad += bool(outcome.wrong or more)
        told = outcome.wrong or outcome.told.strip().splitlines()[-1].strip("= ")
        print(f"{role}: {'; '.join([*more, told])}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
