"""Plain JSON, and JSON Lines: judgments as `{query: {document: grade}}` or as objects, queries as `{id: text}` ...

An object is a judgment (`{"query": ..., "doc_id": ..., "grade": ...}`, with the spellings that tables have), or a query
with its `ratings`, or, in a file of queries, a query (`{"_id": ..., "text": ...}`, as BEIR has them). Objects are in a
list, or one per line; a line may also be `{query: {document: grade}}`. A grade may be a list, of several raters, or an
object with the title of the document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import SPELLINGS, find_columns, folded
from pytest_relevance.judgments.formats.json.collecting import RATING, Collector, Keys, as_text, found_json
from pytest_relevance.judgments.formats.layouts import GRADE_COLUMN, column_called, is_run
from pytest_relevance.judgments.formats.layouts import layout as layout_of_columns
from pytest_relevance.judgments.formats.trec import QRELS
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.json_text import JsonPath, NumberAsWritten
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError
from pytest_relevance.judgments.source import Source

SHAPES = '{query: {document: grade}}, or objects such as {"query": ..., "doc_id": ..., "grade": ...}'
QUERY_SHAPES = '{id: text}, a list of texts, or objects such as {"query_id": ..., "query": ...}'

_ROOT: JsonPath = ()
_WANTED = ("query_id", "query", "document", "grade", "rater", "title", "weight", "note")
_IDS = ("_id", "id")
_TEXTS = ("text",)
_CALLED_TEXTS = frozenset(map(folded, (*SPELLINGS["query"], *_TEXTS)))
_SURELY_IDS = frozenset(map(folded, SPELLINGS["query_id"]))
_FURTHER = frozenset(map(folded, ("id", "params", *SPELLINGS["weight"], *SPELLINGS["note"])))
_OF_A_QUERY = _CALLED_TEXTS | _SURELY_IDS | _FURTHER
"""The keys of an object that is a query, folded."""
_RATINGS = ("ratings", "judgments", "judgements", "grades")


def is_json(source: Source) -> bool:
    """Whether it begins like JSON. What it is, if it is any, the reader says."""
    if not source.looks_like_json or source.is_json_lines:
        return False
    return source.is_json or not _is_qrels(source)


def _is_qrels(source: Source) -> bool:
    """Whether what is no valid JSON is qrels of a query with such an id: `{a} 0 doc 1`."""
    line = source.head.lstrip().partition("\n")[0]
    cells = line.split("\t") if "\t" in line else line.split()
    return len(cells) == QRELS and cells[1].strip().isdecimal()


def is_lines(source: Source) -> bool:
    """Whether it is JSON a line."""
    return source.is_json_lines


def read_ratings(source: Source) -> Ratings:
    """Read judgments, in one JSON text or in one a line."""
    reader = _Reader(source, queries_only=False)
    reader.read()
    ratings = reader.collector.ratings()
    unclear = reader.layouts.unclear
    wanted = source.options.get(GRADE_COLUMN)
    if wanted is not None and not reader.layouts.has_grade_column:
        source.refuse(f"no object in the file has the key {quoted(wanted)}, which {GRADE_COLUMN} names")
    return replace(ratings, unclear=FileProblem(unclear)) if unclear else ratings


def read_queries(source: Source) -> Sequence[Query]:
    """Read queries, in one JSON text or in one a line; judgments give the queries in them."""
    reader = _Reader(source, queries_only=True)
    reader.read()
    queries = reader.collector.queries()
    if reader.without_text:
        ids = ", ".join(quoted(key, 40) for key in reader.without_text[:3])
        what = f"these are judgments that have only the ids of queries ({ids})"
        source.refuse(f"{what}; name a file of queries, which has their texts")
    return queries


def are_queries(source: Source) -> bool:
    """Whether the first object, or the whole file as `{id: text}`, is queries without judgments."""
    try:
        document = source.json_lines if source.is_json_lines else source.json
    except JudgmentFileError:
        return False
    if isinstance(document, dict) and document and all(type(value) is str for value in document.values()):
        return all(number_of(value) is None for value in document.values())
    first = document[0] if isinstance(document, Sequence) and document else document
    if not isinstance(first, dict):
        return type(first) is str
    layout = _Layouts(None)[tuple(first)]
    return layout.text is not None and layout.document is None and layout.grade is None and layout.ratings is None


@dataclass(frozen=True, slots=True)
class _Layout:
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


class _Layouts(dict[tuple[str, ...], _Layout]):
    """The layout of an object by its keys, computed once: a million objects have the same ones.

    `grade_column` is the key that the user named for the grades. `unclear` is why it is not clear which key has them.
    """

    def __init__(self, grade_column: str | None) -> None:
        super().__init__()
        self.unclear = ""
        self.has_grade_column = False
        self._grade_column = grade_column

    def __missing__(self, names: tuple[str, ...]) -> _Layout:
        at = {what: names[number] for what, number in find_columns(names, _WANTED).items()}
        self._find_grade(names, at)
        ratings = next((name for name in _RATINGS if name in names), None)
        key = next((name for name in _IDS if name in names), None)
        text = next((name for name in _TEXTS if name in names), None)
        document = at.get("document")
        layout = self[names] = _Layout(
            at.get("query_id", key if document is None else None),
            at.get("query", text if document is None else None),
            document,
            at.get("grade"),
            at.get("weight"),
            at.get("note"),
            ratings,
            Keys(document or key or "doc_id", at.get("grade", "grade"), at.get("rater"), at.get("title")),
        )
        return layout

    def _find_grade(self, names: tuple[str, ...], at: dict[str, str]) -> None:
        """Find the key of the grade, as `layouts` does for a column. A score is a grade only in BEIR's objects."""
        judged = layout_of_columns(names, self._grade_column)
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


def _holds_structures(entry: Mapping[str, object]) -> bool:
    """Whether an object can be nothing but {query: its judgments}: everything in it is an object or a list."""
    return all(isinstance(value, (dict, list)) for value in entry.values())


def _value(entry: Mapping[str, object], key: str | None) -> object:
    return None if key is None else entry.get(key)


def _is_grade(value: object) -> bool:
    return value is None or (isinstance(value, str) and number_of(value) is not None)


class _Reader:
    """Read one file. `queries_only`: it is a file of queries, which may have no judgments at all."""

    def __init__(self, source: Source, *, queries_only: bool) -> None:
        lines = source.json_line_numbers if source.is_json_lines else None
        self.collector = Collector(source, "json" if lines is None else "jsonl", lines)
        self._source = source
        self._queries_only = queries_only
        self._shapes = f"a query is {QUERY_SHAPES}" if queries_only else f"a judgment is {SHAPES}"
        self.layouts = _Layouts(source.options.get(GRADE_COLUMN))
        self._texts: dict[str, bool] = {}

    @property
    def without_text(self) -> list[str]:
        """The ids of queries that no object gives a text."""
        return [key for key, has_text in self._texts.items() if not has_text]

    def _note_text(self, key: str, text: str | None) -> None:
        if self._queries_only:
            self._texts[key] = self._texts.get(key, False) or text is not None

    def read(self) -> None:
        """Collect what is in the file."""
        document = self._source.json_lines if self._source.is_json_lines else self._source.json
        if isinstance(document, list):
            for number, entry in enumerate(document):
                self._entry(entry, number)
        elif isinstance(document, dict):
            self._object(document, _ROOT, 0)
        else:
            self.collector.refuse(f"{self._shapes}; found {found_json(document)}")

    def _entry(self, entry: object, number: int) -> None:
        """Collect one entry of a list, or one line."""
        text = as_text(entry) if self._queries_only else None
        if isinstance(entry, dict):
            self._object(entry, (number,), number)
        elif text is not None:
            self.collector.add_query(Query(text, text), (number,))
        else:
            self.collector.wrong(f"{self._shapes}; found {found_json(entry)}", (number,))

    def _object(self, entry: dict[str, object], path: JsonPath, number: int) -> None:
        if _holds_structures(entry) or (self._queries_only and not path and self._is_by_id(entry)):
            self._by_query(entry, path)
            return
        layout = self.layouts[tuple(entry)]
        if layout.is_judgment:
            self._judgment(entry, layout, path, number)
        elif layout.ratings is not None and (layout.id or layout.text) is not None:
            self._query_with_ratings(entry, layout, path)
        elif self._queries_only and layout.text is not None:
            self._query(entry, layout, path)
        else:
            self._refuse(entry, layout, path)

    def _judgment(self, entry: dict[str, object], layout: _Layout, path: JsonPath, number: int) -> None:
        """Add the judgment of one document; an object without document and grade names a query without judgments."""
        text = as_text(_value(entry, layout.text))
        key = as_text(_value(entry, layout.id)) or text
        if key is None:
            self.collector.text(entry, layout.text or layout.id or "query", path)
            return
        self.collector.name_query(key, text, path)
        self._note_text(key, text)
        keys = layout.keys
        if entry[keys.document] not in (None, "") or entry[keys.grade] not in (None, ""):
            self.collector.add_item(key, entry, path[:-1], number, keys)

    def _query_with_ratings(self, entry: dict[str, object], layout: _Layout, path: JsonPath) -> None:
        query = self._query(entry, layout, path)
        assert layout.ratings is not None
        if query is not None:
            self._note_text(query.id, query.text)
            self._ratings(query.id, entry[layout.ratings], (*path, layout.ratings))

    def _query(self, entry: dict[str, object], layout: _Layout, path: JsonPath, key: str | None = None) -> Query | None:
        """Add a query that is described by an object. None, and a mistake, where it has no key."""
        text = self.collector.text(entry, layout.text, path) if layout.text is not None else None
        if key is None and layout.id is not None:
            key = self.collector.text(entry, layout.id, path)
        elif key is None:
            key = text
        if key is None or (text is None and layout.text is not None):
            return None
        weight = _value(entry, layout.weight)
        query = Query(
            key,
            text,
            1 if weight in (None, "") else self.collector.weight(weight, (*path, layout.weight or "")),
            self.collector.params(entry.get("params"), (*path, "params")),
            as_text(_value(entry, layout.note)),
        )
        self.collector.add_query(query, path)
        return query

    def _is_by_id(self, entry: dict[str, object]) -> bool:
        """Whether the whole of a file of queries is `{id: text}`, and not one query.

        It is one query where it has an id and a text, or is a judgment. Where the id is called `id`, or there is a text
        with nothing but a weight, a note or params, it may be both: the file is refused.
        """
        if any(isinstance(value, (dict, list)) for value in entry.values()):
            return False
        layout = self.layouts[tuple(entry)]
        if layout.is_judgment and layout.grade is not None and _is_grade(entry[layout.grade]):
            return False
        texts = [name for name in entry if folded(name) in _CALLED_TEXTS]
        if layout.id == "_id" or (layout.id is not None and folded(layout.id) in _SURELY_IDS):
            return False
        others = [name for name in entry if folded(name) not in _OF_A_QUERY]
        if layout.id is None:
            is_clear = len(texts) != 1 or bool(others) or len(entry) == 1
        else:
            is_clear = not texts and not any(did_you_mean(name, (*SPELLINGS["query"], *_TEXTS)) for name in others)
        if not is_clear:
            names = listed([quoted(name) for name in list(entry)[:10]], "and")
            self.collector.refuse(
                f"the file may be one query with the keys {names}, or {len(entry)} queries, {{id: text}}; write one "
                "query in a list, [{...}], and several as a list of objects with query_id and query"
            )
        return True

    def _by_query(self, entry: Mapping[str, object], path: JsonPath) -> None:
        """Add {query: its judgments}; in a file of queries also {id: text} and {id: object with the text}."""
        are_queries = self._queries_only and self._are_queries(entry)
        for key, value in entry.items():
            at = (*path, key)
            text = as_text(value)
            if not key.strip():
                self.collector.wrong("a query has no id", at)
            elif isinstance(value, dict) and are_queries and not self._is_query(value):
                names = listed([quoted(name) for name in list(value)[:10]], "and") or "nothing"
                self.collector.wrong(f"a query has a text, as others in the file; found {names}", at)
            elif isinstance(value, dict) and are_queries:
                self._query(value, self.layouts[tuple(value)], at, key)
            elif isinstance(value, (dict, list)):
                self.collector.add_query(Query(key), at)
                self._ratings(key, value, at)
            elif text is not None:
                self.collector.add_query(Query(key, text), at)
            else:
                self.collector.wrong(f"a query has a text, found {found_json(value)}", at)

    def _are_queries(self, entry: Mapping[str, object]) -> bool:
        """Whether `{id: object}` has queries, and not grades: some object has a text, and no other has numbers."""
        objects = [value for value in entry.values() if isinstance(value, dict)]
        others = [value for value in objects if not self._is_query(value)]
        graded = any(isinstance(grade, NumberAsWritten) for value in others for grade in value.values())
        return len(others) < len(objects) and not graded

    def _is_query(self, value: dict[str, object]) -> bool:
        """Whether an object has the text of a query. What is a number is a grade."""
        if str not in set(map(type, value.values())):
            return False
        text = self.layouts[tuple(value)].text
        written = value[text] if text is not None else None
        return type(written) is str and number_of(written) is None

    def _ratings(self, query: str, ratings: object, path: JsonPath) -> None:
        """Add the judgments of one query: {document: grade}, or a list of objects."""
        if isinstance(ratings, dict):
            self._grades(query, ratings, path)
        elif isinstance(ratings, list) and not all(isinstance(entry, dict) for entry in ratings):
            wrong = next(entry for entry in ratings if not isinstance(entry, dict))
            self.collector.wrong(f"a query has {{document: grade}}, found {found_json(wrong)} in a list", path)
        elif isinstance(ratings, list):
            for number, entry in enumerate(ratings):
                self.collector.add_item(query, entry, path, number, self.layouts[tuple(entry)].keys)
        elif ratings is not None:
            self.collector.wrong(f"a query has {{document: grade}}, found {found_json(ratings)}", path)

    def _grades(self, query: str, grades: Mapping[str, object], path: JsonPath) -> None:
        if RATING.issuperset(map(type, grades.values())):
            self.collector.add_grades(query, grades, path)
            return
        plain: dict[str, object] = {}
        titles: dict[str, str | None] = {}
        for document, value in grades.items():
            if isinstance(value, list):
                self._several(query, document, value, (*path, document))
            elif isinstance(value, dict):
                layout = self.layouts[tuple(value)]
                if layout.grade is None:
                    self.collector.absent("grade", value, (*path, document))
                else:
                    plain[document] = value[layout.grade]
                    titles[document] = as_text(_value(value, layout.keys.title))
            else:
                plain[document] = value
        self.collector.add_grades(query, plain, path, titles)

    def _several(self, query: str, document: str, ratings: Sequence[object], path: JsonPath) -> None:
        """Add the ratings that several raters gave one document."""
        for number, rating in enumerate(ratings):
            if type(rating) in RATING and document.strip():
                self.collector.add(query, document, rating, path, number, f"rating {number + 1}")
            else:
                self.collector.no_rating(rating, (*path, number))

    def _refuse(self, entry: Mapping[str, object], layout: _Layout, path: JsonPath) -> None:
        """Add the mistake that an object is neither a judgment nor a query."""
        known = [name for what in _WANTED[:4] for name in SPELLINGS[what]]
        others = [name for name in entry if folded(name) not in map(folded, (*known, *_IDS, *_TEXTS))]
        hint = next((hint for name in others[:10] if (hint := did_you_mean(name, known))), "")
        wanted = self._source.options.get(GRADE_COLUMN)
        if wanted is not None and column_called(tuple(entry), wanted) is None:
            hint = f"; {GRADE_COLUMN} is {quoted(wanted)}, which is not there"
        elif layout.grade is None and is_run(tuple(entry)):
            hint = f"; this seems to be a run, with a rank or a score: where that is the grade, name it: {GRADE_COLUMN}"
        elif layout.text is not None and not others:
            hint = "; these are queries, without judgments"
        names = listed([quoted(name) for name in list(entry)[:10]], "and")
        self.collector.wrong(f"{self._shapes}; found {names}{hint}", path)
