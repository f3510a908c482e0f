"""Writes out the node protocol's names, codes and limits, for the firmware (C++) and for the controller (Python).

python firmware/generate.py            # writes both files from protocol.toml
python firmware/generate.py --check    # writes nothing; fails when either is not what it would write
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOURCE = HERE / "protocol.toml"
CPP = HERE / "pointsman_node" / "src" / "core" / "protocol_constants.h"
PYTHON = HERE.parent / "controller" / "pointsman" / "protocols" / "node_constants.py"

NAMED = {
    "refusals": ("Refusal", "Why a node does not carry out a command."),
    "latches": ("Latch", "Why a node keeps everything stopped."),
    "resets": ("Reset", "Why a node has started."),
    "boards": ("Board", "What board a node is."),
    "lies": ("Lie", "How points lie, as far as a node knows."),
    "machines": ("Machine", "What moves the points of a turnout."),
    "settings_states": ("SettingsState", "Where a node's settings come from."),
}
"""Tables of a name and what it means, with the name of the enumeration made of them."""
ENUMERATED = {
    "verbs": ("Verb", "What a host may tell a node."),
    "events": ("Event", "What a node tells by itself."),
    "settings": ("Setting", "What can be set at a node."),
    **NAMED,
}
"""All that enumerations are made of."""

OWNERS = ("node", "turnout", "beam")
"""What a setting can be of, in the order of their settings."""


def read() -> dict[str, Any]:
    """What protocol.toml says, with numbers for names; SystemExit where it does not hold together."""
    spec: dict[str, Any] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    settings = spec["settings"]
    for number, made in enumerate(settings.values()):
        if made["number"] != number:
            raise SystemExit("protocol.toml: settings are numbered from 0, in order")
        if "named" in made:
            names = list(spec[made["named"]])
            made |= {"lowest": 0, "highest": len(names) - 1, "default": names.index(made["default"])}
    order = [made["of"] for made in settings.values()]
    if order != sorted(order, key=OWNERS.index):
        raise SystemExit("protocol.toml: settings of the node come first, then those of turnouts, then those of beams")
    if spec["arguments"]["setting"] != [0, len(settings) - 1]:
        raise SystemExit("protocol.toml: the argument `setting` goes from 0 to the last setting")
    spec["least_rests"] = spec["duty"].pop("least_rests")
    for pulse, rest in spec["duty"].items():
        for which in ("default", "highest"):
            if settings[rest][which] < spec["least_rests"] * settings[pulse][which]:
                raise SystemExit(f"protocol.toml: the {which} of {rest} is too short for that of {pulse}")
    return spec


def python(spec: dict[str, Any]) -> str:
    """The controller's file."""
    lines = [
        '"""Names, codes and limits of the node protocol: written by firmware/generate.py out of protocol.toml."""',
        "",
        "from __future__ import annotations",
        "",
        "from enum import StrEnum",
        "",
        f"VERSION = {spec['version']}",
    ]
    lines += [f"{key.upper()} = {value}" for key, value in spec["line"].items() if isinstance(value, int)]
    lines += [f"FIRST_MOVE_MS = {spec['servo']['first_move_ms']}", f"LEAST_RESTS = {spec['least_rests']}"]
    lines += [f"{key.upper()} = {value}" for key, value in spec["hang"].items()]
    for table, (name, about) in ENUMERATED.items():
        lines += ["", "", f"class {name}(StrEnum):", f'    """{about}"""', ""]
        lines += [f'    {key.upper()} = "{key}"' for key in spec[table]]
    for table, (name, _) in NAMED.items():
        lines += ["", "", f"{table.upper()}: dict[{name}, str] = {{"]
        lines += [f'    {name}.{key.upper()}: "{text}",' for key, text in spec[table].items()]
        lines += ["}", f'"""What each {name.lower()} means, for a person."""']
    restarts_as = spec["line"]["restarts_as"]
    spec = spec | {"answers": {restarts_as: spec["events"][restarts_as], **spec["answers"]}}
    spec["refusals"] = spec["refused_with"]
    for table, name in (("verbs", "Verb"), ("answers", "Verb"), ("refusals", "Refusal"), ("events", "Event")):
        lines += ["", f"{table.removesuffix('s').upper()}_VALUES: dict[{name}, tuple[str, ...]] = {{"]
        lines += [f"    {name}.{key.upper()}: {_tuple(values)}," for key, values in spec[table].items()]
        about = f"the answer to each {name.lower()}" if table == "answers" else f"each {name.lower()}"
        lines += ["}", f'"""What {about} carries, in order."""']
    lines += ["", "LIMITS: dict[str, tuple[int, int]] = {"]
    lines += [f'    "{key}": ({low}, {high}),' for key, (low, high) in spec["arguments"].items()]
    lines += ["}", '"""Lowest and highest of each argument of a verb."""']
    lines += ["", "SETTINGS: dict[Setting, tuple[int, int, int, int, str]] = {"]
    for key, made in spec["settings"].items():
        values = f"{made['number']}, {made['lowest']}, {made['highest']}, {made['default']}"
        lines.append(f'    Setting.{key.upper()}: ({values}, "{made["of"]}"),')
    lines += ["}", '"""Number, lowest, highest, default, and of what: the node, each turnout, each beam."""']
    lines += ["", "NAMED_SETTINGS: dict[Setting, type[StrEnum]] = {"]
    for key, made in spec["settings"].items():
        if "named" in made:
            lines.append(f"    Setting.{key.upper()}: {NAMED[made['named']][0]},")
    lines += ["}", '"""Settings whose numbers stand for names, from 0 on in their order."""']
    lines += ["", "DUTY: dict[Setting, Setting] = {"]
    lines += [f"    Setting.{pulse.upper()}: Setting.{rest.upper()}," for pulse, rest in spec["duty"].items()]
    lines += [
        "}",
        '"""How long a coil is on at most, and how long it then rests: ``LEAST_RESTS`` times as long at least."""',
        "",
    ]
    return "\n".join(lines)


def cpp(spec: dict[str, Any]) -> str:
    """The firmware's file."""
    lines = [
        "// Names, codes and limits of the node protocol: written by firmware/generate.py from firmware/protocol.toml.",
        "#pragma once",
        "",
        "#include <stdint.h>",
        "",
        '#include "flash.h"',
        "",
        "namespace node {",
        "",
        f"constexpr uint8_t VERSION = {spec['version']};",
    ]
    for key, value in spec["line"].items():
        if isinstance(value, int):
            lines.append(f"constexpr uint32_t {key.upper()} = {value};")
    lines.append(f"constexpr uint16_t FIRST_MOVE_MS = {spec['servo']['first_move_ms']};")
    lines += [f"constexpr uint16_t {key.upper()} = {value};" for key, value in spec["hang"].items()]
    for table, (name, about) in ENUMERATED.items():
        keys = list(spec[table])
        width = max(map(len, keys)) + 1
        lines += ["", f"// {about}", f"enum class {name} : uint8_t {{ {', '.join(_cpp(key) for key in keys)} }};"]
        lines.append(f"constexpr uint8_t {table.upper()} = {len(keys)};")
        if table not in {"settings", "machines"}:
            names = ", ".join(f'"{key}"' for key in keys)
            lines.append(f"static const char {_upper(name)}_NAMES[][{width}] IN_FLASH = {{ {names} }};")
    lines += ["", "// Lowest and highest of an argument.", "struct Limits { uint16_t lowest; uint16_t highest; };"]
    arguments = spec["arguments"]
    lines.append(f"enum class Argument : uint8_t {{ nothing, {', '.join(_cpp(key) for key in arguments)} }};")
    pairs = ", ".join(f"{{ {low}, {high} }}" for low, high in arguments.values())
    lines.append(f"static const Limits ARGUMENT_LIMITS[] IN_FLASH = {{ {{ 0, 0 }}, {pairs} }};")
    lines += [f"constexpr uint16_t HIGHEST_{key.upper()} = {high};" for key, (_, high) in arguments.items()]
    most = max(len(wanted) for wanted in spec["verbs"].values())
    lines += ["", f"constexpr uint8_t MOST_ARGUMENTS = {most};"]
    lines.append("static const Argument VERB_ARGUMENTS[][MOST_ARGUMENTS] IN_FLASH = {")
    for wanted in spec["verbs"].values():
        named = [f"Argument::{_cpp(key)}" for key in wanted] + ["Argument::nothing"] * (most - len(wanted))
        lines.append(f"  {{ {', '.join(named)} }},")
    lines += ["};", "", f"enum class Of : uint8_t {{ {', '.join(OWNERS)} }};"]
    lines.append("struct SettingLimits { uint16_t lowest; uint16_t highest; uint16_t usual; Of of; };")
    for of in OWNERS:
        count = sum(made["of"] == of for made in spec["settings"].values())
        lines.append(f"constexpr uint8_t SETTINGS_OF_{of.upper()} = {count};")
    lines.append("static const SettingLimits SETTING_LIMITS[] IN_FLASH = {")
    for made in spec["settings"].values():
        lines.append(f"  {{ {made['lowest']}, {made['highest']}, {made['default']}, Of::{made['of']} }},")
    lines += ["};", "", "// How long a coil is on at most, and how long it then rests: so many times as long at least."]
    lines.append(f"constexpr uint8_t LEAST_RESTS = {spec['least_rests']};")
    lines += ["struct Duty { Setting pulse; Setting rest; };", f"constexpr uint8_t DUTIES = {len(spec['duty'])};"]
    pairs = ", ".join(f"{{ Setting::{pulse}, Setting::{rest} }}" for pulse, rest in spec["duty"].items())
    lines += [f"static const Duty DUTY[] IN_FLASH = {{ {pairs} }};", "", "}  // namespace node", ""]
    return "\n".join(lines)


def _cpp(key: str) -> str:
    """A name that is no word of the language."""
    return f"{key}_" if key in {"long", "off"} else key


def _upper(name: str) -> str:
    """The name of an enumeration as that of a constant."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def _tuple(values: list[str]) -> str:
    quoted = ", ".join(f'"{value}"' for value in values)
    return f"({quoted},)" if len(values) == 1 else f"({quoted})"


def main() -> int:
    """Write, or with ``--check`` compare; 1 when something has drifted."""
    spec = read()
    drifted = []
    for path, text in ((CPP, cpp(spec)), (PYTHON, python(spec))):
        there = path.read_text(encoding="utf-8") if path.exists() else ""
        if there == text:
            continue
        drifted.append(path.name)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    for name in drifted:
        print(f"{name} {'has drifted from protocol.toml: run it' if '--check' in sys.argv else 'written'}")
    return 1 if drifted and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
