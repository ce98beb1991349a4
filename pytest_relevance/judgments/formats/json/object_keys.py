"""The keys of JSON objects, by what they mean: those of judgments, and those of queries."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_relevance.judgments.columns import column_called, find_columns, folded, layout
from pytest_relevance.judgments.formats.json.collecting import Keys

WANTED = ("query_id", "query", "document", "grade", "rater", "title", "weight", "note")
IDS = ("_id", "id")
TEXTS = ("text",)
"""Further keys of ids and texts, in objects that do not rate a document."""

RATINGS = ("ratings", "judgments", "judgements", "grades")


@dataclass(frozen=True, slots=True)
class ObjectLayout:
    """The keys of an object, by what they mean. `keys` are those of one that rates a document of a known query."""

    id: str | None
    text: str | None
    document: str | None
    grade: str | None
    weight: str | None
    note: str | None
    ratings: str | None
    keys: Keys

    @property
    def is_judgment(self) -> bool:
        """Whether the object is a judgment of one document."""
        return self.document is not None and (self.id or self.text) is not None and self.grade is not None


class Layouts(dict[tuple[str, ...], ObjectLayout]):
    """The layout of an object by its keys, computed once: a million objects have the same ones.

    `grade_column` is the key that the user named for the grades. `unclear` is why it is not clear which key has them.
    """

    def __init__(self, grade_column: str | None) -> None:
        super().__init__()
        self.unclear = ""
        self.has_grade_column = False
        self._grade_column = grade_column

    def __missing__(self, names: tuple[str, ...]) -> ObjectLayout:
        """Find the layout of objects with these keys, in this order."""
        at = {what: names[number] for what, number in find_columns(names, WANTED).items()}
        self._find_grade(names, at)
        ratings = next((name for name in RATINGS if name in names), None)
        key = next((name for name in IDS if name in names), None)
        text = next((name for name in TEXTS if name in names), None)
        document = at.get("document")
        found = self[names] = ObjectLayout(
            at.get("query_id", key if document is None else None),
            at.get("query", text if document is None else None),
            document,
            at.get("grade"),
            at.get("weight"),
            at.get("note"),
            ratings,
            Keys(document or key or "doc_id", at.get("grade", "grade"), at.get("rater"), at.get("title")),
        )
        return found

    def _find_grade(self, names: tuple[str, ...], at: dict[str, str]) -> None:
        """Find the key of the grade, as `layouts` does for a column. A score is a grade only in BEIR's objects."""
        judged = layout(names, self._grade_column)
        if self._grade_column is not None:
            number = column_called(names, self._grade_column)
            at.pop("grade", None)
            if number is not None:
                at["grade"] = names[number]
                self.has_grade_column = True
        elif judged is not None and "grade" in judged.at:
            at["grade"] = names[judged.at["grade"]]
            self.unclear = self.unclear or judged.unclear
        elif "grade" in at and folded(at["grade"]) == "score":
            del at["grade"]
