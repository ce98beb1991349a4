"""Register the hooks of `relevance_documents`, and read catalogues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin.run_settings import DOCUMENTS

if TYPE_CHECKING:
    from pytest_relevance.plugin.running.case_run import CaseRun
    from pytest_relevance.results.case_parts import DocumentTexts
    from pytest_relevance.results.case_result import CaseResult
    from pytest_relevance.results.document_fields import FieldValues
    from pytest_relevance.results.records.run_info import FileInfo


@pytest.hookimpl(trylast=True)  # the hooks of the run come first
def pytest_collection_finish(session: pytest.Session) -> None:
    """Register the hooks of `relevance_documents`, if a fixture has this name."""
    if not session.items:  # on the controller of pytest-xdist
        return
    from pytest_relevance.plugin.pytest_internals import is_fixture_defined

    manager = session.config.pluginmanager
    if is_fixture_defined(DOCUMENTS, session) and not manager.has_plugin(DOCUMENTS):
        from pytest_relevance.ext.documents.hooks import DocumentLookup

        manager.register(DocumentLookup(session.config), DOCUMENTS)


@pytest.hookimpl(trylast=True)
async def pytest_relevance_fields(
    case_run: CaseRun, documents: Sequence[str]
) -> FieldValues | None:
    """Return the fields of documents in the catalogue of the suite.

    None if the suite has no catalogue. The fixture `relevance_documents` comes first.
    """
    if case_run.case.terms.documents is None:
        return None
    from pytest_relevance.ext.documents.catalogues import fields_in_catalogue

    return fields_in_catalogue(case_run)


def pytest_relevance_complete(
    config: pytest.Config,
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
) -> Sequence[DocumentTexts] | None:
    """Return titles and fields of the documents of results, from catalogues.

    None if no case file has a catalogue.
    """
    if not any(info.documents for info in files.values()):
        return None
    from pytest_relevance.ext.documents.catalogues import texts_in_catalogues

    return texts_in_catalogues(config, results, files)
