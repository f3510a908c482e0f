"""The firmware's logic and the simulated node are one: told the same, at the same times, they say the same.

Both run without a board: the logic built for this computer, and railsim's ``NodeFirmware``. A script says what comes in
(commands, repeats, stop bytes, garbage, bodies in beams, resets, a line that stands still) and when. Everything that
they send must be equal, line by line, in the same millisecond, and so must relay, throttle and magnets after each step.

What may differ, and is therefore left out: how long ``store`` takes (a byte at a time on a board), so a script waits
for it and its lines may stand elsewhere; and what comes after ``trip``, which ends the program on a board.
"""

from __future__ import annotations

import math
import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pointsman.protocols.node import STOP, NodeReader, crc
from pointsman.protocols.node_constants import SETTINGS, VERSION, Board, Reset
from railsim.node_board import Fitted, Memory
from railsim.node_firmware import NodeFirmware

ROOT = Path(__file__).parents[2]
MISSING = [tool for tool in ("make", "g++") if shutil.which(tool) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (make deps)")

FITTED = Fitted(Board.UNO, turnouts=2, beams=3, magnets=2, dc=True, relay=True)
ROOM, BYTES_PER_MS = 63, 11
SCRIPTS, SCRIPTS_A_TEST, STEPS = 60, 20, 40
STORED_MS = 800
FASTER = 1 + 1e-8
"""The simulated node's clock: so that a sum of fractions never falls short of the millisecond that is meant."""

NEVER_S = 1e6

Step = tuple[str, ...]
Script = list[Step]
Line = tuple[int, str]


@dataclass
class Pins:
    """What the simulated node does to the layout."""

    closed: bool = False
    runs: bool = False
    on: dict[int, bool] = field(default_factory=dict)

    def relay(self, closed: bool) -> None:
        self.closed = closed

    def drive(self, forward: bool, step: int) -> None:
        self.runs = step != 0

    def magnet(self, magnet: int, on: bool) -> None:
        self.on[magnet] = on

    def turnout(self, turnout: int, thrown: bool, takes_s: float) -> None:
        pass

    def __str__(self) -> str:
        magnets = " ".join(str(int(self.on[magnet])) for magnet in sorted(self.on))
        return f"pins relay {self.closed:d} runs {self.runs:d} magnets {magnets}"


class Simulated:
    """railsim's program, looked at each millisecond when it has something to do, as the logic is."""

    def __init__(self) -> None:
        self._now_ms = 0
        self._levels = [False] * FITTED.beams
        self._memory = Memory()
        self.pins = Pins()
        self.sent: list[str] = []
        self._start(Reset.POWER)

    def _start(self, cause: Reset) -> None:
        self._room = ROOM
        self._reader = NodeReader()
        self._program = NodeFirmware(self.pins, FITTED, self._memory, cause, self._now_s, list(self._levels))

    @property
    def _now_s(self) -> float:
        return self._now_ms / 1000 * FASTER

    def run(self, script: Script) -> list[str]:
        """What it sends, and its pins after each step."""
        for step in script:
            match step:
                case ("pass", ms):
                    self._pass(int(ms), BYTES_PER_MS)
                case ("held", ms):
                    self._pass(int(ms), 0)
                case ("bytes", data):
                    for said in self._reader.feed(bytes.fromhex(data)):
                        self._program.hear(said, self._now_s)
                    self._look()
                case ("pin", beam, high):
                    self._levels[int(beam) - 1] = high == "1"
                    self._program.see(int(beam), high == "1", self._now_s)
                    self._look()
                case _:
                    self._start(Reset.BUTTON)
            self.sent.append(str(self.pins))
        return self.sent

    def _pass(self, ms: int, bytes_per_ms: int) -> None:
        end_ms = self._now_ms + ms
        while self._now_ms < end_ms:
            next_ms = min(self._next_ms(), end_ms)
            self._room = min(ROOM, self._room + bytes_per_ms * (next_ms - self._now_ms))
            self._now_ms = next_ms
            self._look()

    def _next_ms(self) -> int:
        """The next millisecond in which it has something to do."""
        soonest_s = 0.0 if self._program.outbox.has_line() else self._program.next_s()
        return max(self._now_ms + 1, math.ceil(min(soonest_s, NEVER_S) * 1000 / FASTER - 1e-9))

    def _look(self) -> None:
        self._program.step(self._now_s)
        while self._program.outbox.has_line() and self._room >= self._program.outbox.room_wanted:
            line = self._program.outbox.take_line(self._now_s)
            self._room -= len(line)
            self.sent.append(f"{self._now_ms} {line[:-1].decode()}")


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logic, built to obey scripts."""
    build = tmp_path_factory.mktemp("build")
    made = subprocess.run(
        ["make", "-C", "firmware", "scripted", f"BUILD={build}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return build / "scripted"


def ran(native: Path, scripts: Sequence[Script]) -> list[list[str]]:
    """What the logic sends in each script, and its pins after each step."""
    fitted = (FITTED.turnouts, FITTED.beams, FITTED.magnets, FITTED.dc, FITTED.relay)
    begin = "new " + " ".join(str(int(number)) for number in fitted)
    text = [line for script in scripts for line in (begin, *(" ".join(step) + "\nlook" for step in script))]
    run = subprocess.run([str(native)], input="\n".join(text) + "\n", capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr
    _, *all_lines = run.stdout.split("new\n")
    return [lines.splitlines() for lines in all_lines]


# ---------------------------------------------------------------- scripts

NUMBERS = {setting: made[0] for setting, made in SETTINGS.items()}
SHORT_MS, LONG_MS = (0, 1, 2, 3, 5, 8, 12, 15, 20, 40), (61, 113, 250, 330, 499, 741)
REST_MS = 2100
WORDS = (
    "",
    "fly",
    "drive 1",
    "drive 1 127",
    "beat 1",
    "turnout 9 x",
    "hello",
    "hello 300",
    "get 63 0",
    "off ",
    "  off",
)
GARBAGE = (
    b"x" * 70 + b"\n",
    b"\x07\n",
    b"1 beat*0000\n",
    b"\r\n",
    b"\n",
    b"abc" + STOP + b"\n",
    b"\x00\xff",
)


def framed(body: str) -> bytes:
    return b"%s*%04X\n" % (body.encode("ascii"), crc(body.encode("ascii")))


class Author:
    """Writes a script by dice: a node that is mostly greeted, set up, armed and kept alive; then anything."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._script: Script = []
        self._number = 0
        self._last = framed("0 beat")

    def write(self, steps: int) -> Script:
        """A script of so many steps."""
        scenes = [
            (self._speak, 8),
            (self._drive, 4),
            (self._move, 4),
            (self._magnet, 3),
            (self._keep_alive, 8),
            (self._arm, 3),
            (self._set, 5),
            (self._stop, 2),
            (self._bodies, 3),
            (self._hold_up, 1),
            (self._disturb, 3),
            (self._restart, 1),
            (self._trip, 1),
        ]
        if self._dice.random() < 0.9:
            self._greet()
            self._wait(REST_MS)
            self._arm()
        for _ in range(steps):
            (scene,) = self._dice.choices([scene for scene, _ in scenes], [weight for _, weight in scenes])
            scene()
            self._wait(self._dice.choice(SHORT_MS + SHORT_MS + LONG_MS))
        self._wait(500)
        return self._script

    def _wait(self, ms: int) -> None:
        self._script.append(("pass", str(ms)))

    def _bytes(self, data: bytes) -> None:
        self._script.append(("bytes", data.hex()))

    def _tell(self, words: str, then_ms: int | None = None) -> None:
        self._number = self._number % 9999 + 1
        self._last = framed(f"{self._number} {words}")
        self._bytes(self._last)
        self._wait(self._dice.choice((2, 12, 12, 20)) if then_ms is None else then_ms)

    def _greet(self) -> None:
        self._tell(f"hello {VERSION}", 12)
        if self._dice.random() < 0.8:
            for words in ("set 14 1 1", "set 13 1 1900", "set 12 1 1234", "set 14 2 2"):
                self._tell(words, 12)

    def _keep_alive(self) -> None:
        self._tell("beat", 12)

    def _arm(self) -> None:
        for words in ("beat", f"drive {self._dice.randint(0, 1)} 0", "arm"):
            self._tell(words, 12)

    def _speak(self) -> None:
        words = [f"hello {VERSION}", "hello 2", "state", "state", "off", *self._dice.sample(WORDS, 3)]
        number = self._dice.randint(0, len(SETTINGS))
        self._tell(self._dice.choice([*words, f"get {number} {self._dice.randint(0, 3)}"]))

    def _drive(self) -> None:
        for _ in range(self._dice.randint(1, 4)):
            step = self._dice.choice((0, 0, 1, 7, 30, 31, 126))
            self._tell(f"drive {self._dice.randint(0, 1)} {step}", self._dice.choice((12, 17, 33, 90, 260)))
        forward, wait_ms = self._dice.randint(0, 1), self._dice.randint(12, 90)
        self._tell(f"drive {forward} 30", wait_ms)
        self._tell(f"drive {forward} 0", 2)
        self._ask_often(f"drive {1 - forward} 1", wait_ms - 10)

    def _move(self) -> None:
        for _ in range(self._dice.randint(1, 3)):
            turnout = self._dice.choice((1, 1, 1, 2, 2, 3))
            self._tell(f"turnout {turnout} {self._dice.randint(0, 1)}", self._dice.choice((12, 61, 77, 190, 400)))
        if turnout == 2:
            self._ask_often("turnout 2 0", 60 + 500 - 400 - 20)

    def _magnet(self) -> None:
        magnet, ms = self._dice.choice((1, 1, 2, 3)), self._dice.choice((0, 20, 100, 333, 500, 501))
        self._tell(f"magnet {magnet} {ms}")
        if ms == 100:
            for _ in range(6):
                self._tell("beat", 300)
            self._ask_often(f"magnet {magnet} 20", 100 + REST_MS - 100 - 6 * 300 - 30)

    def _ask_often(self, words: str, from_ms: int) -> None:
        """Around the moment when it is allowed, by default, so that the moment shows."""
        self._wait(max(from_ms, 0))
        for _ in range(14):
            self._tell(words, 2)

    def _set(self) -> None:
        if self._dice.random() < 0.6:
            self._bytes(STOP)
            self._wait(self._dice.choice((12, 30, 600)))
        setting = self._dice.choice(list(SETTINGS))
        number, low, high, usual, of_what = SETTINGS[setting]
        of = 0 if of_what == "node" and self._dice.random() < 0.95 else self._dice.choice((1, 1, 2, 3))
        value = self._dice.choice((low, high, usual, usual, usual + 1, max(usual - 1, 0), max(low - 1, 0), high + 1))
        self._tell(f"set {number} {of} {value}")
        rare = self._dice.random()
        if rare < 0.1:
            self._tell("defaults")
        elif rare < 0.2:
            self._tell("store", STORED_MS)

    def _stop(self) -> None:
        for _ in range(self._dice.randint(1, 4)):
            if self._dice.random() < 0.4:
                self._tell("state", self._dice.choice((1, 5, 9)))
            self._bytes(STOP)
            self._wait(self._dice.choice(SHORT_MS))

    def _bodies(self) -> None:
        for _ in range(self._dice.randint(1, 4)):
            self._script.append(("pin", str(self._dice.randint(1, FITTED.beams)), str(self._dice.randint(0, 1))))
            self._wait(self._dice.choice(SHORT_MS))

    def _hold_up(self) -> None:
        """Nothing leaves the board for a while: some of what happens is lost."""
        for change in range(self._dice.randint(1, 12)):
            for beam in range(FITTED.beams):
                self._script.append(("pin", str(beam + 1), str(change % 2)))
            self._script.append(("held", "20"))
        self._wait(self._dice.choice((5, 200)))

    def _disturb(self) -> None:
        match self._dice.randint(0, 4):
            case 0:
                self._bytes(self._last)
            case 1:
                self._bytes(self._dice.choice((*GARBAGE, framed("0 off"), framed("off"), framed("@1 end"))))
            case 2:
                self._bytes(self._last[: self._dice.randint(1, len(self._last))])
            case 3:  # at once, with an answer still to be sent
                self._tell("beat", 0)
                self._bytes(self._dice.choice(GARBAGE))
                self._bytes(self._last)
            case _:
                data = bytearray(self._last)
                data[self._dice.randrange(len(data))] ^= 1 << self._dice.randint(0, 7)
                self._bytes(bytes(data))

    def _trip(self) -> None:
        """It starts anew before the program hangs: how long that takes is the board's matter."""
        self._bytes(STOP)
        self._wait(self._dice.choice((0, 30)))
        self._tell("trip", 5)
        words = (
            "turnout 1 1",
            "drive 0 0",
            "drive 1 9",
            "arm",
            "set 5 0 100",
            "magnet 1 0",
            "trip",
            "get 5 0",
        )
        for some in self._dice.sample(words, 5):
            self._tell(some, 5)
        self._restart()

    def _restart(self) -> None:
        self._script.append(("reset",))
        self._wait(self._dice.choice((1, 100)))
        if self._dice.random() < 0.9:
            self._greet()
            self._arm()


# ---------------------------------------------------------------- comparing

STORES = re.compile(r"^\d+ (@\d+ settings stored|(?P<number>\d+) (ok|no memory))\*")


def compared(script: Script, lines: list[str]) -> list[str]:
    """What was sent; of a script with a ``store`` without times, counts, and the lines that tell of it."""
    told = [bytes.fromhex(step[1]).split(b" ") for step in script if step[0] == "bytes"]
    stores = {words[0].decode() for words in told if len(words) > 1 and words[1].startswith(b"store*")}
    if not stores:
        return lines
    kept = []
    for line in lines:
        found = STORES.match(line)
        if found is None or (found["number"] is not None and found["number"] not in stores):
            kept.append(re.sub(r"^\d+ (@\d+)?", "", line).split("*")[0])
    return kept


@pytest.mark.parametrize("first", range(0, SCRIPTS, SCRIPTS_A_TEST))
def test_told_the_same_they_say_the_same(native: Path, first: int) -> None:
    scripts = [Author(seed).write(STEPS) for seed in range(first, first + SCRIPTS_A_TEST)]
    for seed, (script, sent) in enumerate(zip(scripts, ran(native, scripts), strict=True), start=first):
        assert compared(script, Simulated().run(script)) == compared(script, sent), f"script {seed}"
