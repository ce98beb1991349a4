"""Importing this package without pytest's rewriting of assert statements.

pytest rewrites the asserts of every module that belongs to a plugin, in case it has some that a reader should see
in detail. This package has none, and where bytecode cannot be cached (PYTHONDONTWRITEBYTECODE, read-only
installations) parsing and rewriting its modules costs 100 ms a run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

PACKAGE = __name__.partition(".")[0]


class PlainImports:
    """A finder, asked before pytest's, that finds the modules of this package as Python itself would."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module of this package, and leave all others to whoever comes next."""
        return PathFinder.find_spec(name, path, target) if name.startswith(f"{PACKAGE}.") else None


def install() -> None:
    """Put the finder first, also where a test runs pytest within pytest."""
    if PlainImports in sys.meta_path:
        sys.meta_path.remove(PlainImports)
    sys.meta_path.insert(0, PlainImports)
