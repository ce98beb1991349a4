"""Under which keys a judgment file has the query of a case.

A row of a judgment file stands under a key: the id of its query, or the text of the
query if the row has no id. So a file may have one query under several keys:

    query_id,query,doc_id,grade
    q1,red shoes,a,3
    ,red shoes,b,1

The keys are "q1" and "red shoes". Both belong to the case `{id: q1, query: red shoes}`,
and to `{query: red shoes}`. The case `{id: q1, query: blue shoes}` has the key "q1"
alone, and a notice says that the texts differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pytest_relevance._text import listed, quoted
from pytest_relevance.cases.case_judgments import GradingTerms
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.judgments.model import Judgments

_MOST_NAMED = 3
"""How many ids and queries a message names."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A query whose judgments are searched.

    `id`: the id that the case writes; None if it writes none.
    `text`: the text of the query.
    `ids`: the ids that files of queries give this text.
    `terms`: how ratings become grades for this query.
    `at`: where mistakes are reported.
    """

    id: str | None
    text: str
    ids: Sequence[str]
    terms: GradingTerms
    at: Location

    @property
    def names(self) -> list[str]:
        """Return the id, the text and the other ids of the query, each once."""
        names = [self.text, *self.ids]
        if self.id is not None:
            names.insert(0, self.id)
        return list(dict.fromkeys(names))


@dataclass(slots=True)
class _Fits:
    """Which queries of the suite a key of the file fits.

    `text_by_id`: the text of a query that has the key as id.
    `name_by_text`: the name of a query that has the same text as the key.
    """

    text_by_id: str | None = None
    name_by_text: str | None = None


class QueryKeys:
    """The keys of a judgment file, among which each query finds its own.

    `file`: the name of the file.
    `judgments`: what the file has under its keys.
    `are_ids`: whether all keys are ids; None if the file does not say.
    """

    def __init__(
        self, file: str, judgments: Judgments, *, are_ids: bool | None
    ) -> None:
        self._file = file
        self._judgments = judgments
        self._are_ids = are_ids
        self._other_texts: dict[str, str] = {}
        """The texts of cases whose ids have other texts in the file, by id."""
        self._fits: dict[str, _Fits] = {}
        """What each key fits, if it fits by its id alone or by its text alone."""

    def find(self, lookup: Lookup) -> list[str] | Wrong:
        """Return the keys with judgments of a query, or report a mistake.

        If the file has the id of the case, the id decides. Otherwise the text does.
        """
        if lookup.id is not None and self._has_id(lookup.id, lookup.text):
            keys = self._find_by_id(lookup.id, lookup)
        else:
            keys = self._find_by_text(lookup)
        if keys is WRONG:
            return WRONG
        return [key for key in keys if key in self._judgments]

    def check_each_fits_once(self, keys: Sequence[str], lookup: Lookup) -> Wrong | None:
        """Report keys of a query that another query has too.

        `keys`: what `find` returned for the query.

        Return `WRONG` if a mistake was reported, else None.
        """
        is_wrong = False
        for key in keys:
            if self._check_fits_once(key, lookup) is WRONG:
                is_wrong = True
        return WRONG if is_wrong else None

    def notices(self) -> Iterator[str]:
        """Yield a notice for the first ids that have another text than their case."""
        for key, text in islice(self._other_texts.items(), _MOST_NAMED):
            there = quoted(self._judgments.text(key), 40)
            yield (
                f"{self._file}: the query {quoted(key, 40)} has the text {there} "
                f"there, and {quoted(text, 40)} in its case; are the two one query?"
            )

    def _has_id(self, name: str, text: str) -> bool:
        """Say whether the id of a case is a key of the file, as an id.

        If the keys of the file are texts, the key may be the text of another query:

            query,doc_id,grade
            boots,a,3
            red boots,b,3

        For the case `{id: boots, query: red boots}` the answer is False, since the file
        has the text "red boots" too. For `{id: boots, query: blue boots}` it is True.
        """
        if name not in self._judgments and name not in self._judgments.queries:
            return False
        is_text_of_other = (
            self._are_ids is False and name != text and text in self._judgments
        )
        return not is_text_of_other

    def _find_by_id(self, name: str, lookup: Lookup) -> list[str] | Wrong:
        """Return the keys of a query whose id the file has, or report a mistake.

        The keys are the id and, for rows without an id, the text.
        """
        text = lookup.text
        if self._check_text_of(name, text, lookup.at) is WRONG:
            return WRONG
        id_has_text = self._judgments.text(name) == text
        text_is_id_of_other = self._judgments.text(text) != text
        if name != text and id_has_text and not text_is_id_of_other:
            return [name, text]
        return [name]

    def _check_text_of(self, name: str, text: str, at: Location) -> Wrong | None:
        """Report a case if the file has its query under another id.

        If the id of the case has another text in the file, this text is also kept for a
        notice.

        Return `WRONG` if a mistake was reported, else None.
        """
        there = self._judgments.text(name)
        if there in (name, text):
            return None
        self._other_texts[name] = text
        for other in self._keys_of_text(text, has_id=True):
            if other != name:
                return at.refuse(
                    f"{self._file} has the query {quoted(text)} under the id "
                    f"{quoted(other)}. The id of the case, {quoted(name)}, stands "
                    f"there for the query {quoted(there)}. Give the case the id "
                    f"{quoted(other)}"
                )
        return None

    def _find_by_text(self, lookup: Lookup) -> list[str] | Wrong:
        """Return the keys that the text of a query has or may have in the file.

        Reports a case without an id if the file has its text under several ids.
        """
        text = lookup.text
        in_file = self._keys_of_text(text, has_id=lookup.id is not None)
        keys = list(dict.fromkeys([*in_file, *lookup.ids]))
        ids = [key for key in keys if key != text and key in self._judgments]
        if len(ids) > 1 and lookup.id is None:
            these = listed(map(quoted, ids[:_MOST_NAMED]), "and")
            return lookup.at.refuse(
                f"{self._file} has the query {quoted(text)} under {these}; give the case one "
                "of them as id"
            )
        return keys

    def _keys_of_text(self, text: str, *, has_id: bool) -> list[str]:
        """Return the keys under which the file has the queries with a text.

        The text itself is one of the keys if it is not the id of another query.

        `has_id`: whether the case has an id. If the case has none and the file has ids
            alone, the query of the case may be one of these ids.
        """
        if text in self._judgments.queries:
            is_id_of_other = self._judgments.text(text) != text
        else:
            is_id_of_other = has_id and bool(self._are_ids)
        keys = []
        for key in self._judgments.known_as(text):
            if key != text or not is_id_of_other:
                keys.append(key)
        return keys

    def _check_fits_once(self, key: str, lookup: Lookup) -> Wrong | None:
        """Report a key that one query has as its id, and another one by its text.

        Each call notes how the key fits the query of `lookup`. The call for the second
        of the two queries reports both.

        Return `WRONG` if a mistake was reported, else None.
        """
        text = self._judgments.text(key)
        fits_by_id = key == lookup.id or key in lookup.ids
        fits_by_text = text == lookup.text
        if fits_by_id == fits_by_text:
            return None
        fits = self._fits.setdefault(key, _Fits())
        if fits_by_id:
            fits.text_by_id = lookup.text
        else:
            fits.name_by_text = lookup.names[0]
        if fits.text_by_id is None or fits.name_by_text is None:
            return None
        return lookup.at.refuse(
            f"{self._file}: the entry {quoted(key)} fits two queries: it is the id of "
            f"{quoted(fits.text_by_id)}, and the text of {quoted(fits.name_by_text)} is "
            f"{quoted(text)}; give {quoted(fits.text_by_id)} another id"
        )
