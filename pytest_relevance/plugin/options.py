"""The plugin's options and ini keys, and which files are case files. Imported in every run: keep it light."""

from __future__ import annotations

import re
from fnmatch import translate
from pathlib import Path
from typing import Any

import pytest

DEFAULT_PATTERNS = ("*.relevance.yaml", "*.relevance.yml")
INCONCLUSIVE = ("fail", "skip", "pass")
GATES = ("auto", "require")

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
        "--relevance-unjudged",
        metavar="FILE",
        help="write a worklist of the results that nobody has judged, as CSV, the most valuable first",
    )
    parser.addini(
        "relevance_files",
        "names of the case files to collect (default: %(default)s)".replace("%(default)s", " ".join(DEFAULT_PATTERNS)),
        type="args",
        default=list(DEFAULT_PATTERNS),
    )


class CaseFiles:
    """A plugin whose one hook collects case files: by their names, or named on the command line and by their content.

    The hook is asked for every file of the tree, whatever it is. Nearly all of them are turned away by one look at how
    their names end.
    """

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
        self._possible = (*self._endings, *(_YAML if names_yaml else ()), *any_name)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Make a collector of a case file."""
        name = file_path.name
        if not name.endswith(self._possible):
            return None
        fits = name.endswith(self._endings) or (self._others is not None and self._others.match(name) is not None)
        if not fits and not self._has_cases(file_path, parent.session):
            return None
        from pytest_relevance.plugin.collector import CaseFile

        return CaseFile.from_parent(parent, path=file_path)

    @staticmethod
    def _has_cases(path: Path, session: pytest.Session) -> bool:
        """Whether a YAML file that was named on the command line has cases."""
        if not path.name.endswith(_YAML) or not session.isinitpath(path):
            return False
        from pytest_relevance.cases.reader import has_cases

        return has_cases(path.read_bytes())


def is_xdist_controller(config: pytest.Config) -> bool:
    """Whether this process only hands the tests out to workers."""
    return config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")


def verbosity(option: Any) -> int:
    """How much a terminal shall show: 1 for `-v`, -1 for `-q`. There may be no terminal (`-p no:terminal`)."""
    return getattr(option, "verbose", 0)


def is_brief(option: Any) -> bool:
    """Whether the terminal shows a line a failure."""
    return verbosity(option) < 0 or is_by_line(option)


def is_by_line(option: Any) -> bool:
    """Whether a failure is one line of pytest's own (`--tb=line`)."""
    return getattr(option, "tbstyle", None) == "line"
