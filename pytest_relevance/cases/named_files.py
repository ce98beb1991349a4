"""The checks of the files that a case file names: judgments, queries, the catalogue.

A file is a name, or `{file: ..., format: ...}`, which also says how the file is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance._ids import id_field_of
from pytest_relevance._text import found, listed, quoted
from pytest_relevance.cases.location import (
    WRONG,
    Location,
    Path,
    Wrong,
    check_optional,
)
from pytest_relevance.cases.model import CatalogueFile, SampleRule
from pytest_relevance.cases.row_options import (
    ROW_OPTIONS,
    ROW_PROPERTIES,
    check_not_of_a_golden_set,
    check_row_options,
)
from pytest_relevance.cases.sample_rule import (
    SAMPLE,
    SAMPLE_OF_ITEMS_SCHEMA,
    SAMPLE_SCHEMA,
    check_sample,
)
from pytest_relevance.cases.schema_parts import (
    FORMAT,
    TEXT,
    TEXT_OR_TEXTS,
    about,
    either,
    list_of,
    object_with,
    reference,
)
from pytest_relevance.cases.schema_parts import ID_FIELD as ID_FIELD_SCHEMA
from pytest_relevance.cases.values import (
    check_id_field,
    check_names,
    is_filled_text,
    report_unknown_keys,
    wrong_column,
)
from pytest_relevance.judgments.row_rules import EVERY_ROW, RowRules

FILE = "file"
ONLY = "only"
JUDGED = "judged"
FILL = "fill"
ID_FIELD = "id_field"
NEEDED = ("document", "passage", "context")
"""The keys that name the column of what queries need. A file may have one of them."""

_OF_GOLDEN_SETS = ("query", *NEEDED, "grade_column", ID_FIELD)
_READING_KEYS = (FILE, "format", *_OF_GOLDEN_SETS)
_JUDGMENT_KEYS = (*_READING_KEYS, FILL)
_QUERY_KEYS = (*_READING_KEYS, ONLY, *ROW_OPTIONS, SAMPLE)
_CATALOGUE_KEYS = (FILE, "id", "title", "show", "url", "image")
_NEEDED_FOR_ITEMS = (FILE, "query", "document")
_KNOWN_ITEM_KEYS = (*_NEEDED_FOR_ITEMS, SAMPLE)

_CHECKED_ALONE = ("show", ID_FIELD, *ROW_OPTIONS, SAMPLE)
"""The keys whose values are neither a text nor true or false."""

# `true` is text in a mapping of judgments, because a grade may have that name.
_YES = (True, "true")
_NO = (False, "false")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file as a case file names it.

    `query`: the paths to the texts of queries in the file, for formats that need them.
    `document`, `passage`, `context`: the column of what the queries need, as ids,
        quotes or contexts. Two of them are None.
    `grade_column`: the column of the grades.
    `id_field`: the columns of the ids of documents.
    `fill`: whether its grades count only for documents without another judgment.
    `only_judged`: whether queries without judgments are left out of a file of queries.
    `at`: the path to the name of the file, below the key that names it.
    `rows`: how the rows of a file of queries are read.
    `sample`: how queries are drawn from a file of queries; None if all become cases.
    """

    name: str
    format: str | None = None
    query: tuple[str, ...] | None = None
    grade_column: str | None = None
    fill: bool = False
    only_judged: bool = False
    at: Path = ()
    id_field: str | tuple[str, ...] | None = None
    document: str | None = None
    passage: str | None = None
    context: str | None = None
    rows: RowRules = EVERY_ROW
    sample: SampleRule | None = None

    @property
    def content(self) -> NamedFile:
        """Return the file with only the fields that decide what is read from it."""
        sample = self.sample
        if sample is not None:  # its columns are read
            sample = replace(sample, n=1, seed=0)
        return replace(self, only_judged=False, at=(), sample=sample)

    @property
    def at_file(self) -> Path:
        """Return the path to the file, below the key that names it."""
        return self.at[:-1] if self.at[-1:] == (FILE,) else self.at


def check_judgment_files(value: object, at: Location) -> tuple[NamedFile, ...] | Wrong:
    """Return the judgment files that a suite names, or report mistakes."""
    if isinstance(value, Mapping) and FILE not in value:
        return at.refuse(
            "expected the name of a judgment file, for example judgments: "
            "qrels.txt, found a mapping; write document: grade pairs in the case of "
            "their query"
        )
    return check_files(value, at)


def check_query_files(value: object, at: Location) -> tuple[NamedFile, ...] | Wrong:
    """Return the files of queries that a suite names, or report mistakes."""
    return check_files(value, at, _QUERY_KEYS)


def check_files(
    value: object, at: Location, keys: Sequence[str] = _JUDGMENT_KEYS
) -> tuple[NamedFile, ...] | Wrong:
    """Return the files that a key names, or report mistakes.

    A file is a name or `{file: ...}` with any of `keys`. The value may be a list of
    files.
    """
    if not isinstance(value, (list, tuple)):
        named = _check_file(value, keys, at=at, path=())
        return WRONG if named is WRONG else (named,)
    if not value:
        return at.refuse(
            "the list of files is empty; name a file, or leave the key out"
        )
    files: list[NamedFile] = []
    contents: set[NamedFile] = set()
    is_wrong = False
    for index, item in enumerate(value):
        named = _check_file(item, keys, at=at.under(index), path=(index,))
        if named is WRONG:
            is_wrong = True
            continue
        if named.content in contents:
            what = f"the file {quoted(named.name)} stands twice"
            at.refuse(f"{what}; keep one of them", *named.at)
            is_wrong = True
        contents.add(named.content)
        files.append(named)
    return WRONG if is_wrong else tuple(files)


def _check_file(
    value: object, keys: Sequence[str], at: Location, path: Path
) -> NamedFile | Wrong:
    """Return one file that a key names, or report a mistake.

    `keys`: the keys that the mapping of the file may have.
    `path`: leads to the file, below the key that names it.
    """
    expected = "the name of a file, a list of them, or {file: ..., format: ...}"
    described = _check_description(value, keys, expected=expected, at=at)
    if described is WRONG:
        return WRONG
    format = check_optional("format", described, _check_format, at)
    id_field: str | tuple[str, ...] | Wrong | None
    id_field = check_optional(ID_FIELD, described, check_id_field, at)
    only = check_optional(ONLY, described, _check_only, at)
    sample = check_optional(SAMPLE, described, check_sample, at)
    rows = check_row_options(described, at)
    needed = _check_needed(described, at)
    kind = check_not_of_a_golden_set(described, _OF_GOLDEN_SETS, at)
    if only is WRONG or needed is WRONG or kind is WRONG or rows is WRONG:
        return WRONG
    if format is WRONG or id_field is WRONG or sample is WRONG:
        return WRONG
    return NamedFile(
        name=described[FILE],
        format=format,
        query=_query_paths(described),
        grade_column=described.get("grade_column"),
        fill=described.get(FILL) in _YES,
        only_judged=ONLY in described,
        at=(*path, FILE) if isinstance(value, Mapping) else path,
        id_field=id_field,
        document=described.get("document"),
        passage=described.get("passage"),
        context=described.get("context"),
        rows=rows,
        sample=sample,
    )


def _check_only(value: object, at: Location) -> str | Wrong:
    if value == JUDGED:
        return JUDGED
    return at.refuse(f"expected {JUDGED}, found {found(value)}")


def _check_needed(described: Mapping[str, object], at: Location) -> Wrong | None:
    """Report a file with more than one of the keys `document`, `passage` and `context`.

    Return `WRONG` if a mistake was reported, else None.
    """
    needed = [key for key in NEEDED if key in described]
    if len(needed) < 2:
        return None
    return at.refuse(
        f"a file has one of {listed(NEEDED, 'and')}, found {listed(needed, 'and')}; name the file twice to read both",
        needed[1],
        at_key=True,
    )


def _check_description(
    value: object, keys: Sequence[str], expected: str, at: Location
) -> Mapping[str, Any] | Wrong:
    """Return the mapping that describes a file, or report a mistake.

    A name alone means `{file: ...}`.

    `keys`: the keys that the mapping may have. The caller has to check the values of
        those in `_CHECKED_ALONE`.
    `expected`: what may be written, in words for the message.
    """
    if isinstance(value, str) and value:
        return {FILE: value}
    if not isinstance(value, Mapping) or FILE not in value:
        return at.refuse(f"expected {expected}, found {found(value)}")
    takes = f"a file has {listed(keys, 'and')} here"
    unknown = report_unknown_keys(value, keys, takes=takes, at=at)
    is_wrong = unknown is WRONG
    for key, written in value.items():
        if key not in keys or key in _CHECKED_ALONE:
            continue
        wanted = "true or false" if key == FILL else "text"
        if not _is_allowed(key, written):
            at.refuse(f"expected {wanted}, found {found(written)}", key)
            is_wrong = True
    return WRONG if is_wrong else value


def _is_allowed(key: str, written: object) -> bool:
    if key == FILL:
        return written in _YES or written in _NO
    if key == "query" and isinstance(written, (list, tuple)):
        return len(written) > 0 and all(map(is_filled_text, written))
    return is_filled_text(written)


def _query_paths(described: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the paths to the texts of queries in a file; None if none are written."""
    written = described.get("query")
    if written is None:
        return None
    return (written,) if isinstance(written, str) else tuple(written)


def _check_format(value: Any, at: Location) -> str | Wrong:
    """Return the name of a format, which may be written by an alias."""
    # Not imported for suites without files.
    from pytest_relevance.judgments.recognition import check_format

    try:
        return check_format(value)
    except ValueError as error:
        return at.refuse(str(error))


def check_catalogue(value: object, at: Location) -> CatalogueFile | Wrong:
    """Return the catalogue of a suite, or report a mistake.

    `value`: a path, or `{file: ..., id: ..., title: ..., show: [...]}`.
    """
    expected = "the name of a file, or {file: ..., id: ..., title: ..., show: [...]}"
    described = _check_description(value, _CATALOGUE_KEYS, expected=expected, at=at)
    if described is WRONG:
        return WRONG
    show = check_names(
        described.get("show", ()),
        "columns",
        why_wrong=wrong_column,
        at=at.under("show"),
    )
    column = described.get("id")
    if column is not None and check_id_field(column, at.under("id")) is WRONG:
        return WRONG
    if show is WRONG:
        return WRONG
    return CatalogueFile(
        file=described[FILE],
        id=column,
        title=described.get("title"),
        show=show,
        url=described.get("url"),
        image=described.get("image"),
        suite_id=_template_at(at),
    )


def check_known_items(value: object, at: Location) -> NamedFile | Wrong:
    """Return the file of the known items of a suite, or report a mistake.

    `value`: `{file: ..., query: ..., document: ...}`.
    """
    expected = "{file: catalogue.csv, query: title, document: id}"
    described = _check_description(value, _KNOWN_ITEM_KEYS, expected=expected, at=at)
    if described is WRONG:
        return WRONG
    missing = [key for key in _NEEDED_FOR_ITEMS if key not in described]
    if missing:
        return at.refuse(f"{listed(missing, 'and')} missing; write {expected}")
    query, document = described["query"], described["document"]
    if not isinstance(query, str):
        return at.refuse(f"expected one column, found {found(query)}", "query")
    if check_id_field(document, at.under("document")) is WRONG:
        return WRONG
    sample = check_optional(SAMPLE, described, _check_sample_of_items, at)
    if sample is WRONG:
        return WRONG
    return NamedFile(
        name=described[FILE],
        query=(query,),
        document=document,
        at=(FILE,),
        sample=sample,
    )


def _check_sample_of_items(value: object, at: Location) -> SampleRule | Wrong:
    """Return how known items are drawn, or report mistakes: all are equally likely."""
    rule = check_sample(value, at)
    if rule is not WRONG and (rule.by or rule.per):
        return at.refuse(
            "known items are drawn by n and seed alone; take by and per out"
        )
    return rule


def _template_at(at: Location) -> str | None:
    """Return the `id_field` of the suite if it is a template; None if it is not."""
    field = at.values.get(ID_FIELD)
    if isinstance(field, str) and id_field_of(field).is_template:
        return field
    return None


_FILE = about("The file, relative to the case file.", TEXT)
_COMMON_PROPERTIES = {
    "file": _FILE,
    "format": about("What it is, if its content does not show it.", FORMAT),
    "query": about(
        "The column, or the path in JSON, with the text of the query. Of several, "
        "the first that has a text counts.",
        TEXT_OR_TEXTS,
    ),
    "document": about(
        "The column with the ids of the documents that a query needs: one id or a list.",
        TEXT,
    ),
    "passage": about(
        "The column with the quotes that a query needs: one quote or a list.", TEXT
    ),
    "context": about(
        "The column with the contexts that a query needs: one text or a list. A "
        "result has to hold half of a context.",
        TEXT,
    ),
    "grade_column": about("Which column of a table has the grades.", TEXT),
    "id_field": about(
        "Which column has the id of a document: a column, a list of columns, or a template.",
        ID_FIELD_SCHEMA,
    ),
}
JUDGMENT_FILE = either(
    TEXT,
    object_with(
        {
            **_COMMON_PROPERTIES,
            "fill": about(
                "true: a grade counts only if no other file has one. The file may "
                "be missing.",
                {"enum": [True, False, "true", "false"]},
            ),
        },
        required=(FILE,),
    ),
)
_QUERY_FILE = either(
    TEXT,
    object_with(
        {
            **_COMMON_PROPERTIES,
            "only": about(
                "judged: leave the queries without judgments out.", {"enum": [JUDGED]}
            ),
            **ROW_PROPERTIES,
            SAMPLE: about("Which queries become cases. Default: all.", SAMPLE_SCHEMA),
        },
        required=(FILE,),
    ),
)

_REFERENCE = reference("judgment-file")
FILES_SCHEMA = either(_REFERENCE, list_of(_REFERENCE, at_least=1))
QUERY_FILES_SCHEMA = either(_QUERY_FILE, list_of(_QUERY_FILE, at_least=1))
CATALOGUE_SCHEMA = either(
    TEXT,
    object_with(
        {
            "file": _FILE,
            "id": about(
                "The column of the ids. Default: id, or a usual name of it.", TEXT
            ),
            "title": about("The column of the titles. Default: title or name.", TEXT),
            "show": about("Further columns that reports show.", list_of(TEXT)),
            "url": about(
                "The column of web addresses: the page links titles to them.", TEXT
            ),
            "image": about(
                "The column of addresses of pictures, for --relevance-images=link.",
                TEXT,
            ),
        },
        required=(FILE,),
    ),
)
KNOWN_ITEMS_SCHEMA = object_with(
    {
        "file": _FILE,
        "query": about("The column of the titles: each title is a query.", TEXT),
        "document": about(
            'The column of the ids, or a template that joins columns: "{shop}/{sku}".',
            TEXT,
        ),
        SAMPLE: about("How many titles are drawn.", SAMPLE_OF_ITEMS_SCHEMA),
    },
    required=_NEEDED_FOR_ITEMS,
)
