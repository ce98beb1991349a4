"""The bytes of a file as the formats look at them: text, lines, JSON; each made once, when it is asked for."""

from __future__ import annotations

import json
import os
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NoReturn

from pytest_relevance._files import Unreadable, read_whole
from pytest_relevance._paused_gc import garbage_kept
from pytest_relevance.judgments.json_text import Decoder, JsonPlaces, half_a_character, shown_path
from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError

HEAD = 1 << 16
"""How much of a file its format is recognised by, in characters."""

MOST_WRONG = 100
"""How many lines of JSON that cannot be read are looked for."""

_BEGINS_LIKE_JSON = re.compile(r"""\s*(?:\{\s*(?:["'}]|\Z)|\[\s*(?:["'{\[\]]|\Z))""")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Source:
    """A file: its name as messages show it, its bytes, and what the user says of it beyond the format (`options`)."""

    def __init__(self, file: str, data: bytes, options: Mapping[str, str] | None = None) -> None:
        self.file = file
        self.data = data
        self.options: Mapping[str, str] = options or {}

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], shown: str | None = None, options: Mapping[str, str] | None = None
    ) -> Source:
        """Read a file. `JudgmentFileError` where that cannot be done, or there is nothing in it."""
        file = shown if shown is not None else os.fspath(path)
        try:
            data = read_whole(path)
        except Unreadable as error:
            raise JudgmentFileError(file, [str(error)]) from None
        except OSError as error:
            raise JudgmentFileError(file, [f"cannot be read: {error.strerror or error}"]) from None
        source = cls(file, data, options)
        if not data.removeprefix(b"\xef\xbb\xbf").strip():
            source.refuse("the file is empty")
        return source

    def refuse(self, message: str, line: int | None = None, path: str | None = None) -> NoReturn:
        """Refuse the file for one reason."""
        raise JudgmentFileError(self.file, [FileProblem(message, line, path)])

    @cached_property
    def text(self) -> str:
        """The file as text. UTF-8, with or without a byte order mark; anything else is refused."""
        if self.data.startswith(_UTF_16):
            self.refuse("the file is UTF-16; save it as UTF-8")
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            wrong = self.data[error.start : error.start + 1].hex()
            self.refuse(f"the file is not UTF-8 (byte 0x{wrong} cannot stand there); save it as UTF-8", line)
        if "\0" in text:
            self.refuse("there is a NUL byte in the file; it is no text", text.count("\n", 0, text.index("\0")) + 1)
        if "\r" in text and "\n" not in text:
            text = text.replace("\r", "\n")
        return text

    @cached_property
    def head(self) -> str:
        """The beginning of the text, whole lines."""
        head = self.text[:HEAD]
        return head if len(head) == len(self.text) or "\n" not in head else head[: head.rindex("\n") + 1]

    @property
    def looks_like_json(self) -> bool:
        """Whether it begins like JSON that holds something with a name. `[1] 0 d 2` is a line of qrels."""
        return _BEGINS_LIKE_JSON.match(self.head) is not None

    @property
    def json(self) -> object:
        """The file as JSON. Numbers are `NumberAsWritten`; a key with two values in one object is refused."""
        document, error = self._document
        if error is not None:
            raise error
        return document

    @property
    def is_json(self) -> bool:
        """Whether all of it is one JSON text that can be read."""
        return self.looks_like_json and not self.is_json_lines and self._document[1] is None

    @cached_property
    def is_json_lines(self) -> bool:
        """Whether it has a JSON text a line: the first line is a whole one, and there are others."""
        first, _, others = self.text.lstrip().partition("\n")
        if not self.looks_like_json or not others or others.isspace():
            return False
        try:
            Decoder().decode(first)
        except (ValueError, RecursionError):
            return False
        return True

    @cached_property
    def json_lines(self) -> Sequence[object]:
        """Each line that is not blank as JSON. What is wrong in any of them is refused together."""
        decoder = Decoder()
        found: list[object] = []
        problems: list[FileProblem] = []
        with garbage_kept():
            for number, line in self._lines():
                try:
                    found.append(self._decoded(decoder, line, "line", number))
                except JudgmentFileError as error:
                    problems.extend(error.problems)
                    if len(problems) >= MOST_WRONG:
                        break
        if problems:
            raise JudgmentFileError(self.file, problems)
        self._refuse_half_characters()
        return found

    @cached_property
    def json_line_numbers(self) -> Sequence[int]:
        """The lines in which `json_lines` stand."""
        return array("L", (number for number, _ in self._lines()))

    def _lines(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self.text.split("\n"), 1):
            if line and not line.isspace():
                yield number, line

    @cached_property
    def _document(self) -> tuple[object, JudgmentFileError | None]:
        """The file as JSON, or why it is none: whoever looks whether it is his pays for it once."""
        try:
            with garbage_kept():
                document = self._decoded(Decoder(), self.text, "file")
            self._refuse_half_characters()
            return document, None
        except JudgmentFileError as error:
            return None, error

    def _decoded(self, decoder: Decoder, text: str, what: str, line: int = 1) -> object:
        """The JSON text that is the file or one line of it."""
        try:
            found: object = decoder.decode(text)
        except json.JSONDecodeError as error:
            truncated = f"; the {what} ends there, it is truncated" if _ends_early(text, error) else ""
            message = f"the {what} is no valid JSON: {error.msg} (column {error.colno}){truncated}"
            self.refuse(message, line + error.lineno - 1)
        except RecursionError:
            self.refuse(f"the {what} is no sensible JSON: it is nested too deeply", line)
        if decoder.repeats:
            decoder.repeats = False
            self._refuse_twice(text, line)
        return found

    def _refuse_twice(self, text: str, line: int) -> None:
        message = "this key stands twice, with another value in line {}; keep one of them"
        problems = [
            FileProblem(message.format(first), again, shown_path(path))
            for path, first, again in JsonPlaces(text, line).twice()
        ]
        if problems:
            raise JudgmentFileError(self.file, problems)

    def _refuse_half_characters(self) -> None:
        at = half_a_character(self.text)
        if at is not None:
            message = "an escape here stands for half of a character (a lone surrogate); write the whole character"
            self.refuse(message, self.text.count("\n", 0, at) + 1)


def _ends_early(text: str, error: json.JSONDecodeError) -> bool:
    """Whether JSON is cut off: after the mistake nothing closes what has been opened."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    rest = text[error.pos :]
    return error.msg.startswith("Unterminated") or not ("}" in rest or "]" in rest)
