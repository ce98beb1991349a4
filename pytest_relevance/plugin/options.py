"""The plugin's options and ini keys, and which files are case files. Imported in every run: keep it light."""

from __future__ import annotations

import re
from fnmatch import translate
from pathlib import Path
from typing import Any

import pytest

DEFAULT_PATTERNS = ("*.relevance.yaml", "*.relevance.yml")
INCONCLUSIVE = ("fail", "skip", "pass")

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
    parser.addini(
        "relevance_files",
        "names of the case files to collect (default: %(default)s)".replace("%(default)s", " ".join(DEFAULT_PATTERNS)),
        type="args",
        default=list(DEFAULT_PATTERNS),
    )


class Matching:
    """Which files are case files: by name, or by content where they are named on the command line."""

    def __init__(self, patterns: list[str]) -> None:
        self._endings = tuple(pattern[1:] for pattern in patterns if _LITERAL_ENDING.fullmatch(pattern))
        others = [translate(pattern) for pattern in patterns if not _LITERAL_ENDING.fullmatch(pattern)]
        self._others = re.compile("|".join(others)) if others else None

    def by_name(self, name: str) -> bool:
        """Whether a file's name fits the patterns. Asked for every file of the tree, so kept to one look."""
        return name.endswith(self._endings) or (self._others is not None and self._others.match(name) is not None)

    @staticmethod
    def by_content(path: Path, session: pytest.Session) -> bool:
        """Whether a YAML file that was named on the command line has cases."""
        if not path.name.endswith(_YAML) or not session.isinitpath(path):
            return False
        from pytest_relevance.cases.reader import has_cases

        return has_cases(path.read_bytes())


MATCHING = pytest.StashKey[Matching]()


def read(config: pytest.Config) -> None:
    """Read what the hooks need of the options, once."""
    patterns = config.getini("relevance_files")
    if any("/" in pattern for pattern in patterns):
        raise pytest.UsageError(
            f"relevance_files are patterns for file names, without folders, found: {' '.join(patterns)}"
        )
    config.stash[MATCHING] = Matching(patterns)


def is_xdist_controller(config: pytest.Config) -> bool:
    """Whether this process only hands the tests out to workers."""
    return config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")


def is_brief(option: Any) -> bool:
    """Whether the terminal shows a line a failure."""
    return bool(option.verbose < 0 or option.tbstyle == "line")
