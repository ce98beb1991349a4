"""The checks of `scale`, of judgments, and of the files that a suite names; how judgments of both places are united.

Files have judgments, queries and the catalogue.

Names of grades and lists of ratings become grades here. Most judgments are plain numbers or names by the thousand:
those are checked by their few distinct grades, not one by one.
"""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import filterfalse
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pytest_relevance._ids import id_field_of
from pytest_relevance._text import closest, found, listed, quoted
from pytest_relevance.cases.checking.values import (
    are_finite,
    documents_in,
    id_field,
    is_number,
    names_in,
    number,
    text,
    unknown_keys,
)
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.cases.problems import Location, Path
from pytest_relevance.judgments.scale import (
    UNNAMED,
    Scale,
    aggregate,
    is_named,
    on_scale,
    scale_of,
)

if TYPE_CHECKING:
    from pytest_relevance._problems import Place
    from pytest_relevance.judgments.model import Judgments

FILE, ONLY, JUDGED = "file", "only", "judged"
FILL = "fill"
ID_FIELD = "id_field"
_READING = (FILE, "format", "query", "grade_column", ID_FIELD)
_JUDGMENT_KEYS = (*_READING, FILL)
_QUERY_KEYS = (*_READING, ONLY)
_YES_OR_NO = (
    True,
    "true",
    False,
    "false",
)  # among judgments, names of grades, words are text
_CATALOGUE_KEYS = (FILE, "id", "title", "show", "url", "image")

_SCALARS, _NUMBERS = frozenset({int, float, str}), frozenset({int, float})
_BLANK = frozenset({"", "null", "~"})
_LONG_FORM = ("grade", "title", "note")


Found: TypeAlias = "list[tuple[Judgments, str]]"
"""Judgments of a case in files: the judgments of a file, and the key of the query there."""

GradingTerms: TypeAlias = "tuple[Scale | None, str | None]"
"""How ratings become grades: the scale, and how several ratings are combined where that is written."""


class Graded(NamedTuple):
    """The judgments of a case: grade, title and note by document, and the distinct grades.

    `filled` are the documents whose grades fill what nobody has judged, with who gave them: {document: name}.
    """

    grades: Mapping[str, float] = {}
    titles: Mapping[str, str] = {}
    notes: Mapping[str, str] = {}
    distinct: frozenset[float] = frozenset()
    filled: Mapping[str, str] = {}

    def differs_from(self, other: "Graded") -> bool:
        """Whether a document that both judge has another grade."""
        return any(
            other.grades.get(document, grade) != grade
            for document, grade in self.grades.items()
        )


NO_JUDGMENTS = Graded()


def check_scale(value: object, at: Location) -> object:
    """A scale: names with their grades, or the lowest and the highest grade."""
    try:
        return scale_of(value)
    except ValueError as error:
        return at.refuse(str(error))


def check_judgments(value: object, at: Location) -> object:
    """The judgments of a case as `Graded`, or the files that they are in, a tuple of `NamedFile`s.

    A mapping is documents and their grades, unless it has the key `file` with a text that names no grade of the scale.
    """
    scale: Scale | None = at.scope.values.get("scale")  # type: ignore[assignment]
    if type(value) is not dict and not isinstance(
        value, Mapping
    ):  # the check of abstract classes is slow
        if isinstance(value, (list, tuple)) or (isinstance(value, str) and value):
            return check_files(value, at)
        return at.refuse(
            f"expected document: grade pairs or a judgment file, found {found(value)}; write {{}} where there are none"
        )
    if isinstance(file := value.get(FILE), str) and file not in (
        scale.names if scale is not None else ()
    ):
        return check_files(value, at)
    types = set(map(type, value.values()))
    if types <= _SCALARS and "" not in value:
        distinct = frozenset(value.values())
        if (
            types <= _NUMBERS
            and are_finite(distinct)
            and (scale is None or all(map(scale.has, distinct)))
        ):
            return Graded(value, {}, {}, distinct)
        grade_of = {written: _grade_of(written, scale) for written in distinct}
        if str not in map(type, grade_of.values()):
            grades: Any = {
                document: grade_of[written] for document, written in value.items()
            }
            return Graded(grades, distinct=frozenset(grades.values()))
    return _each(value, scale, str(at.scope.values.get("raters", "median")), at)


def check_relevant(value: object, at: Location) -> object:
    """Documents with the grade 1, as `Graded`."""
    scale: Scale | None = at.scope.values.get("scale")  # type: ignore[assignment]
    documents = documents_in(value, at)
    grade = _grade_of(1, scale)
    if isinstance(grade, str):
        return at.refuse(
            f"relevant documents have grade 1, and {grade}; write them under judgments",
            at_key=True,
        )
    return Graded(dict.fromkeys(documents, grade), distinct=frozenset({grade}))


def with_relevant(
    graded: Graded | None, own: Mapping[str, object], at: Location
) -> Any:
    """Add the documents under `relevant` of a case to its judgments; report those that are judged there already."""
    relevant = own.get("relevant")
    if not isinstance(relevant, Graded):
        return graded
    known = graded.grades if graded is not None else {}
    for index, document in enumerate(relevant.grades):
        if document in known:
            what = f"document {quoted(document)} is judged twice, 1 here and {known[document]:g} under judgments"
            at.refuse(f"{what}; keep one of them", "relevant", index)
    return combined(graded, relevant)


def _each(
    value: Mapping[Any, object], scale: Scale | None, raters: str, at: Location
) -> Graded:
    """The judgments of a case, checked one by one."""
    grades: dict[str, float] = {}
    texts: dict[str, dict[str, Any]] = {"title": {}, "note": {}}
    for document, written in value.items():
        if not isinstance(document, str) or not document:
            at.refuse(
                f"a document id is text, found {found(document)}",
                str(document),
                at_key=True,
            )
            continue
        here, grade = at.under(document), written
        if isinstance(written, Mapping):
            unknown_keys(
                written, _LONG_FORM, "a judgment has grade, title and note", here
            )
            for key, of_documents in texts.items():
                if key in written:
                    of_documents[document] = text(written[key], here.under(key))
            if "grade" not in written:
                here.refuse("the judgment has no grade; write {grade: ...}")
                continue
            here, grade = here.under("grade"), written["grade"]
        grades[document] = _grade_made_of(grade, scale, raters, here)
    return Graded(grades, texts["title"], texts["note"], frozenset(grades.values()))


def _grade_made_of(
    written: object, scale: Scale | None, raters: str, at: Location
) -> Any:
    """A grade, or the grade that a list of ratings makes; None where there are mistakes."""
    if not isinstance(written, Sequence) or isinstance(written, str):
        grade = _grade_of(written, scale)
        return at.refuse(grade) if isinstance(grade, str) else grade
    if not written:
        return at.refuse(
            "the list of ratings is empty; leave the document out if nobody rated it"
        )
    ratings = [_grade_of(rating, scale) for rating in written]
    wrong = {
        index: rating for index, rating in enumerate(ratings) if isinstance(rating, str)
    }
    for index, message in wrong.items():
        at.refuse(message, index)
    return None if wrong else aggregate(ratings, raters)  # type: ignore[arg-type]


def _grade_of(written: object, scale: Scale | None) -> float | str:
    """The grade that a name or a number is, or what is wrong with it."""
    if isinstance(written, str):
        names = scale.names if scale is not None else {}
        return names[written] if written in names else _wrong_name(written, scale)
    if not is_number(written):
        return (
            f"a grade is a finite number or a name of the scale, found {found(written)}"
        )
    return on_scale(written, scale)


def united(found: Found, terms: GradingTerms, at: Location) -> Graded:
    """Unite the judgments of one query that were found under several keys or in several files.

    Those found once are not copied, as there are as many as cases.
    """
    if len(found) == 1:
        ((judgments, key),) = found
        grades = judgments[key]
        return Graded(
            grades, judgments.titles.get(key, {}), distinct=frozenset(grades.values())
        )
    places: dict[str, Found] = {}
    titles: dict[str, str] = {}
    for judgments, key in found:
        titles = {**judgments.titles.get(key, {}), **titles}
        for document in judgments[key]:
            places.setdefault(document, []).append((judgments, key))
    united = {
        document: _united_grade(document, those, terms[1], at)
        for document, those in places.items()
    }
    return Graded(united, titles, distinct=frozenset(united.values()))


def _united_grade(
    document: str, places: Found, raters: str | None, at: Location
) -> float:
    """The grade of a document that is judged under several keys or in several files.

    Where raters are combined, each rating counts, but a rater with a name counts once, with equal ratings. Otherwise
    all grades must be equal.
    """
    first, first_key = places[0]
    if len(places) == 1:
        return first[first_key][document]
    given = [
        judgments.ratings.get(key, {}).get(document)
        or {UNNAMED: judgments[key][document]}
        for judgments, key in places
    ]
    are_combined = raters is not None or all(
        is_named(rater) for ratings in given for rater in ratings
    )
    if not are_combined:
        given = [{UNNAMED: judgments[key][document]} for judgments, key in places]
    seen: dict[str, tuple[float, str]] = {}
    ratings = []
    for (judgments, key), of_place in zip(places, given, strict=True):
        for rater, rating in of_place.items():
            if rater not in seen or (are_combined and not is_named(rater)):
                seen[rater] = rating, judgments.file
                ratings.append(rating)
            elif seen[rater][0] != rating:
                earlier = "{:g} in {}".format(*seen[rater])
                what = f"judged twice, {earlier} and {rating:g} here; keep one of them, or say how the ratings of several"
                message = f"{what} raters are combined (raters: median)"
                if are_combined:
                    message = f"rater {quoted(rater)} gave {earlier} and {rating:g} here; keep one of them"
                place = partial(_position, judgments, key, document)
                at.refuse(
                    f"query {quoted(key)}, document {quoted(document)}: {message}",
                    elsewhere=place,
                )
    return aggregate(ratings, raters or "median")


def _position(judgments: "Judgments", query: str, document: str) -> "tuple[str, Place]":
    """The name of the file of a judgment and the place in it; finding the line takes a search."""
    return judgments.file, judgments.place(query, document)


def combined(of_case: Graded | None, of_suite: Graded | None) -> Graded:
    """The judgments of a case, where its own replace the suite's document by document."""
    if of_case is None or of_suite is None:
        return of_case or of_suite or NO_JUDGMENTS
    grades = {**of_suite.grades, **of_case.grades}
    return Graded(
        grades,
        {**of_suite.titles, **of_case.titles},
        of_case.notes,
        frozenset(grades.values()),
    )


def filled(people: Graded, found: Found, terms: GradingTerms, at: Location) -> Graded:
    """The judgments of a case with those of files that fill, where the case and its other files have none."""
    if not found:
        return people
    fill = united(found, terms, at)
    by: dict[str, dict[str, None]] = {}
    for judgments, key in found:
        for document in filterfalse(people.grades.__contains__, judgments[key]):
            raters = filter(is_named, judgments.ratings.get(key, {}).get(document, {}))
            by.setdefault(document, {}).update(
                dict.fromkeys([*raters] or [os.path.basename(judgments.file)])
            )
    grades = {
        **people.grades,
        **{
            document: fill.grades[document]
            for document in fill.grades
            if document in by
        },
    }
    return Graded(
        *(
            grades,
            {**fill.titles, **people.titles},
            people.notes,
            frozenset(grades.values()),
        ),
        {document: " + ".join(sorted(names)) for document, names in by.items()},
    )


def _wrong_name(written: str, scale: Scale | None) -> str:
    """What is wrong with text that is no grade of the scale."""
    if written in _BLANK:
        return "the document has no grade; leave it out if nobody judged it"
    if number(written) is not None:
        return f"the grade {quoted(written)} is in quotes, which make it text; write {written}"
    # imported only where there is a mistake to report
    from pytest_relevance.judgments.grade_text import why_no_grade

    names = scale.names if scale is not None else {}
    why = why_no_grade(written)
    if why is not None and closest(written, tuple(names)) is None:
        return f"the grade {quoted(written)} {why}"
    if scale is not None and scale.names:
        return scale.no_grade(written)
    advice = (
        "; names of grades are given by a scale, such as scale: {good: 1, bad: 0}"
        if scale is None
        else ""
    )
    return f"the grade {quoted(written)} is no number{advice}"


class NamedFile(NamedTuple):
    """A file as a case file names it.

    `query` says where in it the texts of queries are, for formats that need that: one path or several. `grade_column`
    says which column has the grades, `id_field` which columns have the ids of documents. `fill`: its grades count only
    where nobody else has judged. `only_judged`: queries without judgments are left out of a file of queries. `at` is
    the path to the name of the file from the value of the key.
    """

    name: str
    format: str | None = None
    query: tuple[str, ...] | None = None
    grade_column: str | None = None
    fill: bool = False
    only_judged: bool = False
    at: Path = ()
    id_field: str | tuple[str, ...] | None = None

    @property
    def content(self) -> "NamedFile":
        """What decides what is read: without `only_judged` and `at`."""
        return self._replace(only_judged=False, at=())


def check_query_files(value: object, at: Location) -> object:
    """Files of queries: `{file: ..., only: judged}` leaves out the queries without judgments."""
    return check_files(value, at, _QUERY_KEYS)


def check_suite_judgments(value: object, at: Location) -> object:
    """The `judgments` of a suite, which are in files."""
    if isinstance(value, Mapping) and FILE not in value:
        return at.refuse(
            "the judgments of a suite are in a file, whose name stands here (judgments: qrels.txt); "
            "document: grade pairs go into the case whose query they are about"
        )
    return check_files(value, at)


def check_files(
    value: object, at: Location, keys: Sequence[str] = _JUDGMENT_KEYS
) -> object:
    """Files, as a tuple of `NamedFile`s: a name, `{file: ...}` with any of `keys`, or a list of both."""
    if not isinstance(value, (list, tuple)):
        return (_named(value, keys, at, ()),)
    files: list[NamedFile | None] = []
    contents: set[NamedFile] = set()
    for index, item in enumerate(value):
        named = _named(item, keys, at.under(index), (index,))
        if named is not None:
            if named.content in contents:
                at.refuse(
                    f"the file {quoted(named.name)} stands twice; keep one of them",
                    *named.at,
                )
            contents.add(named.content)
        files.append(named)
    if not files:
        at.refuse("the list of files is empty; name a file, or leave the key out")
    return tuple(files)


def _named(
    value: object, keys: Sequence[str], at: Location, path: Path
) -> NamedFile | None:
    """A file from its name, or from a mapping that may have these keys; `path` leads to it."""
    expected = "the name of a file, a list of them, or {file: ..., format: ...}"
    before = at.scope.mistakes
    file = _described(value, keys, expected, at)
    if file is None or at.scope.mistakes > before:
        return None
    if file.get(ONLY, JUDGED) != JUDGED:
        at.refuse(f"expected {JUDGED}, found {found(file[ONLY])}", ONLY)
    path = (*path, FILE) if file is value else path
    column = file.get("grade_column")
    ids: Any = None
    if ID_FIELD in file:
        ids = id_field(file[ID_FIELD], at.under(ID_FIELD))
    return NamedFile(
        file[FILE],
        _format(file, at),
        _query_paths(file),
        column,
        file.get(FILL) in _YES_OR_NO[:2],
        ONLY in file,
        path,
        ids,
    )


def _query_paths(file: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The paths to the texts of queries in a file, which may be written as one text."""
    written = file.get("query")
    if written is None:
        return None
    return (written,) if isinstance(written, str) else tuple(written)


def _are_texts(value: object) -> bool:
    """Whether a value is a list of texts that are not blank."""
    return (
        isinstance(value, (list, tuple))
        and len(value) > 0
        and all(isinstance(each, str) and each.strip() for each in value)
    )


def _described(
    value: object, keys: Sequence[str], expected: str, at: Location
) -> Mapping[str, Any] | None:
    """The mapping that describes a file, whose values but `show` and `id_field` are text: `{file: ...}` for a name alone.

    None if it describes no file.
    """
    if isinstance(value, str) and value:
        return {FILE: value}
    if not isinstance(value, Mapping) or FILE not in value:
        return at.refuse(f"expected {expected}, found {found(value)}")  # type: ignore[no-any-return]
    for key, written in value.items():
        if key == FILL and key in keys and written not in _YES_OR_NO:
            at.refuse(f"expected true or false, found {found(written)}", key)
        elif (
            key in keys
            and key not in ("show", FILL, ID_FIELD)
            and not (isinstance(written, str) and written.strip())
            and not (key == "query" and _are_texts(written))
        ):
            at.refuse(f"expected text, found {found(written)}", key)
    unknown_keys(value, keys, f"a file has {listed(keys, 'and')} here", at)
    return value


def _format(value: Mapping[str, str], at: Location) -> str | None:
    """The format that is written for a file; None where there is none."""
    if "format" not in value:
        return None
    from pytest_relevance.judgments.reading import (
        check_format,
    )  # not imported for suites without files

    try:
        return check_format(value["format"])
    except ValueError as error:
        return at.refuse(str(error), "format")  # type: ignore[no-any-return]


def why_no_file(name: str, folder: str, shown: str) -> str | None:
    """Say why a case file in `folder` cannot name this file, called `shown` in messages; None where it can."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return f"there is no file {shown}; paths are relative to the case file"
    return (
        None if os.path.isfile(path) else f"{shown} is no file"
    )  # a device could be read without end


def check_catalogue(value: object, at: Location) -> object:
    """The catalogue of a suite, as a `CatalogueFile`: a path, or `{file:, id:, title:, show: [...], url:, image:}`."""
    expected = "the name of a file, or {file: ..., id: ..., title: ..., show: [...]}"
    file = _described(value, _CATALOGUE_KEYS, expected, at)
    if file is None:
        return None
    show = names_in(file.get("show", ()), "columns", _wrong_column, at.under("show"))
    if isinstance(file.get("id"), str) and file["id"].strip():
        id_field(file["id"], at.under("id"))
    suite: Any = at.scope.values.get(ID_FIELD)
    is_template = isinstance(suite, str) and id_field_of(suite).is_template
    return CatalogueFile(
        file=file[FILE],
        id=file.get("id"),
        title=file.get("title"),
        show=show or (),
        url=file.get("url"),
        image=file.get("image"),
        suite_id=suite if is_template else None,
    )


def _wrong_column(value: object) -> str | None:
    named = isinstance(value, str) and value.strip()
    return None if named else f"expected the name of a column, found {found(value)}"
