"""Convert between judgments and case files: write a file, take the judgments of a suite.

What is written is read again before it is returned, so that it is a case file. Texts stand plain only where no version
of YAML could take them for anything else, and in double quotes otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import yaml

from pytest_relevance._problems import Place
from pytest_relevance._text import counted, listed, quoted, shown
from pytest_relevance.cases.keys import CASES
from pytest_relevance.cases.location import CaseFileError
from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cases.names import wrong_id
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.scalars import is_number, number
from pytest_relevance.cases.values import NOT_PARAMETERS
from pytest_relevance.judgments.formats import Written
from pytest_relevance.judgments.grading import aggregate_of
from pytest_relevance.judgments.model import Judgments, Query, queries_of
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE

CASE_FILE = "case-file"
"""The name of the format of case files, for commands that take judgment files too."""

_WITHOUT_PLACE: Mapping[str, Callable[[Case], object]] = {
    "floor": lambda case: case.min_ndcg is not None,
    "expectation": lambda case: case.expect,
    "tag": lambda case: case.tags,
    "xfail": lambda case: case.xfail,
    "skip": lambda case: case.skip,
    "usefixtures": lambda case: case.usefixtures,
    "notes on documents": lambda case: case.notes,
    "grades that fill": lambda case: case.filled,
}
"""What cases have and judgments do not, and how to tell whether a case has it."""


def case_file(judgments: Judgments, comment: str = "") -> Written:
    """Write a case file with a case for each query of some judgments, and report what it cannot store of them.

    `comment` is put at the top. A case has an `id` where the key of its judgments is not its text. Several ratings of a
    document become a list.

    Raises:
        ValueError: where there is nothing to write, or a query, a document or a grade cannot stand in a case file.
    """
    queries = queries_of(judgments)
    if not queries:
        raise ValueError("there are no queries to write")
    how = aggregate_of(judgments) if judgments.ratings else None
    highest = max(
        (grade for documents in judgments.values() for grade in documents.values()),
        default=0,
    )
    head = {
        "raters": how if how != "median" else None,
        "gain": "linear" if highest > LARGEST_EXPONENTIAL_GRADE else None,
    }
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += [f"{key}: {value}" for key, value in head.items() if value is not None]
    lines.append("cases:")
    for query in queries:
        try:
            lines += _case_lines(query, judgments, has_ratings=how is not None)
        except ValueError as error:
            raise ValueError(f"query {quoted(query.id)}: {error}") from None
    data = "".join(f"{line}\n" for line in lines).encode()
    try:
        parse_suite(data, "the new case file")
    except CaseFileError as error:
        raise ValueError(f"these judgments make no case file: {error}") from None
    return Written(
        data,
        tuple(
            _lost(queries, judgments, has_ratings=how is not None, gain=head["gain"])
        ),
    )


def _case_lines(
    query: Query, judgments: Judgments, *, has_ratings: bool
) -> Iterator[str]:
    """The lines of a case in YAML; `has_ratings`: several ratings of a document are written as a list."""
    text = query.text_or_id
    if not text.strip():
        raise ValueError("the query has no text")
    yield f"  - query: {write_text(text)}"
    if _has_id(query):
        yield f"    id: {write_text(query.id)}"
    if query.note:
        yield f"    note: {write_text(query.note)}"
    if query.weight != 1:
        yield f"    weight: {write_number(query.weight)}"
    params = _params(query)
    if params:
        yield f"    params: {write_value(params)}"
    if documents := judgments.get(query.id):
        yield "    judgments:"
        ratings = judgments.ratings.get(query.id, {}) if has_ratings else {}
        titles = judgments.titles.get(query.id, {})
        for document, grade in documents.items():
            try:
                if not document:
                    raise ValueError("the document has no id")
                given = [
                    write_number(rating)
                    for rating in ratings.get(document, {}).values()
                ]
                written = (
                    f"[{', '.join(given)}]" if len(given) > 1 else write_number(grade)
                )
                if title := titles.get(document):
                    written = f"{{grade: {written}, title: {write_text(title)}}}"
                yield f"      {write_text(document)}: {written}"
            except ValueError as error:
                raise ValueError(f"document {quoted(document)}: {error}") from None


def _has_id(query: Query) -> bool:
    """Whether the case has an id of its own, one that a node id can carry."""
    return query.id != query.text_or_id and wrong_id(query.id) is None


def _params(query: Query) -> Mapping[str, object]:
    return {
        name: value
        for name, value in query.params.items()
        if name and name not in NOT_PARAMETERS
    }


def _lost(
    queries: Sequence[Query],
    judgments: Judgments,
    *,
    has_ratings: bool,
    gain: str | None,
) -> Iterator[str]:
    without_id = sum(
        query.id != query.text_or_id and not _has_id(query) for query in queries
    )
    if without_id:
        yield f"the ids of {counted(without_id, 'query', 'queries')}, which a pytest node id cannot carry"
    without_params = sum(len(_params(query)) < len(query.params) for query in queries)
    if without_params:
        names = listed(map(quoted, NOT_PARAMETERS), "and")
        yield f"params of {counted(without_params, 'query', 'queries')} that are called {names}, which no params may be"
    if judgments.ratings and has_ratings:
        yield f"the names of {len(judgments.raters)} raters: a case file has lists of ratings"
    elif judgments.ratings:
        yield f"the ratings of {len(judgments.raters)} raters, as their grades are made in no way that a suite can say"
    if gain is not None:
        yield f"the gain 2^grade - 1, for which there are grades too high: gain: {gain} is written"


def judgments_of(suite: Suite) -> Judgments:
    """The judgments of all cases, under their ids, or under their queries where they have no ids.

    Grades that fill are left out: nothing would tell them from those of people.
    """
    keys = {case.id: case for case in suite.cases}
    grades = {
        key: {
            document: grade
            for document, grade in case.judgments.items()
            if document not in case.filled
        }
        for key, case in keys.items()
    }
    return Judgments(
        {key: of_case for key, of_case in grades.items() if of_case},
        file=suite.path,
        format=CASE_FILE,
        queries={
            key: Query(key, case.query, case.weight, case.params, case.note, case.line)
            for key, case in keys.items()
        },
        titles={key: case.titles for key, case in keys.items() if case.titles},
        place=lambda query, document: Place(line=keys[query].line),
    )


def losses_of(suite: Suite, data: bytes) -> Iterator[str]:
    """Say, in a sentence each, what a case file (`data`) has and `judgments_of` leaves out."""
    for what, has in _WITHOUT_PLACE.items():
        count = sum(1 for case in suite.cases if has(case))
        if count:
            yield f"the {what} of {counted(count, 'case')}, for which judgments have no place"
    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # as in `yaml`
    lists = 0
    for case in yaml.load(data, loader).get(CASES, ()):
        judgments = case.get("judgments")
        for grade in judgments.values() if isinstance(judgments, dict) else ():
            lists += isinstance(
                grade.get("grade") if isinstance(grade, dict) else grade, list
            )
    if lists:
        yield f"the ratings of {counted(lists, 'document')}; the grade that they make ({suite.terms.raters}) is taken"


# Texts, numbers and values in YAML


_PLAIN = re.compile(r"[^\W\d_][\w .+&'()/%!-]*(?<! )")
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})
_WRITTEN_CONSTANTS = {None: "null", True: "true", False: "false"}


def write_text(text: str) -> str:
    """Write a text as a scalar, which may stand between brackets or braces.

    Raises:
        ValueError: for half of a surrogate pair.
    """
    is_plain = _PLAIN.fullmatch(text) is not None and text.casefold() not in _WORDS
    return text if is_plain else f'"{"".join(map(_escaped, text))}"'


@lru_cache(maxsize=1024)  # a million grades are a handful of different ones
def write_number(found: float) -> str:
    """Write a number, a whole one without a fraction.

    Raises:
        ValueError: for a number that the reader would not accept.
    """
    return _checked(
        str(int(found))
        if is_number(found) and found == int(found)
        else _decimal(found),
        found,
    )


def write_value(found: object) -> str:
    """Write a text, number, true, false, null, or a list or mapping of these, in one line.

    Raises:
        ValueError: for any other value.
    """
    if isinstance(found, str):
        return write_text(found)
    if found is None or isinstance(found, bool):
        return _WRITTEN_CONSTANTS[found]
    if isinstance(found, (int, float)):
        return _checked(_decimal(found), found)
    if isinstance(found, Mapping):
        pairs = (
            f"{write_text(str(name))}: {write_value(item)}"
            for name, item in found.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(found, (list, tuple)):
        return f"[{', '.join(map(write_value, found))}]"
    raise ValueError(f"{shown(found)} cannot be written in a case file")


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    if "\ud800" <= character <= "\udfff":
        raise ValueError(
            f"{quoted(character)} is half of a surrogate pair, which is no text"
        )
    return character.encode("unicode_escape").decode()  # YAML has the escapes of Python


def _decimal(found: float) -> str:
    """All digits of a number, a float with a fraction."""
    if not isinstance(found, float) or not is_number(found):
        return str(found)
    text = format(Decimal(repr(float(found))), "f")
    return text if "." in text else f"{text}.0"


def _checked(text: str, found: float) -> str:
    if number(text) != found:
        raise ValueError(
            f"{shown(found)} is no decimal number that a case file may have"
        )
    return text
