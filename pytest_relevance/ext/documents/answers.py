"""Read the titles and fields of documents from what `relevance_documents` returns.

The value of this fixture is called with ids. It returns a mapping of the documents that
are in the index, to a title, or to a mapping with a title and further fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from numbers import Number

from pytest_relevance._ids import decoding_advice
from pytest_relevance._text import cut_to, quoted, shown
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.document_fields import text_of
from pytest_relevance.results.responses.fields import ID_NAMES, TITLE_NAMES
from pytest_relevance.results.responses.ids import id_text

LONGEST_FIELD = 300
"""How many characters of a further field are kept, so that records stay small."""

_NO_FIELDS = frozenset({*ID_NAMES, *TITLE_NAMES})
"""The keys of a document that are not among its further fields."""


class UnreadableAnswer(ValueError):
    """The value of `relevance_documents` takes no ids, or does not return a mapping."""


@dataclass(slots=True)
class IndexDocuments:
    """What an index says of the documents that it was asked for.

    `titles`: {document: title} of documents in the index.
    `shown`: {document: {name of a further field: text}} of documents in the index.
    `absent`: the documents that are not in the index, as keys.
    `has_other_ids`: whether the index lacks a document that the search returned. Then
        index and search have different ids, and the index may have the absent documents
        under other ids.
    """

    titles: dict[str, str] = field(default_factory=dict)
    shown: dict[str, dict[str, str]] = field(default_factory=dict)
    absent: dict[str, None] = field(default_factory=dict)
    has_other_ids: bool = False

    def add(self, more: IndexDocuments) -> None:
        """Add the documents that another answer described."""
        self.titles |= more.titles
        self.shown |= more.shown
        self.absent |= more.absent

    def described(self, result: CaseResult) -> CaseResult:
        """Return a result with the titles and fields that are known of its documents.

        Its `not_in_index` names judged or expected documents that the index lacks.
        """
        described = result.with_titles(self.titles, self.shown)
        if self.has_other_ids:
            return described
        missing = []
        for document in _wanted(result):
            is_returned = result.ranking.rank_of(document) is not None
            if document in self.absent and not is_returned:
                missing.append(document)
        return described.with_texts(not_in_index=tuple(missing))

    def unknown_result(self, result: CaseResult) -> str | None:
        """Return the first document that the search returned and the index lacks.

        None if there is none.
        """
        for document in result.named:
            if document in self.absent and result.ranking.rank_of(document) is not None:
                return document
        return None


def _wanted(result: CaseResult) -> list[str]:
    """Return the missing judged documents and the expected documents, each once.

    A judged document is missing if the kept ranking lacks the document. Documents that
    an expectation excludes from the results are left out.
    """
    wanted = dict.fromkeys(document for document, _ in result.evaluation.missing)
    for outcome in result.evaluation.outcomes:
        if not EXPECTATIONS.get_or_unknown(outcome.kind).excludes_documents:
            wanted |= dict.fromkeys(outcome.documents)
    return list(wanted)


def documents_to_ask(result: CaseResult) -> Sequence[str]:
    """Return the documents of a result whose titles a report may show.

    Of a ranking, these are the documents at its top. A case with passages has none: its
    results have texts, and their ids may be made of the texts.
    """
    if result.evaluation.passages:
        return ()
    k = result.conditions.k
    if result.evaluation.judgments:
        return result.named_within(k)
    return result.named_within(max(k, result.conditions.depth or 0))


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """What an index has answered.

    `documents`: what it says of the documents.
    `complaints`: {kind of mistake in the answer: sentence}.
    """

    documents: IndexDocuments
    complaints: Mapping[str, str]


def read_answer(answer: object, asked: Sequence[str]) -> IndexAnswer:
    """Return the content of an answer `{id: title or mapping}`.

    A document of `asked` is absent if the answer does not have it, or has None for it.
    Raises `UnreadableAnswer` if the answer is not a mapping.
    """
    if not isinstance(answer, Mapping):
        raise UnreadableAnswer(
            f"it returned {shown(answer)}; return {{id: title}} of the documents that exist"
        )
    absent = dict.fromkeys(asked)
    documents = IndexDocuments()
    complaints: dict[str, str] = {}
    for key, value in answer.items():
        document = id_text(key)
        if document is None or document not in absent:
            text = (
                f"it returned {shown(key)}, which it was not asked for; that is ignored"
                f"{decoding_advice(key)}"
            )
            complaints.setdefault("id", text)
        elif value is not None:
            del absent[document]
            read = _read_document(value)
            if read.title:
                documents.titles[document] = read.title
            if read.fields:
                documents.shown[document] = read.fields
            if not read.has_readable_title:
                text = (
                    f"it returned {shown(value)} for {quoted(document)}, whose title is not "
                    "text; return a title, or a mapping with title and further fields"
                )
                complaints.setdefault("title", text)
    documents.absent = absent
    return IndexAnswer(documents, complaints)


@dataclass(frozen=True, slots=True)
class _Document:
    """The title and fields of a document, and whether its title could be read."""

    title: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    has_readable_title: bool = True


def _read_document(value: object) -> _Document:
    """Return the title and the fields in the answer for one document.

    A plain text is a title. A title that is not text is not readable.
    """
    if isinstance(value, str):
        value = {"title": value}
    if not isinstance(value, Mapping):
        return _Document(has_readable_title=False)
    title: object = ""
    for name in TITLE_NAMES:
        if value.get(name) is not None:
            title = value[name]
            break
    fields = {}
    for name, field_value in value.items():
        text = "" if name in _NO_FIELDS else _field_text(field_value)
        if text:
            fields[str(name)] = text
    if not isinstance(title, str):
        return _Document(fields=fields, has_readable_title=False)
    return _Document(text_of(title), fields)


def _field_text(value: object) -> str:
    """Return a text, number, truth value or date as text; "" for any other value.

    The text is cut to `LONGEST_FIELD` characters.
    """
    if not isinstance(value, (str, bool, Number, date)):
        return ""
    return cut_to(text_of(value), LONGEST_FIELD)
