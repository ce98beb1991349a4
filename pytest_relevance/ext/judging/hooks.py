"""Ask the fixture `relevance_judge` for grades, in a run.

The options are `--relevance-judge=FILE` and `--relevance-calibrate=N`. The judge is
asked when all cases have run, before the fixture is torn down:

- about results within k that nobody has judged, the most valuable first;
- about documents that people judged, to show how far the judge agrees with them.

Neither the grades nor the errors of the judge change a verdict of the run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.cases.model import Case
from pytest_relevance.ext.judging.asking import (
    NOT_ASKED,
    Answers,
    ask_all,
    counts_text,
    report_without_text,
)
from pytest_relevance.ext.judging.calibration import Calibration, with_judged_documents
from pytest_relevance.ext.judging.judge import (
    AT_ONCE,
    NAME,
    Answer,
    Judge,
    Question,
    UnusableJudge,
)
from pytest_relevance.ext.judging.judge_file import JudgeFile
from pytest_relevance.ext.judging.worklist import Worklist, WorklistRow
from pytest_relevance.ext.judging.worklist_file import in_a_file
from pytest_relevance.plugin.exceptions import error_text
from pytest_relevance.plugin.output_files import Message, OutputFile, Target
from pytest_relevance.plugin.outputs import keep_messages
from pytest_relevance.plugin.pytest_internals import is_fixture_defined, request_of
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import DOCUMENTS, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import case_runs_of
from pytest_relevance.plugin.terminal import Section
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.filled import judged_by
from pytest_relevance.results.run_titles import RunTitles

_ONLY_IDS = f"{NOT_ASKED}only the id is known"

_Hook = Generator[None, object, object]


@dataclass(frozen=True, slots=True)
class _ScoredCase:
    """A case that was scored.

    `result`: the result of the case by the grades of people, without fallback grades.
    `judge`: the value of the fixture `relevance_judge`; None if there is nothing to
        ask.
    """

    case: Case
    result: CaseResult
    judge: object


class Judging:
    """Hooks that request the fixture `relevance_judge` if needed, and ask the judge.

    The judge is asked just before the fixture is torn down. If the judge cannot be
    asked, the run fails.
    """

    def __init__(self, config: pytest.Config, judge_file: OutputFile) -> None:
        """Read the options, and repair a file of the judge that a killed run has left.

        Raises UsageError under pytest-xdist.
        """
        option = config.option
        self._config = config
        self._most_to_calibrate: int | None = option.relevance_calibrate
        asks_for_grades = option.relevance_judge is not None
        self._option = (
            "--relevance-judge" if asks_for_grades else "--relevance-calibrate"
        )
        if config.getoption("dist", "no") != "no":
            raise pytest.UsageError(
                f"{self._option} asks about documents of all cases, which no worker of "
                "pytest-xdist has: leave -n out, or write -n 0"
            )
        self._target = Target.of(judge_file, config)
        self._file = None if self._target is None else JudgeFile(self._target.path)
        self._left_to_ask: int = option.relevance_judge_limit or sys.maxsize
        self._scored: dict[tuple[str, int], _ScoredCase] = {}
        self._is_interrupted = False
        self._messages: list[Message] = []
        self._sections: list[Section] = []

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Raise UsageError if there is no fixture `relevance_judge`."""
        if session.items and not is_fixture_defined(NAME, session):
            raise pytest.UsageError(
                f"{self._option} needs a fixture {NAME}, and there is none; write it in a "
                "conftest.py: a session fixture that returns judge(query, document), which "
                "has a name"
            )

    # trylast: inner to the wrappers that capture output
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> _Hook:
        """Keep what a test has scored, and request the fixture if a judge is needed."""
        __tracebackhide__ = True
        try:
            return (yield)
        finally:
            for number, case_run in enumerate(case_runs_of(item)):
                result = case_run.attempt.result
                if result is not None and result.evaluation.scores:
                    scored = self._scored_case(case_run.case, result, item)
                    self._scored[item.nodeid, number] = scored

    def _scored_case(
        self, case: Case, result: CaseResult, item: pytest.Item
    ) -> _ScoredCase:
        """Return a case with its result by the grades of people, and with its judge.

        The judge is None if there is nothing to ask: no unjudged result to grade, and
        no grade of people to compare with.
        """
        people = case.grades_of_people
        if case.filled:
            result = judged_by(result, people)
        has_unjudged = self._file is not None and bool(result.unjudged)
        has_grades = self._most_to_calibrate is not None and bool(people)
        judge = self._judge_of(item) if has_unjudged or has_grades else None
        return _ScoredCase(case, result, judge)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> _Hook:
        """Let the judge be asked before its fixture is torn down.

        Fixtures that it requests are torn down later, so the judge can use them.
        """
        value = yield
        if fixturedef.argname == NAME:
            if fixturedef.scope != "session":
                raise UnusableJudge(
                    f"{NAME} has {fixturedef.scope} scope; make it a session fixture, "
                    '@pytest.fixture(scope="session"): it is asked once all cases ran'
                )

            def ask() -> None:
                self._ask(value)

            # finalizers are called in reverse order, so this one comes first
            fixturedef.addfinalizer(ask)
        return value

    @pytest.hookimpl
    def pytest_keyboard_interrupt(self) -> None:
        """Note that no more questions are to be asked."""
        self._is_interrupted = True

    # trylast: inside the hook of the terminal, as the last teardown may be in it
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> _Hook:
        """Report what the judge did, or why it was not asked.

        The run fails if the judge cannot be asked.
        """
        outcome = yield
        only_calibrates = self._file is None
        was_asked = bool(self._messages) or (only_calibrates and bool(self._sections))
        runs_tests = settings(self._config).runs_tests
        if runs_tests and not was_asked and not self._is_interrupted:
            why = "there is nothing to judge" if self._scored else "no case was scored"
            text = f"{self._option}: {NAME} was not asked, because {why}"
            self._messages.append(Message(text))
        keep_messages(self._messages, session, exitstatus)
        return outcome

    @pytest.hookimpl
    def pytest_relevance_summary(self) -> Sequence[Section]:
        """Return sections that show how far judges agree with people."""
        return self._sections

    def _judge_of(self, item: pytest.Item) -> object:
        """Return the value of the fixture `relevance_judge` for an item.

        None if the item cannot request fixtures. None if the fixture cannot be set up;
        then the run reports why and fails.
        """
        request = request_of(item)
        if request is None:
            return None
        try:
            return request.getfixturevalue(NAME)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except UnusableJudge as error:
            self._keep_problem(str(error))
        except BaseException as error:  # no verdict changes because of a grade
            self._keep_problem(f"{NAME} raised {error_text(error, self._config)}")
        return None

    def _keep_problem(self, text: str) -> None:
        """Keep a message, without secrets, about a problem that makes the run fail.

        The same message is kept once.
        """
        message = Message(redaction(self._config).text(text), is_good=False)
        if message not in self._messages:
            self._messages.append(message)

    def _ask(self, value: Any) -> None:
        """Ask a judge for grades, if a case needs them. Nothing is asked after Ctrl-C.

        `value`: the value of the fixture, the judge.
        """
        needs_it = any(scored.judge is value for scored in self._scored.values())
        if self._is_interrupted or not needs_it:
            return
        try:
            judge = Judge(value, self._config)
        except UnusableJudge as error:
            self._messages.append(Message(str(error), is_good=False))
            return
        cases = []
        for scored in self._scored.values():
            if scored.judge is value or scored.judge is None:
                cases.append(scored)
        if self._most_to_calibrate is not None:
            self._calibrate(judge, cases, self._most_to_calibrate)
        if not self._is_interrupted:
            self._fill_file(judge, cases)

    # --- grades of unjudged results ---------------------------------------------------

    def _fill_file(self, judge: Judge, cases: Sequence[_ScoredCase]) -> None:
        """Write the grades of a judge to its file, if there are unjudged results."""
        file = self._file
        if self._target is None or file is None:
            return
        if not any(scored.result.unjudged for scored in cases):
            return

        def fill(_: object) -> None:
            self._fill(judge, cases, file)

        problem = self._target.write(fill)
        if problem:
            self._messages.append(Message(problem, is_good=False))

    def _fill(
        self, judge: Judge, cases: Sequence[_ScoredCase], file: JudgeFile
    ) -> None:
        """Ask a judge about unjudged results, and write the grades to a file.

        At most as many results are asked about as `--relevance-judge-limit` leaves.
        """
        worklist = Worklist.of(self._described(scored.result for scored in cases))
        left = file.open(worklist, judge.name)
        asked = _asked_rows(left.rows, cases, self._left_to_ask)
        report_without_text(judge, asked.without_text, self._config)

        def keep(number: int, answer: Answer) -> None:
            file.add(
                worklist,
                asked.rows[number],
                rater=judge.name,
                grade=answer.grade,
                note=answer.note,
            )

        answers = self._ask_all(judge, asked.questions, "judged by", keep)
        # calls that had begun when the asking stopped count against the limit too
        begun = min(len(asked.rows), len(answers.by_number) + AT_ONCE)
        self._left_to_ask -= begun
        graded = sum(answer.grade is not None for answer in answers.by_number.values())
        results = counted(left.pairs, "result")
        where = harmless(self._config.option.relevance_judge)
        text = f"{judge.name} graded {graded:,} of {results} that nobody has judged: {where}"
        rest = counts_text(
            {
                "in the file before": left.pairs - len(left.rows),
                _ONLY_IDS: len(asked.without_text),
                f"{NOT_ASKED}--relevance-judge-limit": asked.above_limit,
                **answers.ungraded,
            }
        )
        if rest:
            text += f"; {rest}"
        self._messages.append(Message(text))

    # --- grades beside those of people ------------------------------------------------

    def _calibrate(self, judge: Judge, cases: Sequence[_ScoredCase], most: int) -> None:
        """Ask a judge for grades that people gave, and report how far they agree."""
        calibration = Calibration.draw([scored.case for scored in cases], most)
        results = [
            with_judged_documents(scored.case, scored.result) for scored in cases
        ]
        described = self._described(results, calibration.documents)
        questions = calibration.questions(described)
        without_text = calibration.without_text
        report_without_text(judge, without_text, self._config)
        answers = self._ask_all(judge, questions, "calibrated")
        rest = counts_text({_ONLY_IDS: len(without_text), **answers.ungraded})
        section = calibration.section(judge.name, answers.by_number, rest)
        self._sections.append(section)

    # --- for both ---------------------------------------------------------------------

    def _ask_all(
        self,
        judge: Judge,
        questions: Sequence[Question],
        doing: str,
        keep: Callable[[int, Answer], None] | None = None,
    ) -> Answers:
        """Ask a judge all questions, and return the answers.

        If all calls fail, the run fails.
        """
        title = f"{doing} {judge.name}:"
        answers = ask_all(judge, questions, title, self._config, keep)
        if isinstance(answers.stopped_by, KeyboardInterrupt):
            self._is_interrupted = True
        if answers.have_all_failed:
            calls = counted(len(answers.by_number), "call")
            self._keep_problem(
                f"{judge.name} gave no grade: {calls}, and all failed; mend the judge "
                "or its prompt"
            )
        return answers

    def _described(
        self, results: Iterable[CaseResult], documents: Collection[str] = ()
    ) -> list[CaseResult]:
        """Return results with the titles of their documents, if a source has them.

        The sources are the fixture `relevance_documents` and the files of the run.
        `documents`: further documents to ask the fixture about.
        """
        lookup: Any = self._config.pluginmanager.get_plugin(DOCUMENTS)
        described = list(results)
        if lookup is not None:
            described = lookup.described(described, documents)
        return RunTitles().add(described, run_store(self._config).collection.files)


@dataclass(frozen=True, slots=True)
class _AskedRows:
    """The rows of a worklist that a judge is asked about, and those that it is not.

    `questions`: the question about each row of `rows`.
    `without_text`: the questions about documents of which only the id is known.
    `above_limit`: how many other rows are not asked about.
    """

    rows: Sequence[WorklistRow]
    questions: Sequence[Question]
    without_text: Sequence[Question]
    above_limit: int


def _asked_rows(
    rows: Iterable[WorklistRow], cases: Iterable[_ScoredCase], most: int
) -> _AskedRows:
    """Return the rows to ask a judge about: the first `most` that have a text.

    If several cases have the query of a row, the question is about the first case.
    """
    case_of_query: dict[str, Case] = {}
    for scored in cases:
        # the query of a row is escaped for a file
        case_of_query.setdefault(in_a_file(scored.case.query), scored.case)
    with_text = []
    questions = []
    without_text = []
    for row in rows:
        document = {**row.fields, "id": row.document, "title": row.title}
        question = Question(case_of_query[row.query], document)
        if question.has_text:
            with_text.append(row)
            questions.append(question)
        else:
            without_text.append(question)
    return _AskedRows(
        rows=with_text[:most],
        questions=questions[:most],
        without_text=without_text,
        above_limit=len(with_text[most:]),
    )
