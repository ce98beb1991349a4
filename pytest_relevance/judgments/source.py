"""The bytes of a file as the formats look at them: text, lines, JSON; each made once, when it is asked for."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from typing import NoReturn

from pytest_relevance.files import Unreadable, read_whole
from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError

HEAD = 1 << 16
"""How much of a file its format is recognised by, in characters."""

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class NumberAsWritten(str):
    """A number in JSON with its digits: an id that looks like a number stays what it is."""

    __slots__ = ()


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
        """Whether it begins like JSON."""
        return self.head.lstrip()[:1] in ("{", "[")

    @cached_property
    def json(self) -> object:
        """The file as JSON. Numbers are `NumberAsWritten`; a key that stands twice in an object is refused."""
        try:
            return self.parse_json(self.text)
        except json.JSONDecodeError as error:
            self.refuse(f"the file is no valid JSON: {error.msg} (column {error.colno})", error.lineno)
        except RecursionError:
            self.refuse("the file is no sensible JSON: it is nested too deeply")

    def parse_json(self, text: str, line: int | None = None) -> object:
        """A JSON text of this file, the whole or one line. Raises `json.JSONDecodeError`."""

        def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
            found = dict(items)
            if len(found) < len(items):
                seen: dict[str, object] = {}
                for key, value in items:
                    if key in seen and seen[key] != value:
                        self.refuse(f"the key {json.dumps(key)[:80]} stands twice in an object; keep one of them", line)
                    seen[key] = value
            return found

        return json.loads(
            text,
            object_pairs_hook=pairs,
            parse_int=NumberAsWritten,
            parse_float=NumberAsWritten,
            parse_constant=NumberAsWritten,
        )
