"""Fields of a response by their paths, whether it is a mapping or an object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pytest_relevance.results.responses.attributes import attribute


def at_path(holder: object, path: Iterable[str]) -> object:
    """Return the value at a path of keys or attributes; None if there is none."""
    for name in path:
        if isinstance(holder, Mapping):
            holder = holder.get(name)
        else:
            holder = _attribute_spelled(holder, name)
    return holder


def _attribute_spelled(holder: object, name: str) -> object:
    """Return an attribute by its name, in Python's style too (`timeoutHits`,
    `timeout_hits`).
    """
    plain = name.removeprefix("@search.").removeprefix("@odata.")
    in_python = re.sub("(?<=[a-z])(?=[A-Z])", "_", plain).lower()
    for spelling in dict.fromkeys((plain, in_python)):
        value = attribute(holder, spelling)
        if value is not None:
            return value
    return None


def without_marks(name: object) -> str:
    """Return a name in lower case and without marks: `nbhits` for nb_hits and
    nbHits.
    """
    return re.sub("[^a-z]", "", str(name).lower())


def as_shown(value: object) -> object:
    """Return a mapping as a dict, which messages show as JSON would be."""
    return dict(value) if isinstance(value, Mapping) else value
