"""Registries: what the package has of one kind, and what other packages add to it.

A registry has entries by name: formats of judgments, for example. The entries of the
package stand in `bundled.py`, as strings. Another package adds an entry by an entry
point of the group of the registry:

    [project.entry-points."pytest_relevance.formats"]
    shop-log = "my_package:shop_log"

An entry is imported when it is asked for. Entry points are slow to read, so they are
read only if a name is not one of the package, or if all entries are asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pytest_relevance import bundled
from pytest_relevance._problems import FileError
from pytest_relevance._text import listed, message_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

Adapt = Callable[[str, str, object], T]
"""Makes an entry of what an entry point names.

Its arguments are the name of the entry point, its "module:attribute", and what stands
there.
"""


class ExtensionError(ValueError):
    """An entry of another package that cannot be loaded, or that raised an
    exception.
    """


class Registry(Generic[T]):
    """Entries by name: those of the package in their order, then those of other
    packages.

    `group`: the group of entry points by which other packages add entries.
    `bundled`: the entries of the package, each name with its "module:attribute".
    `adapt`: makes an entry of what an entry point of another package names, for example
    of a plain function. By default it is the entry.
    `refusals`: the exceptions by which an entry refuses what it is asked to read.
    """

    def __init__(
        self,
        group: str,
        bundled: Mapping[str, str],
        adapt: Adapt[T] | None = None,
        *,
        refusals: tuple[type[BaseException], ...] = (FileError,),
    ) -> None:
        self.group = group
        self._bundled = bundled
        self._adapt = adapt
        self._passes: tuple[type[BaseException], ...] = (
            *refusals,
            BrokenPipeError,
            KeyboardInterrupt,
        )

    @property
    def bundled_names(self) -> list[str]:
        """The names of the entries of the package."""
        return list(self._bundled)

    def names(self) -> list[str]:
        """Give the names of all entries. Nothing is imported."""
        return [*self._bundled, *self._points()]

    def __contains__(self, name: object) -> bool:
        """Whether there is an entry with this name."""
        return name in self._bundled or name in self._points()

    def __iter__(self) -> Iterator[T]:
        """Iterate over the entries. Raises `ExtensionError` as `get` does."""
        yield from self.bundled()
        for point in self._points().values():
            yield self._load(point)

    def bundled(self) -> Iterator[T]:
        """Iterate over the entries of the package. Each is imported when its turn
        comes.
        """
        for name in self._bundled:
            yield self.get(name)

    def names_of_others(self) -> list[str]:
        """Give the names of the entries of other packages."""
        return [*self._points()]

    def get(self, name: str) -> T:
        """Import an entry.

        Raises:
            KeyError: there is no entry with this name.
            ExtensionError: an entry of another package cannot be loaded.
        """
        if name in self._bundled:
            return cast(T, _imported(self._bundled[name]))
        return self._load(self._points()[name])

    def label(self, name: str) -> str:
        """Give the name of an entry in messages: for another package
        `name (module:attribute)`.
        """
        if name in self._bundled:
            return name
        point = self._points().get(name)
        return name if point is None else _label(point)

    @contextmanager
    def calling(self, name: str) -> Iterator[None]:
        """Call a function of an entry in this block, so that its errors say whose they
        are.

        An entry of the package raises what it raises. If an entry of another package
        raises an exception, even SystemExit, an `ExtensionError` names the entry point
        and the package. Refusals pass, such as FileError: that is how an entry refuses
        a file. BrokenPipeError passes too: the reader of the output has read enough.
        """
        if name in self._bundled:
            yield
            return
        try:
            yield
        except self._passes:
            raise
        except BaseException as error:
            raise _failed(self._points()[name], error) from error

    def _load(self, point: EntryPoint) -> T:
        try:
            loaded = point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _failed(point, error) from error
        if self._adapt is None:
            return cast(T, loaded)
        return self._adapt(point.name, point.value, loaded)

    def _points(self) -> dict[str, EntryPoint]:
        """Find the entry points of other packages, by name.

        Raises `ExtensionError` if two packages use one name.
        """
        found: dict[str, EntryPoint] = {}
        for point in _entry_points(self.group, tuple(sys.path)):
            if point.name in self._bundled:
                continue
            other = found.setdefault(point.name, point)
            if other.value != point.value:
                both = listed([_label(other), _label(point)], "and")
                raise ExtensionError(
                    f"two packages have an entry point {point.name} of the group "
                    f"{self.group}: {both}; uninstall one of them"
                )
        return found


@lru_cache(maxsize=32)
def _entry_points(group: str, search_path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Read the entry points of a group: once, unless `sys.path` changes."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


@lru_cache(maxsize=256)
def _imported(where: str) -> object:
    """Import what a "module:attribute" names, or a "module"."""
    name, _, attribute = where.partition(":")
    module = import_module(name)
    return getattr(module, attribute) if attribute else module


def _label(point: EntryPoint) -> str:
    return f"{point.name} ({point.value})"


def _failed(point: EntryPoint, error: BaseException) -> ExtensionError:
    message = (
        f"{_label(point)} raised {type(error).__name__}: {message_of(error)}; it is an "
        "entry point"
    )
    if point.dist is not None:
        message += f" of the package {point.dist.name}"
    return ExtensionError(message)


def rows_of(class_: str) -> Adapt[Any]:
    """Say that the entries of a registry are rows: objects of a class that have a
    `name`.

    `class_` is the "module:attribute" of the class. It is imported for entries of other
    packages alone.
    """

    def check(name: str, value: str, entry: object) -> object:
        expected = cast(type, _imported(class_))
        if not isinstance(entry, expected):
            raise ExtensionError(f"{name} ({value}) is not of {expected.__name__}")
        check_own_name(name, value, getattr(entry, "name", ""))
        return entry

    return check


def check_own_name(name: str, value: str, own_name: str) -> None:
    """Check that an entry has the name of its entry point. Raises `ExtensionError`."""
    if name != own_name:
        raise ExtensionError(f"{name} ({value}) calls itself {own_name}; use one name")


EXPECTATIONS: Registry[Any] = Registry(
    "pytest_relevance.expectations",
    bundled.EXPECTATIONS,
    rows_of("pytest_relevance.expectations.kind:ExpectationKind"),
)
"""The kinds of expectations, in the order in which messages list them.

An entry is an `ExpectationKind`. Cases and results stand below the kinds. Each of them
names as a Protocol what it uses of an entry.
"""

GATES: Registry[Any] = Registry(
    "pytest_relevance.gates",
    bundled.GATES,
    rows_of("pytest_relevance.gates.kind:GateKind"),
)
"""The kinds of gates. An entry is a `GateKind`. Cases and results do as with
`EXPECTATIONS`.
"""

CALLS_UPWARD: Registry[Any] = Registry(
    "pytest_relevance.comparisons", bundled.CALLS_UPWARD
)
"""Functions of the layers above `results/` that public methods of a `Comparison` call.

All calls that go up are here, and docs/background/architecture.md says why they are
made.
"""

DIAGNOSES: Registry[Any] = Registry(
    "pytest_relevance.diagnoses",
    bundled.DIAGNOSES,
    rows_of("pytest_relevance.results.diagnoses:DiagnosisKind"),
)
"""The kinds of diagnoses, in the order in which reports tell them. An entry is a
`DiagnosisKind`.
"""

CHECKS: Registry[Any] = Registry(
    "pytest_relevance.checks",
    bundled.CHECKS,
    rows_of("pytest_relevance.cli.file_check:FileCheck"),
)
"""The checks of the command `check`, the most urgent first. An entry is a
`FileCheck`.
"""


def _command(name: str, value: str, entry: object) -> object:
    """Check that what an entry point names is the module of a command."""
    for function in ("declare", "run"):
        if not callable(getattr(entry, function, None)):
            raise ExtensionError(f"{name} ({value}) has no function {function}")
    return entry


COMMANDS: Registry[Any] = Registry(
    "pytest_relevance.commands", bundled.COMMANDS, _command
)
"""The commands of `pytest-relevance`, in the order of its help text.

An entry is a module with `declare(parser)`, which adds its arguments, and
`run(arguments)`, which returns the exit code. Of another package the first line of its
docstring says what the command does.
"""
