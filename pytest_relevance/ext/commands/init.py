"""`pytest-relevance init`: a first suite, and a conftest.py with its search.

Without a judgment file both are a small example that passes at once. Replace its toy
search by yours. `--assistant` writes an example for the retrieval of an assistant, with
questions and passages. With a judgment file, the suite names the file and its queries.
Only your search is missing, and conftest.py says where it goes.

A copy of the JSON Schema of case files is written to the same folder, and the suite
names it for editors. Existing files are never overwritten.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._text import counted, harmless, quoted, shown
from pytest_relevance.cli.arguments import (
    add_query,
    add_reading,
    columns_of,
    existing,
)
from pytest_relevance.cli.command import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.output import refuse_to_overwrite, writing
from pytest_relevance.ext.commands.case_file import without_texts
from pytest_relevance.ext.commands.schema import schema_text
from pytest_relevance.ext.commands.yaml_text import write_value
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.reading import (
    ids_of,
    load_queries,
    options_of,
    queries_in,
    read_ratings,
)
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE

if TYPE_CHECKING:
    from pytest_relevance.judgments.model import Judgments, Query, Ratings
    from pytest_relevance.judgments.scale import Scale

_ENDING = ".relevance.yaml"
_SCHEMA = "relevance.schema.json"


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        default=".",
        help="where to write (default: here)",
    )
    parser.add_argument(
        "--judgments",
        metavar="FILE",
        type=existing,
        help="a judgment file in any format",
    )
    queries = "the texts of its queries, if it has ids alone"
    parser.add_argument("--queries", metavar="FILE", type=existing, help=queries)
    add_query(parser)
    parser.add_argument(
        "--assistant",
        action="store_true",
        help="write questions and the passages that their answers need",
    )
    parser.add_argument(
        "--name",
        help=f"write the suite to NAME{_ENDING} (default: search, or assistant)",
    )
    add_reading(
        parser, "--format", "--scale", "--raters", "--grade-column", "--id-field"
    )


@dataclass(frozen=True, slots=True)
class _FirstSuite:
    """The texts of the two files that are written, and a message to the user."""

    suite: str
    conftest: str
    message: str


def run(arguments: Namespace) -> int:
    """Write a first suite and a conftest.py, and return the exit code."""
    folder = Path(arguments.folder)
    name = _name_of_suite(arguments)
    _check_files_of_judgments(arguments)
    suite = folder / f"{name}{_ENDING}"
    conftest = folder / "conftest.py"
    paths = [os.path.relpath(path) for path in (suite, conftest)]
    content = "queries and judgments"
    if arguments.assistant:
        content = "questions and passages"
    refuse_to_overwrite(paths, _what_to_do_instead(suite, conftest, content))
    next_command = f"pytest {os.path.relpath(folder)}"
    if arguments.judgments is not None:
        first = _suite_for_judgments(arguments, folder, next_command)
    elif arguments.assistant:
        first = _suite_for_assistant(next_command)
    else:
        first = _suite_for_example(next_command)
    _write(suite, f"# yaml-language-server: $schema={_SCHEMA}\n{first.suite}")
    _write(conftest, first.conftest)
    if not os.path.lexists(folder / _SCHEMA):
        _write(folder / _SCHEMA, schema_text())
    print(f"{first.message}\nNext: {harmless(next_command)}")
    return OK


def _name_of_suite(arguments: Namespace) -> str:
    """Return the name of the suite, without the ending `.relevance.yaml`.

    Raises `CommandError` if `--name` is not the name of a file.
    """
    if arguments.name is None:
        return "assistant" if arguments.assistant else "search"
    name: str = arguments.name.removesuffix(_ENDING)
    if not name or name != Path(name).name or name.startswith("."):
        raise CommandError(
            f"{PROGRAM} init: a name is that of a file, without folders, found {quoted(name)}"
        )
    return name


def _check_files_of_judgments(arguments: Namespace) -> None:
    """Raise `CommandError` if the options about judgments do not go together."""
    if arguments.judgments is None and arguments.queries is not None:
        raise CommandError(
            f"{PROGRAM} init: --queries goes with --judgments; name the judgment file, too"
        )
    if arguments.judgments is not None and arguments.assistant:
        raise CommandError(
            f"{PROGRAM} init: --assistant writes questions of its own, and --judgments those "
            "of a file; leave one of them out"
        )


def _what_to_do_instead(suite: Path, conftest: Path, content: str) -> str:
    """Return how to go on if a file to write exists already.

    `content`: what a person writes in a case file, for example `queries and judgments`.
    """
    if conftest.exists() and not suite.exists():
        return (
            f"to add a suite beside {os.path.relpath(conftest)}, write it by hand: "
            f"{content} in {suite.name}"
        )
    return f"name a folder that is not there yet ({PROGRAM} init FOLDER)"


def _write(path: Path, text: str) -> None:
    """Write a new file, and print its name. Raises `CommandError` if that fails."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    print(f"written: {harmless(os.path.relpath(path))}")


def _suite_for_example(next_command: str) -> _FirstSuite:
    """Return the first suite of a product search, with a toy search."""
    return _FirstSuite(
        suite=_filled("example_suite", command=next_command),
        conftest=_filled("example_conftest"),
        message=(
            "They pass as they are, with a toy search. Replace the toy with your "
            "search, and write your own cases."
        ),
    )


def _suite_for_assistant(next_command: str) -> _FirstSuite:
    """Return the first suite for `--assistant`, with a toy search."""
    return _FirstSuite(
        suite=_filled("assistant_suite", command=next_command),
        conftest=_filled("assistant_conftest"),
        message=(
            "They pass as they are, with a toy search. Replace the toy in "
            "conftest.py with your search, and write your own questions and "
            "passages."
        ),
    )


def _suite_for_judgments(
    arguments: Namespace, folder: Path, next_command: str
) -> _FirstSuite:
    """Return the first suite for `--judgments`.

    Raises `FileError` if a file has mistakes, and `CommandError` if no document has a
    grade or no query has a text.
    """
    file = arguments.judgments
    options = options_of(
        arguments.query, arguments.grade_column, **columns_of(arguments)
    )
    source = Source.read(file, options=options, ids=ids_of(arguments.id_field))
    rows = read_ratings(source, arguments.format)
    judgments = graded(rows, arguments.scale, arguments.raters)
    queries = _queries_with_texts(arguments, source, rows.format)
    if not judgments:
        raise CommandError(
            f"{file}: no document in it has a grade; judge some first", FOUND
        )
    lines = _key_lines(arguments, folder, rows, judgments)
    documents = _first_documents(judgments)
    end_of_message = f"first, as they stand in {file.name}: [{documents}, ...]"
    if judgments.have_passages:
        end_of_message = f"first. {file.name} has passages, so return texts, or objects that have them"
    cases = counted(len({query.id for query in queries}), "case")
    number = sum(len(grades) for grades in judgments.values())
    return _FirstSuite(
        suite=_filled("judged_suite", command=next_command, keys=lines),
        # a literal of Python: an id may have quotes
        conftest=_filled("judged_conftest", end_of_message=repr(end_of_message)),
        message=(
            f"{cases} with {counted(number, 'judgment')}. What is missing is your search: "
            "write it in conftest.py."
        ),
    )


def _key_lines(
    arguments: Namespace, folder: Path, rows: Ratings, judgments: Judgments
) -> str:
    """Return the keys of the suite as lines: its files, and how grades are read."""
    keys = {
        **_file_keys(arguments, folder, rows),
        **_grading_keys(arguments, rows, judgments),
    }
    return "\n".join(f"{name}: {value}" for name, value in keys.items())


def _file_keys(arguments: Namespace, folder: Path, rows: Ratings) -> dict[str, str]:
    """Return the keys `judgments` and `queries` with their values, as YAML.

    A golden set is named once, as `queries`.
    """
    query = arguments.query
    judged = _named(
        arguments.judgments,
        folder,
        format=arguments.format,
        query=query[0] if query and len(query) == 1 else query,
        **columns_of(arguments),
        grade_column=arguments.grade_column,
        id_field=arguments.id_field,
    )
    if arguments.queries is not None:
        return {"judgments": judged, "queries": _named(arguments.queries, folder)}
    if rows.is_golden_set:
        return {"queries": judged}
    return {"judgments": judged, "queries": judged}


def _grading_keys(
    arguments: Namespace, rows: Ratings, judgments: Judgments
) -> dict[str, str]:
    """Return the keys `scale`, `raters` and `gain` with their values, as needed."""
    keys = {}
    scale: Scale | None = arguments.scale
    names = rows.grades_of_words if scale is None else scale.names
    if names:
        keys["scale"] = write_value(names)
    elif scale is not None:
        keys["scale"] = write_value([scale.lowest, scale.highest])
    if arguments.raters is not None:
        keys["raters"] = arguments.raters
    highest = max(max(grades.values()) for grades in judgments.values() if grades)
    if scale is not None:
        highest = max(highest, scale.highest)
    if highest > LARGEST_EXPONENTIAL_GRADE:
        keys["gain"] = (
            "linear    # the gain of a grade is the grade itself; the default, "
            f"2^grade - 1, takes grades up to {LARGEST_EXPONENTIAL_GRADE}"
        )
    return keys


def _first_documents(judgments: Judgments) -> str:
    """Return the first two judged documents as text, for an example."""
    documents: list[str] = []
    for grades in judgments.values():
        documents += grades
    return ", ".join(shown(document, 60) for document in documents[:2])


def _queries_with_texts(
    arguments: Namespace, source: Source, judgment_format: str
) -> Sequence[Query]:
    """Return the queries of `--queries`, or else of the judgment file, `source`.

    Raises `FileError` if the file of `--queries` has mistakes, and `CommandError` if no
    query of the judgment file has a text.
    """
    if arguments.queries is not None:
        return load_queries(arguments.queries)
    # the file is valid, as its judgments were read, but may have no queries
    with suppress(FileError):
        queries = queries_in(source, arguments.format)
        if any(query.text is not None for query in queries):
            return queries
    raise without_texts(str(arguments.judgments), judgment_format)


def _named(file: Path, folder: Path, **how_read: str | Sequence[str] | None) -> str:
    """Return a file as a YAML value: its path from a folder, and how it is read.

    `how_read`: further keys with their values. A key without a value is left out.
    """
    name = os.path.join(os.path.realpath(file.parent), file.name)
    with suppress(ValueError):  # no relative path to another drive (Windows)
        name = os.path.relpath(name, os.path.realpath(folder))
    name = name.replace(os.sep, "/")
    options = {key: value for key, value in how_read.items() if value is not None}
    return write_value({"file": name, **options} if options else name)


def _filled(template: str, **values: str) -> str:
    """Return the text of a template, with values in the place of its `$names`."""
    path = Path(__file__).parent / "templates" / f"{template}.txt"
    return Template(path.read_text(encoding="utf-8")).substitute(values)
