"""Find entries by name: those of this package, then those of other packages.

A registry has the entries of one kind, for example the formats of judgments. This
package registers its entries in `bundled.py`. Another package registers an entry by an
entry point, whose group is that of the registry:

    [project.entry-points."pytest_relevance.formats"]
    shop-log = "my_package:shop_log"

An entry is imported on first use. Entry points are slow to read. They are read only if
the package has no entry of a name, or if all entries are listed.

A registry is defined beside the type of its entries. Registries whose entries have
another type in each layer are at the end of this module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pytest_relevance import bundled
from pytest_relevance._problems import FileError
from pytest_relevance._text import listed, message_of, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

Adapt = Callable[[str, str, object], T]
"""Makes an entry of the object that an entry point names.

Its arguments are the name of the entry point, its "module:attribute", and the object.
"""


class ExtensionError(ValueError):
    """An entry of another package cannot be loaded, or raised an exception."""


class Registry(Generic[T]):
    """Entries by name: first those of the package, then those of other packages.

    `group`: the group of entry points by which other packages add entries.
    `bundled`: where each entry of the package is, as in `bundled.py`.
    `adapt`: makes an entry of the object that another package names, for example of a
        plain function. By default the object is the entry.
    `taken`: "module:attribute" of a mapping, whose keys no other package may use as
        names, in small or capital letters.
    `refusals`: the exceptions by which an entry refuses a file or a value of the user.

    A method that needs the names of other packages raises `ExtensionError` if two of
    them use one name, or if one uses a name of this package.
    """

    def __init__(
        self,
        group: str,
        bundled: Mapping[str, str],
        adapt: Adapt[T] | None = None,
        *,
        taken: str = "",
        refusals: tuple[type[BaseException], ...] = (FileError,),
    ) -> None:
        self.group = group
        self._bundled = bundled
        self._adapt = adapt
        self._taken = taken
        self._passes: tuple[type[BaseException], ...] = (
            ExtensionError,
            *refusals,
            BrokenPipeError,
            KeyboardInterrupt,
        )

    @property
    def bundled_names(self) -> list[str]:
        """Return the names of the entries of the package."""
        return list(self._bundled)

    def names(self) -> list[str]:
        """Return the names of all entries, without importing any."""
        return [*self._bundled, *self._points()]

    def __contains__(self, name: object) -> bool:
        """Say whether there is an entry with this name."""
        return name in self._bundled or name in self._points()

    def __iter__(self) -> Iterator[T]:
        """Yield all entries.

        Raises `ExtensionError` if an entry of another package cannot be loaded.
        """
        yield from self.bundled()
        for point in self._points().values():
            yield self._load(point)

    def bundled(self) -> Iterator[T]:
        """Yield the entries of the package. Each one is imported when it is yielded."""
        for name in self._bundled:
            yield self.get(name)

    def names_of_others(self) -> list[str]:
        """Return the names of the entries of other packages."""
        return [*self._points()]

    def get(self, name: str) -> T:
        """Return the entry with a name, and import it if needed.

        Raises:
            KeyError: there is no entry with this name.
            ExtensionError: an entry of another package cannot be loaded.
        """
        if name in self._bundled:
            return cast(T, _imported(f"pytest_relevance.{self._bundled[name]}"))
        return self._load(self._points()[name])

    def get_or_unknown(self, name: str) -> T:
        """Return the entry with a name, or the entry `unknown` if there is none.

        For example, a record names a gate of a package that is not installed here.
        """
        return self.get(name if name in self else "unknown")

    def label(self, name: str) -> str:
        """Return how messages call an entry: by its name.

        An entry of another package is called `name (module:attribute)`. The name stays
        as it is if there is no such entry.
        """
        if name in self._bundled:
            return name
        point = self._points().get(name)
        return name if point is None else _label(point)

    @contextmanager
    def calling(self, name: str) -> Iterator[None]:
        """Run a block that calls an entry, and name its package if the entry fails.

        So an error of another package is not taken for one of this package. An
        exception of such an entry, even SystemExit, becomes an `ExtensionError` with
        the names of the entry point and the package. These exceptions pass unchanged:

        - those of an entry of the package itself
        - `ExtensionError`, and the `refusals`, such as FileError
        - KeyboardInterrupt
        - BrokenPipeError: the program that reads the output has read enough
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

    def check_returned(
        self, name: str, method: str, returned: object, allowed: type
    ) -> None:
        """Raise `ExtensionError` if an entry returned a value of the wrong type.

        `method`: what was called, for the message.
        """
        if not isinstance(returned, allowed):
            raise self.wrong(
                name,
                f"{method} returned {shown(returned)}, not {_with_article(allowed)}",
            )

    def wrong(self, name: str, what: str) -> ExtensionError:
        """Return the error for an entry that returned something wrong.

        `what` follows the name of the entry in the message: `check returned None, not
        ...`.
        """
        point = self._points().get(name)
        whose = "" if point is None else _whose(point)
        return ExtensionError(f"{self.label(name)}: {what}{whose}")

    def _load(self, point: EntryPoint) -> T:
        """Return the entry of an entry point. Raises `ExtensionError` if that fails."""
        try:
            loaded = point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _failed(point, error) from error
        if self._adapt is None:
            return cast(T, loaded)
        try:
            return self._adapt(point.name, point.value, loaded)
        except ExtensionError as error:
            raise ExtensionError(f"{error}{_whose(point)}") from error

    def _points(self) -> dict[str, EntryPoint]:
        """Return the entry points of other packages, by name.

        Raises `ExtensionError` if two packages use one name, or if another package uses
        a name of this package.
        """
        points = _entry_points(self.group, tuple(sys.path))
        taken: set[str] = set()
        if points and self._taken:
            names = cast("Mapping[str, object]", _imported(self._taken))
            taken.update(name.casefold() for name in names)
        found: dict[str, EntryPoint] = {}
        for point in points:
            if point.name in self._bundled or point.name.casefold() in taken:
                raise ExtensionError(
                    f"the entry point {_label(point)}{_of_package(point)} has a name that "
                    f"pytest-relevance itself has in the group {self.group}; give it "
                    "another name, or uninstall the package"
                )
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
    """Return the entry points of a group. They are read once for each `sys.path`."""
    return tuple(entry_points(group=group))


@lru_cache(maxsize=256)
def _imported(where: str) -> object:
    """Return the object that "module:attribute" or "module" names, imported."""
    name, _, attribute = where.partition(":")
    module = import_module(name)
    return getattr(module, attribute) if attribute else module


def _label(point: EntryPoint) -> str:
    return f"{point.name} ({point.value})"


def _of_package(point: EntryPoint) -> str:
    return "" if point.dist is None else f" of the package {point.dist.name}"


def _with_article(type_: type) -> str:
    name = {"str": "text"}.get(type_.__name__, type_.__name__)
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


def _failed(point: EntryPoint, error: BaseException) -> ExtensionError:
    raised = f"{type(error).__name__}: {message_of(error)}"
    return ExtensionError(f"{_label(point)} raised {raised}{_whose(point)}")


def _whose(point: EntryPoint) -> str:
    return f"; it is an entry point{_of_package(point)}"


def must_be(class_: str) -> Adapt[Any]:
    """Return a function that checks that an entry is an object of a class.

    `class_` is the "module:attribute" of the class. The class is imported only if
    another package has an entry. The function raises `ExtensionError` for anything
    else.
    """

    def check(name: str, value: str, entry: object) -> object:
        expected = cast(type, _imported(class_))
        if isinstance(entry, type) and issubclass(entry, expected):
            raise ExtensionError(
                f"{name} ({value}) is a class; make an object of it, "
                f"{name.upper().replace('-', '_')} = {entry.__name__}(), and name that"
            )
        if not isinstance(entry, expected):
            raise ExtensionError(f"{name} ({value}) is not of {expected.__name__}")
        check_own_name(name, value, getattr(entry, "name", ""))
        return entry

    return check


def check_own_name(name: str, value: str, own_name: str) -> None:
    """Raise `ExtensionError` if an entry and its entry point have different names."""
    if name != own_name:
        raise ExtensionError(f"{name} ({value}) calls itself {own_name}; use one name")


EXPECTATIONS: Registry[Any] = Registry(
    "pytest_relevance.expectations",
    bundled.EXPECTATIONS,
    must_be("pytest_relevance.expectations.kind:ExpectationKind"),
    taken="pytest_relevance.metrics.names:ALL_MEASURES",
)
"""The kinds of expectations, in the order in which messages list them.

An entry is an `ExpectationKind`. Cases and results stand below that class, so the type
here is Any.
"""

GATES: Registry[Any] = Registry(
    "pytest_relevance.gates",
    bundled.GATES,
    must_be("pytest_relevance.gates.kind:GateKind"),
    taken="pytest_relevance.cases.gates:OPTIONS",
)
"""The kinds of gates. An entry is a `GateKind`; its type is as in `EXPECTATIONS`."""


def upward(name: str) -> Callable[..., Any]:
    """Return a function of a layer above.

    `name` is a row of `bundled.CALLS_UPWARD`, which lists all such calls.
    docs/background/architecture.md explains why they are needed.
    """
    where = bundled.CALLS_UPWARD[name]
    return cast(Callable[..., Any], _imported(f"pytest_relevance.{where}"))
