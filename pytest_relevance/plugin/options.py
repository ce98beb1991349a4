"""The plugin's options and ini keys, and which files are case files. Imported in every run: keep it light."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from fnmatch import translate
from pathlib import Path
from typing import Any

import pytest

DEFAULT_TOLERANCE = 0.05
DEFAULT_PATTERNS = ("*.relevance.yaml", "*.relevance.yml")
INCONCLUSIVE = ("fail", "skip", "pass")
GATES = ("auto", "require")
BASELINE = ("auto", "require")

_LITERAL_ENDING = re.compile(r"\*[^*?\[\]]+")
_YAML = (".yaml", ".yml")


def declare(parser: pytest.Parser) -> None:
    """Add the options, in a group of their own."""
    group = parser.getgroup("relevance", "search relevance")
    group.addoption(
        "--relevance-inconclusive",
        choices=INCONCLUSIVE,
        default="fail",
        help="what becomes of a case with too few judged results (min_judged): fail (default), skip or pass",
    )
    group.addoption(
        "--relevance-gates",
        choices=GATES,
        default="auto",
        help="what becomes of the gates of a file of which not all cases ran: skipped (auto, the default), or failed "
        "(require)",
    )
    group.addoption(
        "--relevance-baseline",
        choices=BASELINE,
        default=None,
        help="what becomes of a case file that has no baseline: nothing is compared (auto, the default), or it fails "
        "(require)",
    )
    group.addoption(
        "--relevance-unjudged",
        metavar="FILE",
        help="write a worklist of the results that nobody has judged, as CSV, the most valuable first",
    )
    group.addoption(
        "--relevance-record",
        metavar="FILE",
        help="write the record of the run: every case with its ranking and scores, for compare, merge and notebooks",
    )
    group.addoption(
        "--relevance-repeat",
        metavar="N",
        type=_calls,
        help="call each search N times, and name the queries whose ranking changes from call to call",
    )
    # the second option by its whole name: one with an optional value would take the folder behind it for that
    for names, accepts, what in (
        (("--relevance-update", "--relevance-update=all"), "all", "accept the present rankings as the baseline"),
        (("--relevance-update=new",), "new", "the same for cases that have no baseline yet, and only these"),
    ):
        group.addoption(*names, dest="relevance_update", action="store_const", const=accepts, default=None, help=what)
    group.addoption(
        "--relevance-ratchet",
        action="store_true",
        help="raise min_ndcg in the case files to what was reached, less the tolerance",
    )
    parser.addini(
        "relevance_tolerance",
        "how far nDCG@k of a case may drop below its baseline (default: 0.05); a suite or a case may say otherwise",
        type="float",
        default=DEFAULT_TOLERANCE,
    )
    parser.addini(
        "relevance_baseline",
        "auto (default) or require: whether a case file without a baseline fails (--relevance-baseline)",
        default="auto",
    )
    parser.addini(
        "relevance_files",
        "names of the case files to collect (default: %(default)s)".replace("%(default)s", " ".join(DEFAULT_PATTERNS)),
        type="args",
        default=list(DEFAULT_PATTERNS),
    )


def _calls(text: str) -> int:
    """How often each search is called, which is worth nothing where it is once."""
    if not (text.isascii() and text.isdigit() and int(text) > 1):
        raise ArgumentTypeError(f"call each search 2 times or more, to see whether its ranking changes; found {text!r}")
    return int(text)


class FilePatterns:
    """The names of case files, as `relevance_files` gives them."""

    def __init__(self, config: pytest.Config) -> None:
        patterns = config.getini("relevance_files")
        if any("/" in pattern for pattern in patterns):
            raise pytest.UsageError(
                f"relevance_files are patterns for file names, without folders, found: {' '.join(patterns)}"
            )
        others = [translate(pattern) for pattern in patterns if not _LITERAL_ENDING.fullmatch(pattern)]
        self._others = re.compile("|".join(others)) if others else None
        self._endings = tuple(pattern[1:] for pattern in patterns if _LITERAL_ENDING.fullmatch(pattern))
        names_yaml = any(ending in argument for argument in config.args for ending in _YAML)
        any_name = ("",) if others else ()
        self.possible = (*self._endings, *(_YAML if names_yaml else ()), *any_name)
        """How the names of files end that are worth a closer look; of nearly all files in a tree that is the end."""

    def fits(self, name: str) -> bool:
        """Whether the name of a file is that of a case file."""
        return name.endswith(self._endings) or (self._others is not None and self._others.match(name) is not None)


FILE_PATTERNS: pytest.StashKey[FilePatterns] = pytest.StashKey()


def has_cases(path: Path) -> bool:
    """Whether a file that was named on the command line is YAML with cases."""
    if not path.name.endswith(_YAML):
        return False
    from pytest_relevance.cases.reader import has_cases

    return has_cases(path.read_bytes())


def tolerance(config: pytest.Config) -> float:
    """How far a score may drop where neither suite nor case say. UsageError for what is no number from 0 to 1."""
    try:
        value = config.getini("relevance_tolerance")
    except (TypeError, ValueError, pytest.UsageError) as error:
        raise pytest.UsageError(f"relevance_tolerance is a number from 0 to 1: {error}") from None
    if isinstance(value, bool) or not 0 <= value <= 1:
        raise pytest.UsageError(f"relevance_tolerance is a number from 0 to 1, found {value}")
    return float(value)


def requires_baseline(config: pytest.Config) -> bool:
    """Whether a case file without a baseline fails. UsageError where the ini key has another value than it may."""
    value = config.option.relevance_baseline or config.getini("relevance_baseline")
    if value not in BASELINE:
        raise pytest.UsageError(f"relevance_baseline is auto or require, found {value!r}")
    return bool(value == "require")


def is_xdist_controller(config: pytest.Config) -> bool:
    """Whether this process only hands the tests out to workers."""
    return config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")


def verbosity(option: Any) -> int:
    """How much a terminal shall show: 1 for `-v`, -1 for `-q`. There may be no terminal (`-p no:terminal`)."""
    return getattr(option, "verbose", 0)


def writes_anything(option: Any) -> bool:
    """Whether the run writes a file at its end."""
    return bool(
        option.relevance_unjudged is not None
        or option.relevance_record is not None
        or option.relevance_update is not None
        or option.relevance_ratchet
    )


def needs_details(option: Any) -> bool:
    """Whether something asks for all that there is to know of every case: its ranking, grades, titles."""
    return (
        verbosity(option) > 1
        or option.relevance_record is not None
        or option.relevance_update is not None
        or option.relevance_unjudged is not None
    )


def is_brief(option: Any) -> bool:
    """Whether the terminal shows a line a failure."""
    return verbosity(option) < 0 or is_by_line(option)


def is_by_line(option: Any) -> bool:
    """Whether a failure is one line of pytest's own (`--tb=line`)."""
    return getattr(option, "tbstyle", None) == "line"
