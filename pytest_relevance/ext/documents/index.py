"""Ask the fixture `relevance_documents` for documents, and keep what it answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pytest

from pytest_relevance.ext.documents.answers import (
    IndexDocuments,
    UnreadableAnswer,
    documents_to_ask,
    read_answer,
)
from pytest_relevance.plugin.run_settings import DOCUMENTS as NAME
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.responses.ids import id_text

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

MOST_IDS = 500
"""How many documents are asked for at a time."""


@dataclass(frozen=True, slots=True)
class WaitingCase:
    """The result of a case whose documents are asked for.

    `number`: in a test with several checks, the number of the check, from 0.
    """

    nodeid: str
    number: int
    result: CaseResult


@dataclass(slots=True, eq=False)
class Index:
    """The documents of an index, as far as `relevance_documents` was asked for them.

    Each document is asked for once. A document whose title was asked for is asked for
    again if an expectation needs its fields.

    `function`: the value of the fixture: a function that takes ids.
    `known`: what the answers say.
    `requested`: the documents that were asked for, and those that wait.
    `waiting`: the documents whose titles will be asked for next.
    `cases`: the cases with documents that were not asked for yet.
    `loop`: the event loop of another plugin that the last search ran in, if any.
    `is_broken`: whether a request for titles failed. Then titles are not asked for
        again.
    `values`: {document: answer}, for fields that expectations use; the answer is None
        for a document that the index does not have.
    """

    function: Callable[[list[str]], object]
    known: IndexDocuments = field(default_factory=IndexDocuments)
    requested: set[str] = field(default_factory=set)
    waiting: dict[str, None] = field(default_factory=dict)
    cases: deque[WaitingCase] = field(default_factory=deque)
    loop: Any = None
    is_broken: bool = False
    values: dict[str, object] = field(default_factory=dict)

    def add_documents(self, documents: Iterable[str]) -> None:
        """Add documents to `waiting`, if they were not asked for yet."""
        for document in documents:
            if document not in self.requested:
                self.requested.add(document)
                self.waiting[document] = None

    def add_case(self, case: WaitingCase) -> None:
        """Add a case to `cases`, and its documents to `waiting`."""
        self.add_documents(documents_to_ask(case.result))
        self.cases.append(case)

    def ask_for_titles(self, config: pytest.Config) -> Mapping[str, str]:
        """Ask for the first `MOST_IDS` of the documents that wait.

        Return {kind of mistake in the answer: sentence}. Raises what the fixture's
        function raises, and `UnreadableAnswer`.
        """
        batch = list(islice(self.waiting, MOST_IDS))
        for document in batch:
            del self.waiting[document]
        answer = self._call(batch)
        if awaiting.is_waiting(answer):
            answer = awaiting.wait_between_calls(config, answer, self.loop)
        read = read_answer(answer, batch)
        self.known.add(read.documents)
        return read.complaints

    def take_complete_cases(self) -> Iterator[WaitingCase]:
        """Remove and yield the first cases that have no waiting document any more."""
        while self.cases:
            documents = documents_to_ask(self.cases[0].result)
            if not self.waiting.keys().isdisjoint(documents):
                return
            yield self.cases.popleft()

    async def look_up_values(
        self, documents: Iterable[str], case_run: CaseRun
    ) -> Mapping[str, str]:
        """Ask for the documents whose values are not known yet, even if `is_broken`.

        Their titles are known afterwards too, so they do not wait any longer. Return
        and raise the same as `ask_for_titles`.
        """
        complaints: dict[str, str] = {}
        unknown = []
        for document in dict.fromkeys(documents):
            if document not in self.values:
                unknown.append(document)
        for start in range(0, len(unknown), MOST_IDS):
            batch = unknown[start : start + MOST_IDS]
            answer: Any = await case_run.wait(self._call(batch), name=NAME)
            read = read_answer(answer, batch)
            self.known.add(read.documents)
            complaints |= read.complaints
            self.requested.update(batch)
            for document in batch:
                self.waiting.pop(document, None)
            self.values |= dict.fromkeys(batch)
            for key, value in answer.items():
                self.values[id_text(key) or ""] = value
        return complaints

    def _call(self, documents: Sequence[str]) -> object:
        """Call the function of the fixture, which may return something to await.

        Raises `UnreadableAnswer` if it cannot be called with a list of ids.
        """
        try:
            return self.function([*documents])
        except TypeError as error:
            traceback = error.__traceback__
            if traceback is None or traceback.tb_next is not None:
                raise  # from within the function
            raise UnreadableAnswer(
                f"it cannot be called with a list of ids: {error}; write documents(ids)"
            ) from None
