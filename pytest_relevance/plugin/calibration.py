"""`--relevance-calibrate=N`: ask the judge for grades that people gave too, and show how far they agree.

What it says changes no verdict, and is kept in no file.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.cases.model import Case
from pytest_relevance.judgments.grading import Judged, Rated, drawn_evenly
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.plugin.judging import JudgeHooks
from pytest_relevance.plugin.options import ended_well, settings
from pytest_relevance.plugin.run_store import Message, run_store
from pytest_relevance.plugin.running.judge import NAME, Answer, Judge, Question
from pytest_relevance.plugin.terminal import write_lines
from pytest_relevance.reports.raters import agreement_lines
from pytest_relevance.reports.text import Line, folded_lines, line, safe_output, terminal_width
from pytest_relevance.results.case_result import CaseResult

PEOPLE = "people"
"""The rater of the grades that people gave, beside a judge."""

_MOST_APART = 3
"""How many of the pairs that are furthest apart are shown."""


def grades_of_people(case: Case) -> Mapping[str, float]:
    """The judgments of a case that people gave."""
    return {document: grade for document, grade in case.judgments.items() if document not in case.filled}


class Calibration(JudgeHooks):
    """The hooks that ask the judge for grades that people gave, and show how far it agrees with them."""

    option = "--relevance-calibrate"

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._sections: list[tuple[str, list[Line]]] = []

    def is_about(self, case: Case, result: CaseResult) -> bool:
        """Whether people graded documents of a case."""
        return bool(grades_of_people(case))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Tell why the judge was not asked; the run fails where it cannot be."""
        run_store(self._config).messages += self.messages
        if self.messages and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if not (self.messages or self._sections or self._is_interrupted) and settings(self._config).runs_tests:
            unasked = f"{self.option}: {NAME} was not asked, as no case that people judged was scored"
            run_store(self._config).messages.append(Message(unasked))

    @pytest.hookimpl(wrapper=True)  # outside that of the terminal, and inside that of the section of this plugin
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None, object, object]:
        """Show the agreement after the short summary."""
        found = yield
        for title, lines in self._sections:
            terminalreporter.write_sep("=", title)
            write_lines(terminalreporter, lines)
        return found

    def ask(self, judge: Judge, ran: Sequence[tuple[Case, CaseResult]]) -> None:
        """Ask a judge for grades that people gave in the cases that were scored, and keep what there is to show."""
        found: dict[Judged, tuple[Case, CaseResult]] = {}
        for case, result in ran:
            for document, grade in grades_of_people(case).items():
                found.setdefault(Judged(case.query, document, grade), (case, result))
        drawn = drawn_evenly(found, self._config.option.relevance_calibrate)
        people = PEOPLE if judge.name != PEOPLE else f"other {PEOPLE}"
        documents = self._documents(drawn, found)
        questions = [
            Question(each.query, document, found[each][0].terms.scale, found[each][0].settings)
            for each, document in zip(drawn, documents, strict=True)
        ]
        pairs: list[Rated] = []

        def take(number: int, answer: Answer) -> None:
            if answer.grade is not None:
                query, rated, grade = drawn[number]
                ratings = {people: grade, judge.name: answer.grade}
                pairs.append(Rated(query, rated, ratings, abs(answer.grade - grade)))

        asked = self.answers(judge, questions, f"calibrated {judge.name}:", take)
        untitled = {"without a title": sum(not document["title"] for document in documents)}
        rest = asked.rest(len(drawn), untitled)
        text = f"asked for {len(drawn):,} of the {counted(len(found), 'grade')} that people gave{rest and ': '}{rest}"
        columns = terminal_width()
        lines = folded_lines(text, columns=columns)
        if len(drawn) < len(found):
            evenly = "they are drawn evenly over the grades, so that their share of equal grades is not that of all"
            lines += folded_lines(evenly, columns=columns)
        if pairs:
            titles: dict[str, dict[str, str]] = {}
            for each, told in zip(drawn, documents, strict=True):
                titles.setdefault(each.query, {})[each.document] = told["title"]
            judgments = Judgments(titles=titles, raters=(people, judge.name))
            pairs.sort(key=lambda rated: (-rated.spread, rated.query, rated.document))
            lines += [line(""), *agreement_lines(judgments, pairs, _MOST_APART, columns=columns)]
        self._sections.append((safe_output(f"calibration of {harmless(judge.name)}"), lines))

    def _documents(
        self, drawn: Sequence[Judged], found: Mapping[Judged, tuple[Case, CaseResult]]
    ) -> list[Mapping[str, str]]:
        """What a judge is told of documents: the id, the title ("" where none is known), and further fields."""
        results = []
        for each in drawn:
            case, result = found[each]
            evaluation = result.evaluation._replace(missing=((each.document, each.grade),))
            results.append(result._replace(evaluation=evaluation).with_titles(case.titles, replace=False))
        texts = [result.texts for result in self.described(results, [each.document for each in drawn])]
        return [
            {**each.shown.get(document, {}), "id": document, "title": each.titles.get(document, "")}
            for (_, document, _), each in zip(drawn, texts, strict=True)
        ]
