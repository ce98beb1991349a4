"""Read the texts of results, for cases with passages.

The text of a result comes from the field that `text_field` names, or from the usual
fields. A plain string is a text, and not an id. A result with two different usual texts
is refused. A result needs no id: one is made of its text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from pytest_relevance._ids import BYTES
from pytest_relevance._text import counted, listed, quoted, shown
from pytest_relevance.results.responses.errors import (
    BadResult,
    UnreadableRanking,
    read_each,
    type_in_words,
)
from pytest_relevance.results.responses.fields import (
    ID_NAMES,
    NESTED,
    TEXT_NAMES,
    Fields,
    did_you_mean_field,
    field_paths,
    only_there,
)
from pytest_relevance.results.responses.ids import (
    first_values,
    has_fields,
    id_text,
    is_absent,
    only,
)
from pytest_relevance.results.responses.rows import BareRow
from pytest_relevance.results.responses.values import has_attribute, plain_text

METHOD = "get_content"
"""The method of a result that returns its text, as nodes of LlamaIndex have it."""

_NODE = "_node_content"
"""The field in which LlamaIndex keeps a node as JSON, in payloads and metadata."""


# --- rows and plain strings -----------------------------------------------------------


def rows_with_texts(
    rows: Sequence[BareRow], results: Sequence[object]
) -> list[BareRow]:
    """Return rows whose strings are texts: `"text"`, `("text", score)`, `(id, "text")`.

    A row without a string is returned as it is.

    Raises `UnreadableRanking` if the strings may be ids, or if it is not clear which of
    two strings is the text.
    """
    read = [_with_text(row) for row in rows]
    _refuse_plain_ids(rows, results)
    _refuse_texts_in_first_place(read, results)
    return read


def _with_text(row: BareRow) -> BareRow:
    """Return a row whose string is its text: the title, or else the document."""
    if row.title is not None:
        return replace(row, title=None, text=row.title)
    if isinstance(row.document, str):
        return replace(row, document={}, text=plain_text(row.document))
    return row


_LONGEST_ID = 200


def _refuse_plain_ids(rows: Sequence[BareRow], results: Sequence[object]) -> None:
    """Raise `UnreadableRanking` if all results are strings that look like ids.

    A text has white space, or characters outside of ASCII.
    """
    strings = []
    for row in rows:
        if row.title is not None or not isinstance(row.document, str):
            return
        strings.append(row.document)
    if strings and all(map(_is_like_id, strings)):
        raise UnreadableRanking(
            f"search returned what looks like ids, {shown(results[0])} first, and the case has passages; return texts, "
            "or mappings with a text (and an id)"
        )


def _is_like_id(text: str) -> bool:
    return text.isascii() and not _has_space(text) and 0 < len(text) <= _LONGEST_ID


def _refuse_texts_in_first_place(
    rows: Sequence[BareRow], results: Sequence[object]
) -> None:
    """Raise `UnreadableRanking` if the first parts of `(id, text)` rows may be texts.

    They may be if one has white space, or if together they are not shorter than the
    second parts.
    """
    pairs = []
    for row in rows:
        if row.text is not None and isinstance(row.document, str):
            pairs.append((row.document, row.text))
    if not pairs:
        return
    have_space = any(_has_space(id_) for id_, _ in pairs)
    length_of_ids = sum(len(id_) for id_, _ in pairs)
    length_of_texts = sum(len(text) for _, text in pairs)
    if have_space or length_of_ids >= length_of_texts:
        raise UnreadableRanking(
            f"search returned rows of two strings, {shown(results[0])} first, of which either may be the text; return "
            "(id, text) rows whose ids have no spaces, or mappings with an id and a text"
        )


def _has_space(text: str) -> bool:
    return any(map(str.isspace, text))


# --- texts ----------------------------------------------------------------------------


def read_texts(
    rows: Sequence[BareRow], results: Sequence[object], text_field: str | None
) -> list[str]:
    """Return the text of each result.

    `rows`: what `rows_with_texts` returned.
    `results`: the results as they were returned, for messages.
    `text_field`: the path to the text; None for the usual names.

    Raises `UnreadableRanking` for a result without a text or with two, and if no result
    has a text that is not empty.
    """
    documents = [row.document for row in rows]
    if text_field is None:
        columns = _text_columns(documents)
        read = partial(_usual_text, [*columns])
        texts = read_each(read, results, rows, *columns.values())
    else:
        values = first_values(documents, [text_field])
        read = partial(_text_at_path, text_field)
        texts = read_each(read, results, rows, values)
    if texts and not any(map(str.strip, texts)):
        raise UnreadableRanking(
            f"search returned results whose texts are all empty, {shown(results[0], 200)} first; name the field of the "
            "text with text_field in the case file"
        )
    return texts


def _text_at_path(path: str, row: BareRow, value: object) -> str:
    """Return the text of a row, or else the text at the path of `text_field`.

    `value`: what the document of the row has at this path.

    Raises `BadResult` if there is no text.
    """
    if row.text is not None:
        return row.text
    text, document = as_text(value), row.document
    if text is not None:
        return text
    if not is_absent(value):
        raise BadResult(f"has a field {quoted(path)} that is {_why_no_text(value)}")
    if _is_null(document, path):
        raise BadResult(
            f"has a field {quoted(path)} that is None; return a text for each result"
        )
    there, meant = only_there(document), did_you_mean_field(path, document)
    raise BadResult(
        f"has no text in the field {quoted(path)}{there}{meant}; correct text_field in the case file"
    )


def _usual_text(paths: Sequence[str], row: BareRow, *values: object) -> str:
    """Return the text of a row, or else the text in a usual field.

    `paths`: the paths of the usual fields.
    `values`: what the document of the row has at these paths.

    Raises `BadResult` if there is no text, or if there are two different texts.
    """
    if row.text is not None:
        return row.text
    found: dict[str, str] = {}
    for path, value in zip(paths, values, strict=True):
        text = as_text(value)
        if text is not None:
            found[path] = text
    not_blank = {path: text for path, text in found.items() if text.strip()}
    if not not_blank:
        not_blank = _text_of_node(row.document)
    if len({text.strip() for text in not_blank.values()}) > 1:
        raise BadResult(_why_two_texts(not_blank))
    texts = [*not_blank.values(), *found.values()]
    if texts:
        return texts[0]
    for path, value in zip(paths, values, strict=True):
        if isinstance(value, (*BYTES, list)):
            raise BadResult(f"has a field {quoted(path)} that is {_why_no_text(value)}")
    raise BadResult(_why_without_text(row.document))


def _text_columns(documents: Sequence[Any]) -> dict[str, list[Any]]:
    """Return {path: values} for the usual fields of texts.

    If a document has the method `get_content`, its fields are not read: they may raise
    an exception.
    """
    methods = [_method_of(document) for document in documents]
    columns = {}
    if any(method is not None for method in methods):
        texts = [None if method is None else method() for method in methods]
        columns[f"{METHOD}()"] = texts
        pairs = zip(documents, methods, strict=True)
        documents = [document if method is None else {} for document, method in pairs]
    columns.update(_own_text_columns(documents))
    for holder in NESTED:
        nested = Fields(documents).first_of((holder,))
        inner = [document if has_fields(document) else {} for document in nested]
        for name, values in _own_text_columns(inner).items():
            columns[f"{holder}.{name}"] = values
    return columns


def _own_text_columns(documents: Sequence[Any]) -> dict[str, list[Any]]:
    """Return {name: values} for the usual fields of texts among the documents' own."""
    fields = Fields(documents)
    columns = {}
    for name in TEXT_NAMES:
        if fields.names is None or name in fields.names:
            columns[name] = fields.first_of((name,))
    return columns


def _method_of(document: Any) -> Any:
    """Return the method of a document that returns its text; None without one."""
    if type(document) is dict or not has_fields(document):
        return None
    if isinstance(document, Mapping) or not has_attribute(document, METHOD):
        return None
    method = getattr(document, METHOD)
    return method if callable(method) else None


def _text_of_node(document: Any) -> dict[str, str]:
    """Return {path: text} for a node of LlamaIndex that is kept as JSON; {} without."""
    (kept,) = Fields([document]).first_of((_NODE,), NESTED)
    if not isinstance(kept, str):
        return {}
    try:
        node = Fields([json.loads(kept)])
    except ValueError:
        return {}
    (text,) = node.first_of(("text", "text_resource.text"))
    return {_NODE: text} if isinstance(text, str) and text else {}


def as_text(value: object) -> str | None:
    """Return a value as a plain `str`; None if it is no text.

    A list with one text is that text, because some servers return fields as lists.
    """
    value = only(value)
    return plain_text(value) if isinstance(value, str) else None


def _why_no_text(value: object) -> str:
    """Return the end of the message "has a field that is ...", for no text."""
    if isinstance(value, BYTES):
        return f"{type(value).__name__}, {shown(value)}; return text: decode it"
    if isinstance(value, (list, tuple)):
        return (
            f"a list of {counted(len(value), 'part')}; return one text, for example the "
            "parts joined by line breaks"
        )
    return f"{type_in_words(value)}, {shown(value)}; return text"


def _why_two_texts(texts: Mapping[str, str]) -> str:
    """Return the end of a message about a result with two different texts."""
    paths = [*texts]
    first = paths[0]
    text = texts[first].strip()
    other = next(path for path in paths if texts[path].strip() != text)
    return (
        f"has two texts, {first} {quoted(texts[first], 40)} and {other} {quoted(texts[other], 40)}; "
        f"write text_field: {first} or text_field: {other} in the case file"
    )


def _why_without_text(document: Any) -> str:
    """Return the end of a message about a document without a text."""
    if isinstance(document, BYTES):
        return f"is {_why_no_text(document)}"
    there, meant = only_there(document), ""
    for name in TEXT_NAMES:
        if _is_null(document, name):
            return f"has a field {quoted(name)} that is None; return a text for each result"
    if not there:
        return "has no text; return a text, or a mapping with a text (and an id)"
    for path in field_paths(document):
        outer, _, name = path.rpartition(".")
        if outer and name in TEXT_NAMES:
            meant = f"; did you mean {path}?"
    return (
        f"has no text ({listed(TEXT_NAMES)}){there}{meant}; name the field with text_field "
        "in the case file"
    )


def _is_null(document: Any, path: str) -> bool:
    """Say whether a document, or a mapping in it, has a field that is None."""
    holders = [document]
    for name in NESTED:
        holders += Fields([document]).first_of([name])
    for holder in holders:
        if isinstance(holder, Mapping) and path in holder:
            return is_absent(holder[path])
    return False


# --- ids of texts ---------------------------------------------------------------------

_LENGTH_OF_DIGEST = 10
_LONGEST_TITLE = 60

_GENERATED = (1, 4, 6, 7)
"""The versions of UUIDs that are made of the time, or of random numbers.

If the index is built anew, its documents get other UUIDs of these versions. A UUID of
another version is made of a name, and stays.
"""


def own_ids(documents: Sequence[Any]) -> list[str | None]:
    """Return the id of each document; None if there is none.

    The id is in a usual field, or the document itself is the id, such as an integer. A
    generated UUID does not count, because the next index has another one.
    """
    values = Fields(documents).first_of(ID_NAMES, NESTED)
    ids: list[str | None] = []
    for document, value in zip(documents, values, strict=True):
        id_ = id_text(document if value is None else only(value))
        ids.append(None if not id_ or _is_generated(id_) else id_)
    return ids


def _is_generated(id_: str) -> bool:
    """Say whether an id is a UUID that is made of the time, or of random numbers."""
    try:
        return len(id_) >= 32 and UUID(id_).version in _GENERATED
    except ValueError:
        return False


def id_of_text(text: str) -> str:
    """Return an id that is made of a text: the same for the same text."""
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return f"text-{digest[:_LENGTH_OF_DIGEST]}"


def is_made_of_text(document: str) -> bool:
    """Say whether an id was made by `id_of_text`.

    Then the title of the document is the first words of its text.
    """
    return re.fullmatch(f"text-[0-9a-f]{{{_LENGTH_OF_DIGEST}}}", document) is not None


def first_words(text: str) -> str:
    """Return the first words of a text, at most 60 characters."""
    words = text[: 10 * _LONGEST_TITLE].split()
    start = " ".join(words)
    if len(start) <= _LONGEST_TITLE:
        return start
    cut = start[: _LONGEST_TITLE - 3]
    return f"{cut.rpartition(' ')[0] or cut}..."
