"""Define what is read of a response."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_relevance._ids import IdField, id_field_of
from pytest_relevance.results.responses.fields import (
    ID_NAMES,
    TEXT_NAMES,
    TITLE_NAMES,
)
from pytest_relevance.results.responses.iterators import MOST_READ


@dataclass(slots=True, kw_only=True)  # frozen: 1.5 us more for each case
class ReadOptions:
    """What is read of a response: ids, titles, scores, and what else the case needs.

    `id_field`: the path to the id, for example `product.sku`; several paths, the first
        of which that a result has counts; or a template, for example `{_index}/{_id}`.
        None for the usual names.
    `title_field`: the path to the title; None for the usual names.
    `fields`: {path: number of results that the field is read from}, for further fields.
    `reads_texts`: whether texts are read, because the case has passages. Then a string
        is a text, and not an id.
    `text_field`: the path to the text; None for the usual names.
    `collapses`: whether results are chunks of documents, which need an id.
    `judged`: the judged ids of the case.
    `ids`: returns the attribute `ids` of the fixture's value, which turns labels of a
        vector index into ids: a sequence, a mapping, or None. It is called only if a
        response may have labels.
    `declares_ids`: whether the search has to return labels.
    `most`: how many results of an iterator are read.
    `expects_response`: whether the case looks at the response itself, which may then
        have suggestions or groups without a result.
    """

    id_field: str | tuple[str, ...] | None = None
    title_field: str | None = None
    fields: Mapping[str, int] = field(default_factory=dict)
    reads_texts: bool = False
    text_field: str | None = None
    collapses: bool = False
    judged: Collection[str] = ()
    ids: Callable[[], object] | None = None
    declares_ids: bool = False
    most: int = MOST_READ
    expects_response: bool = False

    @property
    def id_parts(self) -> IdField | None:
        """Return the fields that make the id; None for the usual names."""
        return None if self.id_field is None else id_field_of(self.id_field)

    @property
    def id_names(self) -> Sequence[str]:
        """Return the paths of the fields that may have the id, or a part of it."""
        parts = self.id_parts
        return ID_NAMES if parts is None else parts.paths

    @property
    def has_template(self) -> bool:
        """Say whether a template joins several fields to the id."""
        parts = self.id_parts
        return parts is not None and parts.is_template

    @property
    def title_names(self) -> Sequence[str]:
        """Return the paths of the fields that may have the title."""
        return TITLE_NAMES if self.title_field is None else (self.title_field,)

    @property
    def text_names(self) -> Sequence[str]:
        """Return the paths of the fields that may have the text."""
        if not self.reads_texts:
            return ()
        return TEXT_NAMES if self.text_field is None else (self.text_field,)

    @property
    def needs_ids(self) -> bool:
        """Say whether a result has to have an id.

        In a case with passages the text is enough. Exceptions: the suite names the id,
        or collapses chunks of one document.
        """
        return not self.reads_texts or self.id_field is not None or self.collapses

    @property
    def needs_only_ids(self) -> bool:
        """Say whether a list of ids has all that is read."""
        has_more_to_read = self.fields or self.reads_texts or self.declares_ids
        return not (has_more_to_read or self.has_template)
