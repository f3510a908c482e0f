"""Measure the solver, and write docs/performance.md and docs/performance.svg: ``make bench``.

Never run by the tests: it takes some minutes, and what it measures is the machine as much as the program.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from math import log10
from pathlib import Path
from typing import Any

from pointsman.cli.chart import label, line, sheet

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
FULL = {"positions": 2_136_960, "max": 21, "at_max": 11}
"""The classic Inglenook with all places fixed, in pull-drops: tables of n1ksn/sml-shunting."""

ROUNDS = 3
STOPS = 100
DRAWS = 25
WHOLE = 5
GROWTH = ("5-3-3", "6-4-4")
WAGONS = range(5, 13)
GROWTH_S = 900.0

Values = dict[str, Any]


@dataclass(frozen=True)
class Grown:
    """A point of the growth: seconds are None when the time was over first."""

    sidings: str
    wagons: int
    values: Values | None


def measure(cache: Path, *words: str) -> Values:
    """One measurement in a process of its own."""
    print("measuring", *words, flush=True)
    env = {**os.environ, "POINTSMAN_CACHE_DIR": str(cache)}
    command = [sys.executable, str(HERE / "measure.py"), *words]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    found: Values = json.loads(done.stdout)
    return found


def plain_search(folder: Path) -> list[Values]:
    """The search in C, several times; none without a compiler."""
    compiler = shutil.which("gcc")
    if compiler is None:
        print("no gcc: the comparison with C is left out", flush=True)
        return []
    program = folder / "inglenook"
    subprocess.run([compiler, "-O2", "-o", str(program), str(HERE / "inglenook.c")], check=True)
    print("measuring the search in C", flush=True)
    runs = [json.loads(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout) for _ in range(ROUNDS)]
    return [_checked(run) for run in runs]


def _checked(values: Values) -> Values:
    """Both searches must have looked at the whole of the same space."""
    wrong = {key: values[key] for key, wanted in FULL.items() if values[key] != wanted}
    if wrong:
        raise SystemExit(f"this is not the full classic space: {wrong}")
    return values


def stops(what: str) -> Values:
    """How soon a stop leaves the program."""
    print("measuring how soon a stop leaves:", what, flush=True)
    command = [sys.executable, str(HERE / "latency.py"), what, str(STOPS)]
    found: Values = json.loads(subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout)
    return found


def whole_solve(cache: Path) -> list[tuple[float, float]]:
    """``pointsman solve`` as people start it, with an empty cache first: seconds of the clock and of the processor."""
    took = []
    env = {**os.environ, "POINTSMAN_CACHE_DIR": str(cache)}
    for seed in range(WHOLE + 1):
        print("measuring pointsman solve inglenook", flush=True)
        command = [sys.executable, "-m", "pointsman.cli.main", "solve", "inglenook", "--seed", str(seed), "--json"]
        before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
        after, clock_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - clock
        took.append((clock_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return took


def grow(cache: Path) -> list[Grown]:
    """Tables of ever more wagons, as far as the time goes."""
    until = time.monotonic() + GROWTH_S
    found = []
    for sidings in GROWTH:
        for wagons in WAGONS:
            left = until - time.monotonic()
            values = measure(cache, "growth", sidings, str(wagons), f"{left:.0f}") if left > 1 else {"spent": ""}
            found.append(Grown(sidings, wagons, None if "spent" in values else values))
    return found


def seconds(value: float) -> str:
    """A time in the unit it is read in."""
    if value < 1e-3:
        return f"{value * 1e6:.0f} µs"
    return f"{value * 1e3:.0f} ms" if value < 1 else f"{value:.1f} s"


def row(*cells: object) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def table_rows(name: str, values: Values) -> str:
    """A table's figures."""
    return row(
        name,
        f"{values['positions']:,}",
        values["max"],
        seconds(values["explored_s"]),
        seconds(values["searched_s"]),
        seconds(values["read_s"]),
        f"{values['memory_mb']:.0f} MB",
    )


def growth_chart(grown: list[Grown]) -> str:
    """Seconds over wagons, each step upwards ten times as much."""
    width, height, left, top, foot, right = 720, 380, 64, 56, 328, 130
    points = {sidings: [g for g in grown if g.sidings == sidings and g.values is not None] for sidings in GROWTH}
    logs = {
        sidings: [(g.wagons, log10(g.values["explored_s"] + g.values["searched_s"])) for g in some if g.values]
        for sidings, some in points.items()
    }
    every = [log for some in logs.values() for _, log in some]
    low, high = int(min(every) // 1), int(-(-max(every) // 1))
    body = []

    def at(wagons: int, log: float) -> tuple[float, float]:
        x = left + (width - left - right) * (wagons - WAGONS[0]) / (WAGONS[-1] - WAGONS[0])
        return x, foot - (foot - top) * (log - low) / (high - low)

    for log in range(low, high + 1):
        x, y = at(WAGONS[0], log)
        body += [line(x, y, width - right, y), label(x - 8, y + 4, seconds(10.0**log), anchor="end")]
    for wagons in WAGONS:
        body.append(label(at(wagons, low)[0], foot + 18, str(wagons), anchor="middle"))
    body.append(label((left + width - right) / 2, height - 12, "wagons", anchor="middle"))
    for (sidings, some), colour in zip(logs.items(), ("a", "b"), strict=True):
        places = [at(*point) for point in some]
        body.append(f'<polyline class="{colour} curve" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>')
        body += [f'<line class="{colour} dot" x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{y:.1f}"/>' for x, y in places]
        body.append(label(places[-1][0] + 10, places[-1][1] + 4, sidings))
    return sheet(width, height, "A whole table in runs: the processor's seconds", body)


def processor() -> str:
    """What the machine calls its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [text.partition(":")[2].strip() for text in lines if text.startswith(("model name", "Model"))]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} processors"


def report(
    full: list[Values],
    plain: list[Values],
    tables: dict[str, Values],
    single: dict[str, Values],
    hints: dict[str, Values],
    whole: list[tuple[float, float]],
    stopped: dict[str, Values],
    grown: list[Grown],
) -> str:
    """The page."""
    made_s = statistics.median(run["explored_s"] + run["searched_s"] for run in full)
    searched_s = statistics.median(run["searched_s"] for run in full)
    lines = [
        "# Performance",
        "",
        "Written by `make bench`; every figure was measured in one run of it, on",
        f"{processor()}, {platform.system()}, Python {platform.python_version()}, numba {version('numba')}.",
        "",
        "Seconds are the processor's, of one thread, unless the clock is named: what else ran on the machine does not",
        "count. Memory is the most that the whole process took, the program and its libraries included; before",
        f"anything is solved that is {full[0]['program_mb']:.0f} MB.",
        "",
        "## Against a plain search in C",
        "",
        "The full classic Inglenook (5-3-3, all eight places fixed, pull-drops): 2,136,960 positions, the farthest 21",
        "moves from the goal, as the published tables say. `tests/bench/inglenook.c` is a breadth-first search of the",
        f"same space, compiled with `gcc -O2`. Medians of {ROUNDS}.",
        "",
        row("what", "seconds", "to C"),
        "|---|---|---|",
    ]
    if plain:
        plain_s = statistics.median(run["seconds"] for run in plain)
        lines += [
            row("plain search in C", seconds(plain_s), "1.00"),
            row("pointsman: the table, from nothing to the file", seconds(made_s), f"{made_s / plain_s:.2f}"),
            row("of that, once it is known where wagons can stand", seconds(searched_s), f"{searched_s / plain_s:.2f}"),
        ]
    else:
        lines += [row("pointsman: the table, from nothing to the file", seconds(made_s), "no gcc here")]
    lines += [
        "",
        "It is quicker than a search of single positions because the rules are asked 53 times and not two million",
        "times: see [ADR 2](adr/0002-distance-tables-and-a-compiled-loop.md).",
        "",
        "## Tables",
        "",
        "*Exploring* finds where wagons can stand, and is done once for a track and a number of wagons; *searching* is",
        "done once for a kind of goal and a count, and writes the table; *reading* is what every later draw takes.",
        "",
        row("puzzle, count", "positions", "farthest", "exploring", "searching", "reading", "memory"),
        "|---|---|---|---|---|---|---|",
        *(table_rows(name, values) for name, values in tables.items()),
        "",
        "## One draw without a table",
        "",
        f"{DRAWS} draws in runs, one after the other, with the track explored and no table: searched from both ends.",
        "",
        row("puzzle", "median", "slowest", "positions looked at", "tables made", "memory"),
        "|---|---|---|---|---|---|",
    ]
    for name, values in single.items():
        lines.append(
            row(
                name,
                seconds(values["median_s"]),
                seconds(values["worst_s"]),
                f"{values['positions']:,}",
                values["tables"],
                f"{values['memory_mb']:.0f} MB",
            )
        )
    first, later = whole[0], whole[1:]
    lines += [
        "",
        "`pointsman solve inglenook` as a whole, from the start of Python to the plan:",
        "",
        row("", "by the clock", "processor"),
        "|---|---|---|",
        row("the very first time", seconds(first[0]), seconds(first[1])),
        row(
            f"later (median of {len(later)})",
            seconds(statistics.median(clock for clock, _ in later)),
            seconds(statistics.median(cpu for _, cpu in later)),
        ),
        "",
        "## Hints and challenges",
        "",
        row("puzzle", "loading the table", "distance of a position", "best next run", "40 challenges"),
        "|---|---|---|---|---|",
        *(
            row(name, *(seconds(values[key]) for key in ("load_s", "distance_s", "hint_s", "challenges_s")))
            for name, values in hints.items()
        ),
        "",
        "## How soon a stop leaves",
        "",
        f"By the clock, {STOPS} times each, over a pseudo-terminal: from the moment it is asked for until the bytes of",
        "the emergency stop have come to the other side. Meanwhile a plan runs, 200 sensor events come in a second,",
        "and beside it the solver is compiled and run for the first time, again and again.",
        "",
        row("asked for by", "median", "90 of 100", "99 of 100", "worst"),
        "|---|---|---|---|---|",
        *(
            row(name, *(seconds(values[key]) for key in ("p50_s", "p90_s", "p99_s", "worst_s")))
            for name, values in stopped.items()
        ),
        "",
        "## Growth",
        "",
        "Whole tables in runs for the train in the long siding (five or six wagons), the others alike and anywhere;",
        f"the headshunt holds as many wagons as a short siding. Bounded to {GROWTH_S / 60:.0f} minutes in all.",
        "",
        "![Seconds over wagons](performance.svg)",
        "",
        row("wagons", *(f"{s}: {what}" for s in GROWTH for what in ("positions", "seconds", "memory"))),
        "|---|" + "---|---|---|" * len(GROWTH),
    ]
    for wagons in WAGONS:
        cells: list[object] = [wagons]
        for grow_values in (g.values for g in grown if g.wagons == wagons):
            if grow_values is None:
                cells += ["not in the time", "", ""]
            else:
                made_s = grow_values["explored_s"] + grow_values["searched_s"]
                cells += [f"{grow_values['positions']:,}", seconds(made_s), f"{grow_values['memory_mb']:.0f} MB"]
        lines.append(row(*cells))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure everything and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        measure(cache, "growth", "3-2-2", "5", "60")  # compiles the search,
        measure(cache, "table", "timesaver/classic", "runs")  # and the rules of a run
        plain = plain_search(Path(folder))
        full = [_checked(measure(cache, "table", "inglenook/full", "pull-drops")) for _ in range(ROUNDS)]
        tables = {
            "inglenook/full, pull-drops": full[0],
            "inglenook/sidings (train only), pull-drops": measure(cache, "table", "inglenook/sidings", "pull-drops"),
            "inglenook/classic (train only), runs": measure(cache, "table", "inglenook/classic", "runs"),
            "inglenook/full, runs": measure(cache, "table", "inglenook/full", "runs"),
            "timesaver/classic (five different cars), runs": measure(cache, "table", "timesaver/classic", "runs"),
        }
        puzzles = ("inglenook/classic", "inglenook/full", "timesaver/classic")
        single = {name: measure(cache, "draws", name, str(DRAWS)) for name in puzzles}
        hints = {name: measure(cache, "hints", name) for name in puzzles}
        whole = whole_solve(Path(folder) / "fresh")
        stopped = {"a person, or another part of the program": stops("stop"), "a beam that breaks": stops("edge")}
        grown = grow(cache)
    (DOCS / "performance.svg").write_text(growth_chart(grown), encoding="utf-8")
    page = report(full, plain, tables, single, hints, whole, stopped, grown)
    (DOCS / "performance.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
