"""Pieces of text put into a case file: in the place of a node, or as new pairs at the end of a mapping."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pytest_relevance.cases.spans import Span

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_COMMENT = re.compile("(?:\r\n|[\n\r])( *)#[^\r\n\x85\u2028\u2029]*")
"""The next line, where it is a comment; its indentation."""


class Impossible(ValueError):
    """A node that cannot be changed by pieces of text; the message says why and what to do."""


class Pieces:
    """The changes to one text. None of them touches what another one does."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[tuple[int, int, str]] = []
        usual = _BREAK.search(text)
        self._usual_break = usual[0] if usual is not None else "\n"

    def text_of(self, span: Span) -> str:
        """What stands there now."""
        return self._text[span.start : span.end]

    def put(self, span: Span, text: str) -> None:
        """Put a text in the place of a scalar or an alias. `Impossible` for anything else."""
        if span.marked:
            raise Impossible("what stands here has an anchor or a tag; change it by hand")
        if span.kind not in ("scalar", "alias"):
            raise Impossible("what stands here is no single value; change it by hand")
        self._pieces.append((span.start, span.end, text))

    def insert(self, mapping: Span, in_braces: Sequence[str], in_lines: Callable[[int], Sequence[str]]) -> None:
        """Insert pairs at the end of a mapping: `in_braces` where it has some, else lines made for its indentation."""
        if mapping.flow:
            self._insert_in_braces(mapping, ", ".join(in_braces))
            return
        lines = in_lines(mapping.indent)
        if _BREAK.match(self._text, mapping.end - 1):  # a block of text is last, and ends where the next line begins
            new = "".join(f"{line}{self._usual_break}" for line in lines)
            self._pieces.append((mapping.end, mapping.end, new))
            return
        after = _BREAK.search(self._text, mapping.end)  # up to there is a comment at most
        at, line_break = (len(self._text), self._usual_break) if after is None else (after.start(), after[0])
        while (comment := _COMMENT.match(self._text, at)) and len(comment[1]) > mapping.indent:
            at = comment.end()  # it belongs to what stands before
        self._pieces.append((at, at, "".join(f"{line_break}{line}" for line in lines)))

    def _insert_in_braces(self, mapping: Span, pairs: str) -> None:
        if self._text[mapping.end - 1] != "}":
            raise Impossible("this mapping has no braces; write them, so that something can be added to it")
        if mapping.pairs:
            at = mapping.pairs[-1][1].end
            pairs = f", {pairs}"
        else:
            at = self._text.index("{", mapping.start) + 1
            pairs = pairs if self._text[at] in "} \t\r\n" else f"{pairs} "
        self._pieces.append((at, at, pairs))

    def result(self) -> str:
        """The text with all changes."""
        parts, at = [], 0
        for start, end, new in sorted(self._pieces):
            parts += [self._text[at:start], new]
            at = end
        return "".join([*parts, self._text[at:]])
