"""`pytest-relevance init`: a first suite, and the conftest.py with the search that it calls.

Without a judgment file they are a small example that passes at once; replace its toy search by yours. With one, the
suite names it and its queries: only your search is missing, and conftest.py says where it goes. A copy of the JSON
Schema of case files, which the suite names for editors, is written to the same folder. Existing files are never
overwritten.
"""

from __future__ import annotations

import os
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, harmless, quoted, shown
from pytest_relevance.cases.yaml.scalars import write_number, write_text
from pytest_relevance.cli.command import (
    FOUND,
    OK,
    PROGRAM,
    CommandError,
    add_reading,
    existing,
    judgment_file,
    refuse_to_overwrite,
)
from pytest_relevance.cli.schema import SCHEMA
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE

if TYPE_CHECKING:
    from pytest_relevance.judgments.model import Judgments, Query, Ratings
    from pytest_relevance.judgments.scale import Scale

_ENDING = ".relevance.yaml"
_SCHEMA = "relevance.schema.json"
_NO_ENGINE = re.compile("test_.*|.*_test|conftest|setup|noxfile|__.*__")
"""Names of modules that are no search engine."""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="where to write (default: here)")
    parser.add_argument("--judgments", metavar="FILE", type=judgment_file, help="a judgment file in any format")
    parser.add_argument(
        "--queries", metavar="FILE", type=existing, help="a file with the texts of its queries, if it has ids alone"
    )
    parser.add_argument("--name", default="search", help=f"write the suite to NAME{_ENDING} (default: %(default)s)")
    add_reading(parser, "--format", "--scale", "--raters", "--grade-column")


def run(arguments: Namespace) -> int:
    """Write all files or none, and return the exit code. Raises `CommandError` where that is not possible."""
    folder = Path(arguments.folder)
    suite, conftest = folder / (_checked_name(arguments.name) + _ENDING), folder / "conftest.py"
    others = f"name another folder ({PROGRAM} init relevance), or another suite with --name"
    refuse_to_overwrite(map(os.path.relpath, [suite, conftest]), others)
    command = f"pytest {os.path.relpath(folder)}"
    texts: dict[Path, str] = {}
    if arguments.judgments is not None:
        said = _add_judgments(arguments, suite, conftest, command, texts)
    elif arguments.queries is None:
        texts[suite] = _filled("example_suite", command=command)
        texts[conftest] = _filled("example_conftest", module=_engine(folder))
        said = "They pass as they are, with a toy for a search. Put yours in its place, and write your own cases."
    else:
        raise CommandError(f"{PROGRAM} init: --queries goes with --judgments; name the judgment file, too")
    texts[suite] = f"# yaml-language-server: $schema={_SCHEMA}\n{texts[suite]}"
    if not os.path.lexists(folder / _SCHEMA):
        texts[folder / _SCHEMA] = SCHEMA.read_text(encoding="utf-8")
    _write(texts)
    for path in texts:
        print(f"written: {harmless(os.path.relpath(path))}")
    print(f"{said}\nNext: {harmless(command)}")
    return OK


def _checked_name(name: str) -> str:
    """Return the name of a suite without its ending. Raises `CommandError` for an invalid name."""
    name = name.removesuffix(_ENDING)
    if not name or name != Path(name).name or name.startswith("."):
        raise CommandError(f"{PROGRAM} init: a name is that of a file, without folders, found {quoted(name)}")
    return name


def _engine(folder: Path) -> str:
    """Return the name of the first module in a folder that may have the user's search, or "shop" as an example."""
    names = sorted(path.stem for path in folder.glob("*.py")) if folder.is_dir() else []
    own = (name for name in names if name.isidentifier() and not _NO_ENGINE.fullmatch(name))
    return next(own, "shop")


def _add_judgments(arguments: Namespace, suite: Path, conftest: Path, command: str, texts: dict[Path, str]) -> str:
    """Add the files for `--judgments`, and return a message about them. Raises `CommandError` for unsuitable files."""
    from pytest_relevance._source import Source
    from pytest_relevance.cases.lint import outlier
    from pytest_relevance.cases.reader import parse_suite
    from pytest_relevance.judgments.grading import graded
    from pytest_relevance.judgments.reading import options_of, read_ratings

    options = options_of(None, arguments.grade_column)
    rows = read_ratings(Source.read(arguments.judgments, options=options), arguments.format)
    judgments = graded(rows, arguments.scale, arguments.raters)
    queries = _queries(arguments)
    unjudged = [query for query in queries if not _is_judged(query, judgments)]
    if judgments and queries and len(unjudged) == len(queries):
        raise CommandError(
            f"{arguments.judgments}: none of its judgments is for a query in {arguments.queries}: it has judgments for "
            f"{quoted(next(iter(judgments)))}, and there the first query is {quoted(queries[0].id)}; do the files "
            "belong together?",
            FOUND,
        )
    if not judgments:
        raise CommandError(f"{arguments.judgments}: no document in it has a grade; judge some first", FOUND)
    scale = arguments.scale or _seen_scale(rows, judgments)
    gain = _gain(scale, judgments)

    def text(folder: Path | None) -> str:
        keys = _keys(arguments, scale, folder, len(unjudged), len(queries))
        return _suite_of_files(command, {**keys, **gain})

    cases = parse_suite(text(None).encode(), suite.name).cases  # from here: its folder may not exist yet
    code = _judged_conftest(judgments, arguments.judgments.name, _engine(suite.parent))
    amounts = f"{counted(len(cases), 'case')} with {counted(sum(len(case.judgments) for case in cases), 'judgment')}"
    said = f"{amounts}. What is missing is your search: write it in conftest.py."
    if unjudged:
        have = "query has" if len(unjudged) == 1 else "queries have"
        said = f"{len(unjudged):,} of {len(queries):,} {have} no judgments, and no floor.\n{said}"
    odd = None if arguments.scale is not None or rows.grades_of_words else outlier([*judgments.values()])
    if odd is not None:
        *_, what = odd
        advice = "if that is a mistake, correct it and the scale of the suite"
        said = f"In {arguments.judgments.name} {what}: {advice}.\n{said}"
    if gain:
        said = f"Grades are too high for the default gain, 2^grade - 1: the suite has gain: linear.\n{said}"
    texts |= {suite: text(suite.parent), conftest: code}
    return said


def _queries(arguments: Namespace) -> Sequence[Query]:
    """Return the queries with their texts. Raises `CommandError` where the texts are missing."""
    from pytest_relevance._problems import FileError
    from pytest_relevance.judgments.reading import load_queries

    if arguments.queries is not None:
        return load_queries(arguments.queries)
    with suppress(FileError):  # the file is valid, as its judgments were read, but may have no queries
        queries = load_queries(arguments.judgments, arguments.format, grade_column=arguments.grade_column)
        if any(query.text is not None for query in queries):
            return queries
    raise CommandError(
        f"{arguments.judgments}: it has the ids of queries, and a search needs their texts; name the file that has "
        "them: --queries queries.tsv (a line is an id, a tab and the text)"
    )


def _is_judged(query: Query, judgments: Judgments) -> bool:
    keys = [query.id, *judgments.known_as(query.text_or_id)]
    return any(judgments.get(key) for key in keys)


def _gain(scale: Scale | None, judgments: Judgments) -> Mapping[str, str]:
    """Return the key `gain` if the highest grade is too high for the default gain, 2^grade - 1; else no key."""
    grades = (grade for documents in judgments.values() for grade in documents.values())
    highest = scale.highest if scale is not None else max(grades)
    if highest <= LARGEST_EXPONENTIAL_GRADE:
        return {}
    ends = f"the default, 2^grade - 1, takes grades up to {LARGEST_EXPONENTIAL_GRADE}"
    return {"gain": f"linear    # the gain of a grade is the grade itself; {ends}"}


def _seen_scale(rows: Ratings, judgments: Judgments) -> Scale | None:
    """Return the scale of the grades in a judgment file: their names, or their range and 0; None for a single grade."""
    from pytest_relevance.judgments.scale import Scale

    grades = [grade for documents in judgments.values() for grade in documents.values()]
    given = (each.values() for documents in judgments.ratings.values() for each in documents.values())
    ends = [0, *grades, *(rating for ratings in given for rating in ratings)]
    if rows.grades_of_words:
        return Scale(min(rows.grades_of_words.values()), max(rows.grades_of_words.values()), rows.grades_of_words)
    with suppress(ValueError):  # a grade of so many digits that no case file can say it
        write_number(min(ends)), write_number(max(ends))
        return Scale(min(ends), max(ends)) if min(ends) < max(ends) else None
    return None


def _keys(arguments: Namespace, scale: Scale | None, folder: Path | None, unjudged: int, total: int) -> dict[str, str]:
    """Return the keys of the suite with values as YAML. Paths are relative to `folder`, or as given if it is None.

    `unjudged` of the `total` queries have no judgments.
    """
    judgments = _named(arguments.judgments, folder, arguments.format, arguments.grade_column)
    queries = judgments if arguments.queries is None else _named(arguments.queries, folder)
    if unjudged:
        queries += f"    # {unjudged:,} of {total:,} have no judgments; {{file: ..., only: judged}} leaves them out"
    keys = {"judgments": judgments, "queries": queries}
    if scale is not None and scale.names:
        pairs = (f"{write_text(name, flow=True)}: {write_number(grade)}" for name, grade in scale.names.items())
        keys["scale"] = f"{{{', '.join(pairs)}}}"
    elif scale is not None:
        keys["scale"] = f"[{write_number(scale.lowest)}, {write_number(scale.highest)}]"
    if arguments.raters is not None:
        keys["raters"] = arguments.raters
    return keys


def _named(file: Path, folder: Path | None, format: str | None = None, grade_column: str | None = None) -> str:
    """Return a file as a YAML value, with its path relative to a folder, or as given where `folder` is None."""
    name = str(file)
    if folder is not None:
        whole = os.path.join(os.path.realpath(file.parent), file.name)
        with suppress(ValueError):  # no relative path to another drive (Windows)
            whole = os.path.relpath(whole, os.path.realpath(folder))
        name = whole
    said = {"format": format, "grade_column": grade_column}
    options = "".join(f", {key}: {write_text(value, flow=True)}" for key, value in said.items() if value is not None)
    name = write_text(name.replace(os.sep, "/"), flow=bool(options))
    return f"{{file: {name}{options}}}" if options else name


def _write(texts: Mapping[Path, str]) -> None:
    """Write all files or none. Raises `CommandError` where one cannot be written."""
    written: list[Path] = []
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:  # x: never overwrite an existing file
                written.append(path)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise CommandError(f"{error.filename}: cannot be written: {error.strerror}; nothing was written") from None


def _suite_of_files(command: str, keys: Mapping[str, str]) -> str:
    """Return a suite whose judgments and queries are in files. The values of `keys` are YAML."""
    lines = (f"{name}: {value}" for name, value in keys.items())
    return _filled("judged_suite", command=command, keys="\n".join(lines))


def _judged_conftest(judgments: Judgments, file: str, module: str) -> str:
    """Return a conftest.py with an unwritten search, for judgments from `file`. `module` may have the user's search."""
    documents = [document for of_query in judgments.values() for document in of_query][:2]
    ids = ", ".join(shown(document, 60) for document in documents)
    return _filled("judged_conftest", module=module, where=repr(f"first, as they stand in {file}: [{ids}, ...]"))


def _filled(template: str, **values: str) -> str:
    """Return the text of a template with its placeholders replaced."""
    text = (Path(__file__).parent / "templates" / f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(values)
