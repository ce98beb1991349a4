"""`pytest-relevance init`: a first suite, and the conftest.py with the search that it calls.

Without a judgment file they are a small example that passes at once; replace its toy search by yours. With one, the
suite names it and its queries: only your search is missing, and conftest.py says where it goes. A copy of the JSON
Schema of case files, which the suite names for editors, is written to the same folder. Existing files are never
overwritten.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from pytest_relevance._problems import FileError
from pytest_relevance._text import counted, harmless, quoted, shown
from pytest_relevance.cases.yaml_text import write_value
from pytest_relevance.cli import command
from pytest_relevance.cli.command import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.schema import schema_text
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE

if TYPE_CHECKING:
    from pytest_relevance.judgments.model import Query

_ENDING = ".relevance.yaml"
_SCHEMA = "relevance.schema.json"


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
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
        type=command.existing,
        help="a judgment file in any format",
    )
    queries = "the texts of its queries, if it has ids alone"
    parser.add_argument(
        "--queries", metavar="FILE", type=command.existing, help=queries
    )
    command.add_query(parser)
    parser.add_argument(
        "--name",
        default="search",
        help=f"write the suite to NAME{_ENDING} (default: %(default)s)",
    )
    command.add_reading(
        parser, "--format", "--scale", "--raters", "--grade-column", "--id-field"
    )


def _other_places(suite: Path, conftest: Path) -> str:
    """Say what to do if a file is there already."""
    if conftest.exists() and not suite.exists():
        return (
            f"to add a suite beside {os.path.relpath(conftest)}, write it by hand: "
            f"queries and judgments in {suite.name}"
        )
    return f"name a folder that is not there yet ({PROGRAM} init FOLDER)"


def run(arguments: Namespace) -> int:
    """Write the files, and return the exit code. Raises `CommandError` where that is not possible."""
    folder, name = Path(arguments.folder), arguments.name.removesuffix(_ENDING)
    if not name or name != Path(name).name or name.startswith("."):
        raise CommandError(
            f"{PROGRAM} init: a name is that of a file, without folders, found {quoted(name)}"
        )
    suite, conftest = folder / (name + _ENDING), folder / "conftest.py"
    command.refuse_to_overwrite(
        map(os.path.relpath, [suite, conftest]), _other_places(suite, conftest)
    )
    next_command = f"pytest {os.path.relpath(folder)}"
    texts: dict[Path, str] = {}
    if arguments.judgments is not None:
        said = _add_judgments(arguments, suite, conftest, next_command, texts)
    elif arguments.queries is None:
        texts = {
            suite: _filled("example_suite", command=next_command),
            conftest: _filled("example_conftest"),
        }
        said = "They pass as they are, with a toy for a search. Put yours in its place, and write your own cases."
    else:
        raise CommandError(
            f"{PROGRAM} init: --queries goes with --judgments; name the judgment file, too"
        )
    texts[suite] = f"# yaml-language-server: $schema={_SCHEMA}\n{texts[suite]}"
    if not os.path.lexists(folder / _SCHEMA):
        texts[folder / _SCHEMA] = schema_text()
    for path, text in texts.items():
        with command.writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open(
                "x", encoding="utf-8", newline="\n"
            ) as file:  # x: never overwrite an existing file
                file.write(text)
        print(f"written: {harmless(os.path.relpath(path))}")
    print(f"{said}\nNext: {harmless(next_command)}")
    return OK


def _add_judgments(
    arguments: Namespace,
    suite: Path,
    conftest: Path,
    next_command: str,
    texts: dict[Path, str],
) -> str:
    """Add the files for `--judgments`, and return a message about them. Raises `CommandError` for unsuitable files."""
    from pytest_relevance._source import Source
    from pytest_relevance.judgments.grading import graded
    from pytest_relevance.judgments.reading import ids_of, options_of, read_ratings

    file = arguments.judgments
    options = options_of(arguments.query, arguments.grade_column)
    source = Source.read(file, options=options, ids=ids_of(arguments.id_field))
    rows = read_ratings(source, arguments.format)
    judgments = graded(rows, arguments.scale, arguments.raters)
    queries = {query.id: query for query in _queries(arguments, rows.format)}.values()
    if not judgments:
        raise CommandError(
            f"{file}: no document in it has a grade; judge some first", FOUND
        )
    named = _named(
        file,
        suite.parent,
        format=arguments.format,
        query=arguments.query,
        grade_column=arguments.grade_column,
        id_field=arguments.id_field,
    )
    of_queries = (
        named if arguments.queries is None else _named(arguments.queries, suite.parent)
    )
    keys = {"judgments": named, "queries": of_queries}
    scale = arguments.scale
    if names := rows.grades_of_words if scale is None else scale.names:
        keys["scale"] = write_value(names)
    elif scale is not None:
        keys["scale"] = write_value([scale.lowest, scale.highest])
    if arguments.raters is not None:
        keys["raters"] = arguments.raters
    highest = max(
        grade for of_query in judgments.values() for grade in of_query.values()
    )
    if max(highest, 0 if scale is None else scale.highest) > LARGEST_EXPONENTIAL_GRADE:
        ends = (
            f"the default, 2^grade - 1, takes grades up to {LARGEST_EXPONENTIAL_GRADE}"
        )
        keys["gain"] = f"linear    # the gain of a grade is the grade itself; {ends}"
    lines = "\n".join(f"{name}: {value}" for name, value in keys.items())
    documents = [document for of_query in judgments.values() for document in of_query][
        :2
    ]
    ids = ", ".join(shown(document, 60) for document in documents)
    where = repr(f"first, as they stand in {file.name}: [{ids}, ...]")
    texts[suite] = _filled("judged_suite", command=next_command, keys=lines)
    texts[conftest] = _filled("judged_conftest", where=where)
    amounts = f"{counted(len(queries), 'case')} with {counted(sum(map(len, judgments.values())), 'judgment')}"
    return f"{amounts}. What is missing is your search: write it in conftest.py."


def _queries(arguments: Namespace, format: str) -> Sequence[Query]:
    """Return the queries with their texts. Raises `CommandError` where the texts are missing.

    `format` is that of the judgments.
    """
    from pytest_relevance.judgments.reading import load_queries

    if arguments.queries is not None:
        return load_queries(arguments.queries)
    with suppress(
        FileError
    ):  # the file is valid, as its judgments were read, but may have no queries
        queries = load_queries(
            arguments.judgments,
            arguments.format,
            query=arguments.query,
            grade_column=arguments.grade_column,
            id_field=arguments.id_field,
        )
        if any(query.text is not None for query in queries):
            return queries
    raise command.without_texts(str(arguments.judgments), format)


def _named(
    file: Path,
    folder: Path,
    *,
    format: str | None = None,
    query: Sequence[str] | None = None,
    grade_column: str | None = None,
    id_field: str | None = None,
) -> str:
    """Return a file as a YAML value, with its path relative to a folder, and what else is said of it."""
    name = os.path.join(os.path.realpath(file.parent), file.name)
    with suppress(ValueError):  # no relative path to another drive (Windows)
        name = os.path.relpath(name, os.path.realpath(folder))
    said = {
        "file": name.replace(os.sep, "/"),
        "format": format,
        "query": query[0] if query and len(query) == 1 else query,
        "grade_column": grade_column,
        "id_field": id_field,
    }
    options = {key: value for key, value in said.items() if value is not None}
    return write_value(options if len(options) > 1 else options["file"])


def _filled(template: str, **values: str) -> str:
    """Return the text of a template with its placeholders replaced."""
    text = (Path(__file__).parent / "templates" / f"{template}.txt").read_text(
        encoding="utf-8"
    )
    return Template(text).substitute(values)
