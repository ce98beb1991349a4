"""Find the format of a file of judgments, of queries or of a run.

If the user names a format, the file has it. Otherwise it has the first format that fits
its content. A file that is not data, for example a page or an error of a server, is
refused before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from pytest_relevance._accidents import refuse_accidents
from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.exports import (
    Export,
    plain_export,
    refuse_below_comments,
)
from pytest_relevance.judgments.formats import (
    FORMATS,
    RUN_FORMATS,
    JudgmentFormat,
    RunFormat,
    refuse_options,
)
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.registry import Registry

AnyFormat = TypeVar("AnyFormat", JudgmentFormat, RunFormat)

_FIRST_LINE = Place(line=1)


def format_of_judgments(source: Source, format: str | None) -> JudgmentFormat:
    """Return the format of a file of judgments, with a function that reads them.

    `format`: the name that the user gives; None to find the format.

    Raises FileError if the file has no judgments, and ValueError for an unknown name.
    """
    _refuse_accidents(source, format)
    known = _named_or_fitting(format, source, JudgmentFormat.has_judgments_in)
    if known is None:
        _refuse_unknown(source, "judgments")
    refuse_options(source, known)
    if known.read is None:
        source.refuse(f"{known.name} ({known.about}) holds no judgments")
    return known


def plain_queries(source: Source, format: str | None) -> Export:
    """Return a file of queries without what a search tool wrote around the queries.

    A file in another named format is returned as it is. Raises FileError if the file is
    not data.
    """
    _refuse_accidents(source, format)
    return _plain(source, format)


def _plain(source: Source, format: str | None) -> Export:
    if format is None or _named(format).reads_exports:
        return plain_export(source)
    return Export(source)


def format_of_queries(source: Source, format: str | None) -> JudgmentFormat:
    """Return the format of a file of queries, with a function that reads them.

    `source`: the file as `plain_queries` returns it.
    `format`: the name that the user gives; None to find the format.

    Raises FileError if the file has no queries, and ValueError for an unknown name.
    """
    known = _named_or_fitting(format, source, JudgmentFormat.has_queries_in)
    if known is None:
        known = _first_that_fits(FORMATS, source, _fits_ids_alone)
    if known is None:
        _refuse_unknown(source, "queries")
    refuse_options(source, known)
    if known.read_queries is None:
        source.refuse(
            f"{known.name} ({known.about}) has no queries, only their ids; "
            "name a file of queries"
        )
    return known


def format_of_run(source: Source, format: str | None) -> RunFormat:
    """Return the format of a run. Raises FileError for a file of no known format.

    `format`: the name that the user gives; None to find the format.
    """
    refuse_accidents(source)
    if format is not None:
        return RUN_FORMATS.get(format)
    known = _first_that_fits(RUN_FORMATS, source, _fits_run)
    if known is None:
        _refuse_unknown_run(source)
    return known


def judgments_in(source: Source) -> JudgmentFormat | None:
    """Return the first format in which a file has judgments; None if no format fits."""
    return _named_or_fitting(None, source, JudgmentFormat.has_judgments_in)


def holds_queries_alone(source: Source, format: str | None = None) -> bool:
    """Say whether a file has queries, and no judgments."""
    source = _plain(source, format).source
    known = _named_or_fitting(format, source, _fits_any)
    if known is None:
        return False
    if known.read is None:
        return True
    with FORMATS.calling(known.name):
        if known.has_queries_alone is not None:
            return known.has_queries_alone(source)
        return known.has_queries_in(source) and not known.fits(source)


def check_format(name: str) -> str:
    """Return the name in `FORMATS` for a name or an alias: `trec` for `qrels`.

    Raises ValueError for an unknown name. The message has the names that there are.
    """
    if name in FORMATS.bundled_names:
        return name
    aliases = {}
    for bundled in FORMATS.bundled_names:
        for alias in FORMATS.get(bundled).aliases:
            aliases[alias] = bundled
    if name in aliases:
        return aliases[name]
    if name not in FORMATS:
        names = [*FORMATS.bundled_names, *aliases]
        names += [other for other in FORMATS.names() if other not in names]
        close = did_you_mean(name, names)
        raise ValueError(
            f"unknown format {quoted(name)}; it may be {listed(names)}{close}"
        )
    return name


def _first_that_fits(
    registry: Registry[AnyFormat],
    source: Source,
    fits: Callable[[AnyFormat, Source], bool],
) -> AnyFormat | None:
    """Return the first format of a registry that fits a file; None if none does."""
    for known in registry:
        with registry.calling(known.name):
            if fits(known, source):
                return known
    return None


def _fits_run(known: RunFormat, source: Source) -> bool:
    return known.fits(source)


def _fits_any(known: JudgmentFormat, source: Source) -> bool:
    return known.has_judgments_in(source) or known.has_queries_in(source)


def _fits_ids_alone(known: JudgmentFormat, source: Source) -> bool:
    return known.read_queries is None and known.has_ids_of_queries_in(source)


def _named_or_fitting(
    format: str | None, source: Source, fits: Callable[[JudgmentFormat, Source], bool]
) -> JudgmentFormat | None:
    """Return the format of a name; for None, the first that fits, or None if none does.

    Raises ValueError for an unknown name.
    """
    if format is not None:
        return _named(format)
    return _first_that_fits(FORMATS, source, fits)


def _named(format: str) -> JudgmentFormat:
    """Return the format with a name or an alias. Raises ValueError for other names."""
    return FORMATS.get(check_format(format))


# What is refused


def _refuse_accidents(source: Source, format: str | None) -> None:
    """Raise FileError if a file is not data, for example a web page.

    A file in a `format` of another package is not checked.
    """
    if format is None or check_format(format) in FORMATS.bundled_names:
        refuse_accidents(source)


def _refuse_unknown(source: Source, needed: str) -> NoReturn:
    """Raise FileError for a file of an unknown format, with its first line.

    `needed`: "judgments" or "queries".
    """
    if needed == "queries":
        refuse_below_comments(source)
    names = source.header.names
    are_numbers = any(number_of(name) is not None for name in names)
    if len(names) > 1 and not are_numbers and not source.looks_like_json:
        _refuse_header(source, needed)
    known = []
    for each in FORMATS:
        read = each.read if needed == "judgments" else each.read_queries
        if read is not None:
            known.append(f"{each.name} ({each.about})")
    source.refuse(
        f"the format of these {needed} is not recognised; the file begins with "
        f"{quoted(source.header.line.strip())}. Known are: {'; '.join(known)}. If it is "
        "one of them, name it (format: ..., --format of a command)",
        _FIRST_LINE,
    )


def _refuse_header(source: Source, needed: str) -> None:
    """Read a file as a table, to raise the FileError that names missing columns."""
    table = FORMATS.get("csv")
    assert table.read is not None
    assert table.read_queries is not None
    if needed == "judgments":
        table.read(source)
    else:
        table.read_queries(source)


def _refuse_unknown_run(source: Source) -> NoReturn:
    """Raise FileError for a file that is no run of a known format."""
    judged = judgments_in(source)
    if judged is not None:
        source.refuse(
            f"these are judgments, {judged.name} ({judged.about}); a run is needed",
            _FIRST_LINE,
        )
    known = [f"{each.name} ({each.about})" for each in RUN_FORMATS if each.about]
    source.refuse(
        "the format of this run is not recognised; the file begins with "
        f"{quoted(source.header.line.strip())}. Known are: {', '.join(known)}",
        _FIRST_LINE,
    )
