"""Test support: the sentences in the program's source, as somebody may be told them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import pointsman

HOME = Path(pointsman.__file__).parent
FILLED = "x1"
"""What stands for a name or a number that only the program knows when it runs."""
_LEGS = re.compile(r"leg|lie|reported")
_MOST_WAYS = 16
_SENTENCE = re.compile(r"[A-Za-z]{2,}\S* .*[a-z]")


@dataclass(frozen=True)
class Said:
    """A sentence where it stands, and the ways in which it can be told."""

    file: str
    line: int
    ways: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.ways[0]}"


Words = dict[str, list[str]]
"""What a name in the source stands for, where that is written there."""


def sentences(*places: str) -> list[Said]:
    """All texts of more than one word in files and folders of the package; no docstring, no assertion, no log.

    What a name in a text stands for is put in where one of these files has it as a text, and that is no sentence by
    itself.
    """
    files = [file for place in places for file in _files(HOME / place)]
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}
    shared: Words = {}
    for tree in trees.values():
        shared |= {name: texts for name, texts in _words(tree.body).items() if name.isupper()}
    found: list[Said] = []
    for file, tree in trees.items():
        nodes = list(ast.walk(tree))
        words = {**shared, **_words(nodes)}
        passed_over = set(map(id, _no_sentences(nodes)))
        name = file.relative_to(HOME).as_posix()
        found += [Said(name, node.lineno, ways) for node, ways in _texts(tree, words, passed_over)]
    return found


def _files(path: Path) -> list[Path]:
    found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert found, path
    return found


def _words(nodes: Iterable[ast.AST]) -> Words:
    """The names that are given a text, or one of two."""
    found: Words = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            branches = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
            texts = [one.value for one in branches if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if len(texts) == len(branches):
                found.setdefault(node.targets[0].id, []).extend(texts)
    return found


def _texts(tree: ast.Module, words: Words, passed_over: set[int]) -> Iterator[tuple[ast.expr, tuple[str, ...]]]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if id(node) in passed_over:
            continue
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            ways = tuple(one for one in islice(_ways(node, words), _MOST_WAYS) if _SENTENCE.search(one))
            if ways:
                yield node, ways
        if isinstance(node, ast.JoinedStr):
            # What is put into a text is part of that text; only a call in it may say more.
            holes = (one.value for one in node.values if isinstance(one, ast.FormattedValue))
            waiting += [hole for hole in holes if not isinstance(hole, ast.IfExp)]
        else:
            waiting += ast.iter_child_nodes(node)


def _no_sentences(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    holes = (node.value for node in nodes if isinstance(node, ast.FormattedValue))
    used = {hole.id for hole in holes if isinstance(hole, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (one for one in node.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        elif isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) in {"_logger", "re"}
        ):
            yield node
        elif isinstance(node, ast.Assign) and used & _words([node]).keys():
            yield node.value


def _ways(text: ast.expr, words: Words) -> Iterator[str]:
    """A text in every way that is written in the source, with something in its holes."""
    if isinstance(text, ast.Constant):
        yield str(text.value)
        return
    assert isinstance(text, ast.JoinedStr)
    for parts in product(*(_part(part, words) for part in text.values)):
        yield "".join(parts)


def _part(part: ast.expr, words: Words) -> list[str]:
    if isinstance(part, ast.Constant):
        return [str(part.value)]
    assert isinstance(part, ast.FormattedValue)
    if isinstance(part.value, ast.IfExp):
        found = []
        for branch in (part.value.body, part.value.orelse):
            found += list(_ways(branch, words)) if isinstance(branch, ast.Constant | ast.JoinedStr) else [FILLED]
        return found
    if isinstance(part.value, ast.Name) and part.value.id in words:
        return words[part.value.id]
    return ["closed"] if _LEGS.search(ast.unparse(part.value)) else [FILLED]
