"""`convert` into an existing case file: add to its cases the judgments that they lack."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from pytest_relevance._text import counted, examples, harmless, printable, quoted
from pytest_relevance.cases.lint import normalized
from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.yaml.editing import Change, Conflict, add_judgments, read_unjudged
from pytest_relevance.cases.yaml.scalars import write_number
from pytest_relevance.cases.yaml.writing import add_cases
from pytest_relevance.cli.command import FOUND, OK, CommandError, complain, say, write
from pytest_relevance.judgments.model import Judgments, rekeyed

_MOST_LISTED = 20
_MOST_NAMED = 3


def add(judgments: Judgments, arguments: Namespace) -> int:
    """Add judgments to the case file OUT, print a report of the changes, and return the exit code.

    Raises `CommandError` where grades conflict or the edited file would not be valid; nothing is written then.
    """
    out = arguments.target
    before = Path(out).read_bytes()
    suite, _ = read_unjudged(before, out)
    found, without = _cases_of(judgments, suite)
    _refuse_two_grades(judgments, found, out)
    grades, titles = _by_case(judgments, found)
    try:
        edited = add_judgments(before, out, grades, titles=titles, overwrite=arguments.overwrite)
        data = edited.data
        if without and arguments.add_cases:
            data = add_cases(data, out, rekeyed(judgments, {query: query for query in without}))
    except ValueError as error:  # CaseFileError is a subclass
        conflicts = isinstance(error, CaseFileError) and any(isinstance(one, Conflict) for one in error.problems)
        overwrite = "; --overwrite takes the new grade where there is another" if conflicts else ""
        raise CommandError(f"{error}\n{harmless(out)}: nothing was written{overwrite}", FOUND) from None
    if without and not arguments.add_cases:
        complain(f"{harmless(out)}: {_left_out(judgments, without)}")
    for message in _nearly_there(judgments, without, suite, added=arguments.add_cases):
        complain(f"{harmless(out)}: {message}")
    if data != before:
        write(out, data)
    _report(out, edited.changes, sum(map(len, grades.values())), len(without) if arguments.add_cases else 0)
    return OK


def _cases_of(judgments: Judgments, suite: Suite) -> tuple[dict[str, list[str]], list[str]]:
    """Return the case ids of each query, matched by id or else by text, and the queries without a case."""
    ids = {case.id for case in suite.cases}
    by_text: dict[str, list[str]] = {}
    for case in suite.cases:
        by_text.setdefault(case.query, []).append(case.id)
    found = {
        query: [query] if query in ids else by_text.get(judgments.text(query), []) for query in judgments.all_queries
    }
    return {query: cases for query, cases in found.items() if cases}, [query for query in found if not found[query]]


def _by_case(
    judgments: Judgments, found: Mapping[str, Sequence[str]]
) -> tuple[dict[str, dict[str, float]], dict[str, Mapping[str, str]]]:
    """Return the grades and the titles of documents by the id of the case; `found` has the cases of each query."""
    grades: dict[str, dict[str, float]] = {}
    titles: dict[str, Mapping[str, str]] = {}
    for query, cases in found.items():
        for case in cases:
            grades.setdefault(case, {}).update(judgments.get(query, {}))
            titles[case] = {**judgments.titles.get(query, {}), **titles.get(case, {})}
    return grades, titles


def _left_out(judgments: Judgments, without: Sequence[str]) -> str:
    """Return a message about the queries without a case."""
    total = counted(len(judgments.all_queries), "query", "queries")
    left_out = f"{len(without):,} of {total} have no case there and are left out: {examples(without, _MOST_NAMED)}"
    return f"{left_out}; --add-cases adds a case for each"


def _refuse_two_grades(judgments: Judgments, found: Mapping[str, Sequence[str]], out: str) -> None:
    """Raise `CommandError` where two queries match the same case and give a document different grades.

    That is possible as one query may match by the id of the case and the other by its text.
    """
    known: dict[tuple[str, str], str] = {}
    problems = []
    for query, cases in found.items():
        for case, (document, grade) in product(cases, judgments.get(query, {}).items()):
            first = known.setdefault((case, document), query)
            if judgments[first][document] != grade:
                problems.append(
                    f"{harmless(out)}: the case {quoted(case)}: document {quoted(document)} has grade "
                    f"{write_number(judgments[first][document])} as {quoted(first)} and {write_number(grade)} as "
                    f"{quoted(query)}, which are both this case; decide on a grade"
                )
    if problems:
        raise CommandError("\n".join([*problems, f"{harmless(out)}: nothing was written"]), FOUND)


def _nearly_there(judgments: Judgments, without: Sequence[str], suite: Suite, *, added: bool) -> Iterator[str]:
    """Yield messages about queries without a case that nearly equal the query of a case.

    Nearly equal means: they differ only in upper case, blanks or the Unicode form of characters.
    """
    cases = {normalized(case.query): case.query for case in reversed(suite.cases)}
    texts = map(judgments.text, without)
    near = [(text, cases[name]) for text in texts if (name := normalized(text)) in cases]
    for text, query in near[:_MOST_NAMED]:
        what = "is added, and differs" if added else "differs"
        yield (
            f"{quoted(text, 40)} {what} from the query {quoted(query, 40)} of a case in upper case, blanks or the form "
            "of characters alone; for judgments to be added to that case, write both the same"
        )
    if len(near) > _MOST_NAMED:
        yield f"{len(near) - _MOST_NAMED:,} more queries differ from those of cases no more than that"


def _report(out: str, changes: Sequence[Change], asked: int, new_cases: int) -> None:
    """Print the numbers of added, replaced and existing judgments, and each change."""
    replaced = sum(change.old is not None for change in changes)
    amounts = [
        f"{counted(len(changes) - replaced, 'judgment')} added",
        *([f"{replaced:,} replaced"] if replaced else []),
        *([f"{asked - len(changes):,} there already"] if asked > len(changes) else []),
        *([f"{counted(new_cases, 'case')} added"] if new_cases else []),
    ]
    say(f"{harmless(out)}: {', '.join(amounts)}")
    for change in changes[:_MOST_LISTED]:
        was = f" (was {printable(change.old)})" if change.old is not None else ""
        say(f"  {quoted(change.case, 40)}: {quoted(change.document or '', 40)}: {printable(change.new)}{was}")
    if len(changes) > _MOST_LISTED:
        say(f"  ... and {len(changes) - _MOST_LISTED:,} more")
