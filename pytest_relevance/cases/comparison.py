"""Whether a case says after an edit of its file what it said before, or what was asked for."""

from __future__ import annotations

from dataclasses import fields, replace

from pytest_relevance.cases.model import Case, Terms

_FIELDS = tuple(field.name for field in fields(Case))
_MOVED = frozenset({"line", "column", "terms"})


class Comparison:
    """Whether cases say the same before and after, but for where they stand and what follows from other cases."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}  # most cases share their terms

    def same(self, found: Case, wanted: Case, changed: str | None) -> bool:
        """Whether two cases say the same. With its judgments (`changed`) an inherited floor may come and go."""
        apart = _MOVED | {"min_ndcg"} if changed == "judgments" else _MOVED
        return self.same_terms(found.terms, wanted.terms) and all(
            getattr(found, name) == getattr(wanted, name) for name in _FIELDS if name not in apart
        )

    def same_terms(self, found: Terms, wanted: Terms) -> bool:
        """Whether two terms are the same, but for the range of grades, which is that of all judgments of the file."""
        pair = id(found), id(wanted)
        if pair not in self._known:
            self._known[pair] = _without_range(found) == _without_range(wanted)
        return self._known[pair]


def _without_range(terms: Terms) -> Terms:
    return replace(terms, lowest=0, highest=0, settings=replace(terms.settings, max_grade=None))
