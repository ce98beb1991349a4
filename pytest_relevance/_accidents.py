"""Recognise files that are not data, for example a failed download.

Other examples are a pointer of Git LFS, an unfinished merge and a page of HTML. Such a
file is often readable as data: each line of an HTML page can be a query. So the readers
of judgments, queries, runs and catalogues look for accidents first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from pytest_relevance._json_text import NumberAsWritten
from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import quoted

_AGAIN = "download the file again, and check what it holds"
_SMALL = 1 << 13
"""The most bytes of a message of a program, or an answer of a server."""


@dataclass(frozen=True, slots=True)
class Accident:
    """Why a file is not data, and the line that shows it.

    `message`: a sentence for the user that says what the file is, and what to do.
    `line`: counted from 1.
    """

    message: str
    line: int = 1


def refuse_accidents(source: Source) -> None:
    """Raise FileError if a file is not data, for example a failed download."""
    accident = find_accident(source)
    if accident is not None:
        source.refuse(accident.message, Place(line=accident.line))


def find_accident(source: Source) -> Accident | None:
    """Return an `Accident` if a file is not data; None if it may be data.

    For example, it is a pointer of Git LFS, a page of HTML, or an error of a server.
    None for Parquet. Answers of programs and servers are only looked for in files of at
    most 8 KiB.
    """
    if source.is_parquet:
        return None
    # A cell of a CSV may have several lines. One of TSV may not.
    has_quotes = source.header.separator != "\t"
    marker = find_conflict_marker(source.data, has_quotes=has_quotes)
    if marker is not None:
        return marker
    head = source.head.lstrip()
    message = _pointer(head) or _page(head) or _document(head)
    if message is None and len(source.data) <= _SMALL:
        message = _answer_in_words(head) or _answer_in_json(source)
    return None if message is None else Accident(message)


# --- Git: conflict markers and pointers -----------------------------------------------

_MARKERS = (b"<<<<<<< ", b">>>>>>> ")


def find_conflict_marker(data: bytes, *, has_quotes: bool = False) -> Accident | None:
    """Return an `Accident` for the first conflict marker of Git; None if there is none.

    `has_quotes`: whether cells in double quotes may have several lines. Then a marker
        within double quotes does not count.
    """
    found = []
    for marker in _MARKERS:
        at = _line_with(marker, data, has_quotes=has_quotes)
        if at is not None:
            found.append(at)
    if not found:
        return None
    first = min(found)
    line = data.count(b"\n", 0, first) + 1
    text = data[first:].partition(b"\n")[0].decode("utf-8", "replace").strip()
    message = f"{quoted(text, 40)} is a conflict marker of Git; finish the merge, and take the markers out"
    return Accident(message, line)


def _line_with(marker: bytes, data: bytes, *, has_quotes: bool) -> int | None:
    """Return where the first line with a marker at its beginning starts; None if none.

    `has_quotes`: lines that begin within double quotes do not count.
    """
    at = data.find(marker)
    while at >= 0:
        begins_line = at == 0 or data[at - 1 : at] == b"\n"
        is_quoted = has_quotes and data.count(b'"', 0, at) % 2 == 1
        if begins_line and not is_quoted:
            return at
        at = data.find(marker, at + 1)
    return None


_LFS = re.compile(r"version https?://\S*(?:git-lfs|hawser)\S*\s+(?:ext-|oid )")
_ANNEX = re.compile(r"\S*/annex/objects/\S+\s*")
_DVC = re.compile(
    r"(?:md5: \w+\s+)?(?:frozen: \w+\s+)?outs:\s+- (?:md5|etag|hash|size)"
)
_LINK = re.compile(r"(?:\.\.?/)+[^\s<>]+")


def _pointer(head: str) -> str | None:
    """Return the message if a file only says where the data is; else None."""
    if _LFS.match(head):
        return "this is a pointer of Git LFS, and not the file itself; fetch the file: git lfs pull"
    if _ANNEX.fullmatch(head):
        return "this is a pointer of git-annex, and not the file itself; fetch the file: git annex get"
    if _DVC.match(head):
        return "this is a pointer of DVC, and not the file itself; fetch the file: dvc pull"
    if _LINK.fullmatch(head):
        return (
            f"this is the target of a symbolic link, {quoted(head, 60)}, and not the "
            "file itself; check the link out again with git config core.symlinks "
            "true, or name its target"
        )
    return None


# --- documents for people -------------------------------------------------------------

_RULE = re.compile(r"[ \t]*[|+]?[ \t:|+-]*-{3,}[ \t:|+-]*")
"""A line of dashes below or above a header. `---` alone begins a YAML text."""

_DIFF = re.compile(
    r"(?:diff --git [^\n]*\n(?:[^\n]*\n){0,6}?)?--- [^\n]+\n\+\+\+ [^\n]+\n@@ "
)
_BEGINNINGS = {
    "```": "a block of code in Markdown; take the lines with ``` out",
    "~~~": "a block of code in Markdown; take the lines with ~~~ out",
    "{\\rtf": "a text with formatting (RTF); save it as plain text",
    "%PDF-": "a PDF; save its data as CSV or plain text",
}


def _document(head: str) -> str | None:
    """Return the message if a file is formatted text, a patch or a printed table.

    None for any other file.
    """
    for beginning, what in _BEGINNINGS.items():
        if head.startswith(beginning):
            return f"this is {what}"
    if _DIFF.match(head):
        return "this is a patch, and not the file itself; apply it: git apply"
    lines = [line.rstrip() for line in head.split("\n", 2)]
    if any(_RULE.fullmatch(line) and line != "---" for line in lines[:2]):
        return "this is a printed table, with a line of dashes; write the table as CSV"
    return None


# --- pages, and answers of servers ----------------------------------------------------

_COMMENT = r"<!--(?:(?!-->).)*-->"
_DECLARATIONS = rf"(?:\s|<\?xml[^>]*>|{_COMMENT})*"
_HTML = re.compile(
    rf"{_DECLARATIONS}(?:<!doctype\s+html[^>]*>{_DECLARATIONS}<|<html[\s>].*?</?(?:head|title|body|html)[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_XML_ERROR = re.compile(
    rf"{_DECLARATIONS}<(?:\w+:)?(?:Error|ErrorResponse|Fault)[\s>]", re.DOTALL
)
_XML_TEXT = re.compile(r"<(?:Message|Code)>([^<]*)<", re.IGNORECASE)


def _page(head: str) -> str | None:
    """Return the message if a file is a page of HTML or an error in XML; else None."""
    if _HTML.match(head):
        return (
            f"this is an HTML page, and not data: perhaps a login or an error; {_AGAIN}"
        )
    if _XML_ERROR.match(head):
        said = _XML_TEXT.search(head)
        what = f": {quoted(said[1], 60)}" if said else ""
        return f"this is an error of a server, and not data{what}; {_AGAIN}"
    return None


_PROGRAMS = re.compile(
    r"curl: \(\d+\) |\s*% Total\s+% Received"
    r"|wget: |--\d{4}-\d\d-\d\d \d\d:\d\d:\d\d--\s"
    r"|Traceback \(most recent call last\):"
    r"|[^\n]*: (?:No such file or directory|Permission denied|command not found)\s*$"
    r"|(?:jq|psql): error|(?:fatal error: )?An error occurred \(\w+\) when calling"
    r"|(?:CommandException|ServiceException|AccessDeniedException): ",
    re.MULTILINE,
)
"""The beginnings of messages that a shell may have written into a file."""

_WITH_HEADERS = re.compile(r"HTTP/\d(?:\.\d)? \d{3}\b")
_OF_STATUS = [status.phrase for status in HTTPStatus if status >= 400]
_OF_SERVERS = (
    "access denied",
    "authentication required",
    "bad credentials",
    "forbidden",
    "entry not found",
    "file not found",
    "invalid username or password",
    "no healthy upstream",
    "page not found",
    "permission denied",
    "unauthorized",
    "rate limit exceeded",
    "repository not found",
    "upstream request timeout",
)


def _one_of(phrases: Iterable[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in phrases)


_ALONE = [phrase for phrase in _OF_STATUS if " " in phrase]
_STATUS = re.compile(
    rf"(?:(?:error\s*(?:code)?\s*:?\s*)?[45]\d\d[\s:-]*(?:{_one_of([*_OF_STATUS, *_OF_SERVERS])})"
    rf"|(?:error\s*:?\s*)?(?:{_one_of([*_ALONE, *_OF_SERVERS])})"
    r"|error code: \d{3,4})\W*",
    re.IGNORECASE,
)
"""What a server answers in words.

A single word such as `Gone` may be a query, unless a number stands before it.
"""


def _answer_in_words(head: str) -> str | None:
    """Return the message if a file is what a program or a server said; else None."""
    first = head.partition("\n")[0].strip()
    if _PROGRAMS.match(head):
        return (
            f"this is the output of a program, and not data: {quoted(first)}; {_AGAIN}"
        )
    if _WITH_HEADERS.match(head):
        return (
            f"this is an answer of a server with its headers: {quoted(first)}; "
            "delete the headers, and keep the rest"
        )
    if _STATUS.fullmatch(head):
        return f"this is an answer of a server, and not data: {quoted(first)}; {_AGAIN}"
    return None


_SAYS = frozenset(
    {
        "detail",
        "error",
        "errors",
        "fault",
        "message",
        "msg",
        "errordescription",
        "errormessage",
    }
)
"""The keys of an error in JSON whose values say what is wrong, in small letters."""

_BESIDE = frozenset(
    {
        "cause",
        "code",
        "details",
        "docurl",
        "documentationurl",
        "errorcode",
        "errortype",
        "errno",
        "exception",
        "help",
        "hint",
        "info",
        "instance",
        "limit",
        "ok",
        "param",
        "path",
        "reason",
        "remaining",
        "requestid",
        "reset",
        "retryafter",
        "rootcause",
        "status",
        "statuscode",
        "statusmessage",
        "success",
        "timestamp",
        "title",
        "trace",
        "traceid",
        "type",
    }
)
"""Other keys that an error in JSON may have, in small letters. No id has such a key."""

_IDS = frozenset({"id", "docid", "documentid", "objectid", "queryid", "sku"})
_MOST_KEYS = 10
"""The most keys of an error.

A file of queries by id may have more, and one of them may be `error`.
"""


def _answer_in_json(source: Source) -> str | None:
    """Return the message if a file is an error of a server, as JSON; else None."""
    if not source.looks_like_json or not is_error_answer(source.json_object):
        return None
    return f"this is an error of a server, and not data: {quoted(source.text.strip())}; {_AGAIN}"


def is_error_answer(document: Mapping[str, object]) -> bool:
    """Say whether a JSON object is the error of a server.

    An object is an error if all its keys are keys of errors, and at least one of its
    values reports an error. An object without an id is an error too if at least one
    value under a key such as `error` or `message` is a text of several words. An object
    without keys or with more than ten keys is no error.
    """
    keys = {_plain_key(key) for key in document}
    if not keys or len(keys) > _MOST_KEYS:
        return False
    if keys <= _SAYS | _BESIDE:
        return any(
            _says_error(_plain_key(key), value) for key, value in document.items()
        )
    if not keys.isdisjoint(_IDS):
        return False
    return any(
        _plain_key(key) in _SAYS and _is_in_words(value)
        for key, value in document.items()
    )


def _says_error(key: str, value: object) -> bool:
    """Say whether a key and its value in a JSON object report an error: `ok: false`.

    A number, which may be a grade, reports an error only if it is a status such as 404.
    """
    if key in ("success", "ok"):
        return value is False
    if key in ("status", "statuscode", "code") and isinstance(value, NumberAsWritten):
        return re.fullmatch(r"[45]\d\d", value) is not None
    if key == "status" and isinstance(value, str):
        return value.casefold() in ("error", "fail", "failed", "failure")
    if key not in _SAYS:
        return False
    if isinstance(value, dict):
        is_of_errors = {_plain_key(name) for name in value} <= _SAYS | _BESIDE
        return is_of_errors or _is_in_words(value)
    return not isinstance(value, NumberAsWritten)


def _is_in_words(value: object) -> bool:
    """Say whether a JSON value is a text of several words, or an object that has one.

    A list counts if at least one object in it has such a text. A grade or the id of a
    document does not count.
    """
    if isinstance(value, dict):
        return any(map(_is_in_words, value.values()))
    if isinstance(value, list):
        return any(isinstance(each, dict) and _is_in_words(each) for each in value)
    return isinstance(value, str) and len(value.split()) > 1


def _plain_key(key: str) -> str:
    """Return a key of JSON without case and punctuation."""
    return re.sub(r"[\s._-]", "", key).casefold()
