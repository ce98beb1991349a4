"""The hooks that this plugin offers to conftest files and other plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case


@pytest.hookspec(firstresult=True)
def pytest_relevance_ranking(response: object, case: Case) -> object | None:
    """Turn what a search returned into a ranking.

    For responses of a shape that the plugin does not read by itself. Return the ranking in any shape that it does read
    (document ids, best first; (id, score) pairs; mappings with an id and a title ...), or None to leave it to the next
    implementation and in the end to the plugin. The first result counts.

    `response` is what the search returned, awaited where it was awaitable; `case` is the case that is being run.
    """
