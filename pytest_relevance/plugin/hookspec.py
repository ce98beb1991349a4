"""The hooks that this plugin offers to conftest files and other plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case


@pytest.hookspec(firstresult=True)
def pytest_relevance_ranking(response: object, case: Case) -> object | None:
    """Convert the response of a search to a ranking, where the plugin cannot read the response itself.

    Return the ranking in any form that the plugin reads (document ids, best first; (id, score) pairs; mappings with an
    id and a title ...), or None to leave it to the next implementation, and at last to the plugin. The first result
    that is not None is used.

    `response` is the return value of the search, after awaiting it if it was awaitable; `case` is the case that runs.
    """
