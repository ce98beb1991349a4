"""Explain to authors of case files why a text is not YAML.

`reader` calls `problem_of` when PyYAML has raised an error.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from pytest_relevance._problems import Place, Problem

Mark: TypeAlias = Any
"""A position in a text, from either of PyYAML's parsers: `line` and `column`, from
0.
"""

DEEPEST = 60
"""The levels of nesting; a case needs six. A hostile file could exhaust the stack."""

START = Place(line=1, column=1)

_ADVICE = (
    ("mapping values are not allowed", "a text with a colon needs quotes"),
    ("cannot start any token", "a text that begins with this character needs quotes"),
    ("expected '-' indicator", "look at the indentation"),
    ("expected ',' or", "look for a bracket that is not closed"),
    ("expected key", "look at the indentation, and at quotes that are not closed"),
    # libyaml looks ahead of `yaml.EventReader`
    ("maximum nesting depth", f"nested deeper than {DEEPEST} levels"),
    (
        "expected <block end>",
        "look at the indentation, and at quotes that are not closed",
    ),
)
"""Parts of PyYAML's messages, and what such errors usually come from."""

_UNQUOTED_TEMPLATE = re.compile(r"\s*(?:- )?id_field\s*:\s*\{[^}]*\}[^\s#]")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Broken(YAMLError):
    """A text is YAML, but cannot be a case file. `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def place_of(mark: Mark | None) -> Place:
    """Return the place of a mark; for None, the beginning of the file."""
    if mark is None:
        return START
    return Place(line=mark.line + 1, column=mark.column + 1)


def is_utf_16(data: bytes) -> bool:
    """Say whether a file begins with a byte order mark of UTF-16."""
    return data.startswith(_UTF_16)


def check_utf_8(data: bytes) -> None:
    """Raise `Broken` if a file is not text in UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if is_utf_16(data):
            problem = Problem("the file is UTF-16; save it as UTF-8", START)
            raise Broken(problem) from None
        message = (
            f"the file is not UTF-8: byte 0x{data[error.start]:02x} cannot be read; "
            "save it as UTF-8"
        )
        place = _place_after(data[: error.start])
        raise Broken(Problem(message, place)) from None


def problem_of(error: YAMLError, data: bytes) -> Problem:
    """Return an error of PyYAML as a problem, in words for the author of the file."""
    if isinstance(error, Broken):
        return error.problem
    if isinstance(error, ReaderError):
        code = int(error.character)
        message = (
            f"the character U+{code:04X} may not stand in YAML as it is; write "
            f'"\\u{code:04x}" in double quotes, or take it out'
        )
        return Problem(message, _place_after(data[: error.position]))
    assert isinstance(error, MarkedYAMLError)
    return _problem_of_syntax(error, data)


def _problem_of_syntax(error: MarkedYAMLError, data: bytes) -> Problem:
    """Return a mistake in the syntax of YAML, with its place and its usual cause."""
    begun = error.context_mark
    if begun is not None and _is_unclosed_quote(error):
        message = "this is not YAML: the quotes that open here are not closed"
        return Problem(message, place_of(begun))
    message = f"this is not YAML: {_words_of(error)}"
    mark = error.problem_mark or begun
    lines = _lines_of(data)
    if mark is None or mark.line >= len(lines):
        # libyaml reports the end of the text in the line after the last
        return Problem(message + _usual_cause(message), _place_after(data))
    line = lines[mark.line]
    advice = _usual_cause(message)
    if _is_indented_with_tab(line[: mark.column + 1]):
        advice = " (there is a tab; indent with spaces)"
    elif _UNQUOTED_TEMPLATE.match(line):
        advice = ' (put a template in quotes, "{_index}/{_id}")'
    return Problem(message + advice, place_of(mark))


def _is_unclosed_quote(error: MarkedYAMLError) -> bool:
    context = error.context or ""
    problem = error.problem or ""
    return "quoted scalar" in context and "end of stream" in problem


def _words_of(error: MarkedYAMLError) -> str:
    """Return PyYAML's own words for an error.

    The line where the wrong part of the text began is added, if it is another line.
    """
    context = " ".join((error.context or "").split())
    problem = " ".join((error.problem or "").split())
    begun = error.context_mark
    mark = error.problem_mark
    if context and begun is not None and mark is not None and begun.line != mark.line:
        context = f"{context} begun in line {begun.line + 1}"
    return ", ".join(filter(None, (context, problem)))


def _usual_cause(message: str) -> str:
    """Return what an error usually comes from, in brackets; "" if it is not known."""
    for part, advice in _ADVICE:
        if part in message:
            return f" ({advice})"
    return ""


def _is_indented_with_tab(before: str) -> bool:
    """Say whether the text before an error has a tab, and otherwise only blanks.

    libyaml's own message calls a tab "a character".
    """
    return "\t" in before and not before.strip(" \t")


def _lines_of(data: bytes) -> list[str]:
    """Return the lines of a text in UTF-8, split where YAML ends a line."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return re.split("\r\n|[\n\r\x85\u2028\u2029]", text)


def _place_after(before: bytes) -> Place:
    lines = _lines_of(before)
    return Place(line=len(lines), column=len(lines[-1]) + 1)
