"""Finding layouts: the built-in ones by name, anybody's own by its path.

PUZZLE on the command line is ``layout[/puzzle]``: ``inglenook``, ``inglenook/classic``, ``./club``,
``./club/open-day``, or the path of a puzzle's own file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pointsman
from pointsman.errors import UsageError, did_you_mean
from pointsman.track.layout import LAYOUT_FILE
from pointsman.track.tomlfile import is_file, is_folder

DEFAULT_PUZZLE = "classic"
DEFAULT_HARDWARE = "dccex"


@dataclass(frozen=True, slots=True)
class PuzzlePlace:
    """A layout's folder and the file of one of its puzzles."""

    layout: Path
    puzzle: Path


def builtin_layouts() -> list[str]:
    """Names of the layouts that come with the program, sorted."""
    return sorted(folder.name for folder in _home().iterdir() if (folder / LAYOUT_FILE).is_file())


def find_layout(name_or_path: str | Path) -> Path:
    """The folder of a layout: a built-in name, a folder, or the path of its layout.toml.

    A bare name is a built-in layout first; ``./name`` is always a folder. Raises ``UsageError`` with the names there
    are.
    """
    text = str(name_or_path)
    names = builtin_layouts()
    if text in names:
        return _home() / text
    path = Path(text)
    if _is_layout(path):
        return path
    if path.name == LAYOUT_FILE and is_file(path):
        return path.parent
    if text.rstrip("/") in names and not is_folder(path):
        return _home() / text.rstrip("/")
    if is_folder(path):
        raise UsageError(
            f"this folder has no {LAYOUT_FILE}",
            where=text,
            cure="name the folder of a layout; layouts/README.md says how to write one",
        )
    if is_file(path):
        raise UsageError(
            f"is no {LAYOUT_FILE}",
            where=text,
            cure=f"a layout is a folder with a {LAYOUT_FILE} in it: name that folder",
        )
    meant = did_you_mean(text.rstrip("/"), names)
    raise UsageError(
        f"there is no layout {text!r}",
        cure=f"{meant + ' ' if meant.endswith('?') else ''}built-in layouts: {', '.join(names)}; or give the "
        "path of a layout's folder, like ./my-layout",
    )


def find_wiring(layout: Path, hardware: str | Path | None = None) -> Path:
    """The wiring file of a layout's folder: a name in hardware/, a path, or by default hardware/dccex.toml.

    Raises ``UsageError`` with the names there are.
    """
    if hardware is not None and (Path(hardware).suffix == ".toml" or len(Path(hardware).parts) > 1):
        path = Path(hardware)
        if is_file(path):
            return path
        raise UsageError("there is no such wiring file", where=str(path), cure="check the path")
    return _choose(layout / "hardware", str(hardware or DEFAULT_HARDWARE), "wiring")


def layout_puzzles(layout: Path) -> list[str]:
    """Names of the puzzles in a layout's folder, sorted."""
    return _names(layout / "puzzles")


def layout_wirings(layout: Path) -> list[str]:
    """Names of the wirings in a layout's folder, sorted."""
    return _names(layout / "hardware")


def split_puzzle(text: str) -> PuzzlePlace:
    """``layout[/puzzle]`` or the path of a puzzle file inside a layout's folder; without a puzzle, ``classic``.

    Raises ``UsageError`` with the names there are.
    """
    path = Path(text)
    if path.suffix == ".toml" and path.name != LAYOUT_FILE:
        return _place_of_file(path)
    if text in builtin_layouts() or _is_layout(path) or path.name == LAYOUT_FILE or "/" not in text.rstrip("/"):
        layout, name = find_layout(text), DEFAULT_PUZZLE
    else:
        # ./club/open-day is puzzle open-day of ./club; if ./club is no layout either, say what is wrong with that.
        head, _, name = text.rstrip("/").rpartition("/")
        layout = find_layout(head or "/")
    return PuzzlePlace(layout, _choose(layout / "puzzles", name, "puzzle"))


def _place_of_file(path: Path) -> PuzzlePlace:
    if not is_file(path):
        raise UsageError("there is no such puzzle file", where=str(path), cure="check the path")
    for folder in path.resolve().parents[:2]:
        if _is_layout(folder):
            return PuzzlePlace(folder, path)
    raise UsageError(
        "lies in no layout",
        where=str(path),
        cure=f"put it into the puzzles/ folder of a layout (beside its {LAYOUT_FILE})",
    )


def _choose(folder: Path, name: str, what: str) -> Path:
    names = _names(folder)
    if name in names:
        return folder / f"{name}.toml"
    cure = did_you_mean(name, names) if names else f"write {folder / (name + '.toml')}; layouts/README.md says how"
    raise UsageError(f"there is no {what} {name!r}", where=str(folder.parent), cure=cure)


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.toml"))


def _is_layout(folder: Path) -> bool:
    return is_file(folder / LAYOUT_FILE)


def _home() -> Path:
    """Where the built-in layouts are: inside the package when installed from a wheel, else in the checkout."""
    package = Path(pointsman.__file__).resolve().parent
    installed = package / "builtin_layouts"
    return installed if installed.is_dir() else package.parent.parent / "layouts"
