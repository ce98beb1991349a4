"""Ask the fixture `relevance_judge` for grades, in a run.

The options are `--relevance-judge=FILE` and `--relevance-calibrate=N`. The judge is
asked when all cases have run, before the fixture is torn down:

- about results within k that nobody has judged, the most valuable first;
- about documents that people judged, to show how far the judge agrees with them.

Neither the grades nor the errors of the judge change a verdict of the run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless, quoted
from pytest_relevance.cases.model import Case
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
from pytest_relevance.ext.judging.progress import Progress
from pytest_relevance.ext.judging.worklist import Worklist, WorklistRow, in_a_file
from pytest_relevance.plugin.exceptions import error_text
from pytest_relevance.plugin.output_files import Message, OutputFile, Target
from pytest_relevance.plugin.outputs import keep_messages
from pytest_relevance.plugin.pytest_internals import is_fixture_defined, request_of
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import DOCUMENTS, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import case_runs_of
from pytest_relevance.plugin.terminal import Section, run_terminal
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.filled import judged_by
from pytest_relevance.results.run_titles import RunTitles

_MOST_PROBLEMS = 3
"""How many different problems of a judge are reported."""

_NOT_ASKED = "not asked for: "

_ONLY_IDS = f"{_NOT_ASKED}only the id is known"

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


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers of a judge.

    `by_number`: {index of the question: answer}.
    `rest`: how many documents have no grade, and why: `2 it cannot tell; 1 failed`.
    """

    by_number: Mapping[int, Answer]
    rest: str


@dataclass(frozen=True, slots=True)
class _Asking:
    """What a user is told while a judge is asked, and afterwards.

    `title`: the beginning of the line that shows the progress.
    `others`: how many documents the judge is not asked about: {reason: count}.
    """

    title: str
    others: Mapping[str, int]


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
        self._most: int | None = option.relevance_calibrate
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
        self._left: int = option.relevance_judge_limit or sys.maxsize
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
        has_grades = self._most is not None and bool(people)
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

            # the last one to be added is called first
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
            self._tell_problem(str(error))
        except BaseException as error:  # no verdict changes because of a grade
            self._tell_problem(f"{NAME} raised {error_text(error, self._config)}")
        return None

    def _tell_problem(self, text: str) -> None:
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
        if self._most is not None:
            self._calibrate(judge, cases, self._most)
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

        At most `self._left` results are asked about.
        """
        worklist = Worklist.of(self._described(scored.result for scored in cases))
        left = file.open(worklist, judge.name)
        rows: list[WorklistRow] = []
        questions: list[Question] = []
        without_text: list[Question] = []
        all_questions = _questions_of(left.rows, cases)
        for row, question in zip(left.rows, all_questions, strict=True):
            if not question.has_text:
                without_text.append(question)
            elif len(rows) < self._left:
                rows.append(row)
                questions.append(question)
        self._tell_without_text(judge, without_text)
        above_limit = len(left.rows) - len(rows) - len(without_text)

        def take(number: int, answer: Answer) -> None:
            file.add(
                worklist,
                rows[number],
                rater=judge.name,
                grade=answer.grade,
                note=answer.note,
            )

        others = {
            "in the file before": left.pairs - len(left.rows),
            _ONLY_IDS: len(without_text),
            f"{_NOT_ASKED}--relevance-judge-limit": above_limit,
        }
        asking = _Asking(f"judged by {judge.name}:", others)
        answers = self._answers(judge, questions, asking, take)
        # Calls that had begun when the asking stopped count against the limit too.
        self._left -= min(len(rows), len(answers.by_number) + AT_ONCE)
        graded = sum(answer.grade is not None for answer in answers.by_number.values())
        results = counted(left.pairs, "result")
        where = harmless(self._config.option.relevance_judge)
        text = f"{judge.name} graded {graded:,} of {results} that nobody has judged: {where}"
        if answers.rest:
            text += f"; {answers.rest}"
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
        self._tell_without_text(judge, without_text)
        others = {_ONLY_IDS: len(without_text)}
        asking = _Asking(f"calibrated {judge.name}:", others)
        answers = self._answers(judge, questions, asking)
        section = calibration.section(judge.name, answers.by_number, answers.rest)
        self._sections.append(section)

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

    # --- answers ----------------------------------------------------------------------

    def _answers(
        self,
        judge: Judge,
        questions: Sequence[Question],
        asking: _Asking,
        take: Callable[[int, Answer], None] | None = None,
    ) -> _Answers:
        """Ask a judge the questions, report what went wrong, and return the answers.

        `take`: called with the index of a question and its answer, as soon as the
            answer is there. An answer with a fault is not passed to it.
        """
        bar = Progress(asking.title, len(questions), *run_terminal(self._config))
        answers: dict[int, Answer] = {}
        why_stopped = ""
        is_given_up = False
        bar.advance(0)
        try:
            for number, answer in judge.ask(questions):
                if take is not None and not answer.problem:
                    take(number, answer)
                answers[number] = answer
                bar.advance()
        except KeyboardInterrupt:
            self._is_interrupted = True
            why_stopped = "Ctrl-C"
        except UnusableJudge as error:
            why_stopped = str(error)
            is_given_up = True
        except (pytest.exit.Exception, pytest.fail.Exception) as error:
            # `pytest.fail.Exception` may be a timeout of the last test.
            why_stopped = str(error)
        finally:
            bar.end()
        self._tell_failed_calls(judge, questions, answers)
        if is_given_up or not why_stopped:
            self._tell_that_all_failed(judge, answers)
        others = {**asking.others, **_without_grade(answers.values())}
        others[_NOT_ASKED + why_stopped] = len(questions) - len(answers)
        rest = [f"{count:,} {reason}" for reason, count in others.items() if count]
        return _Answers(answers, "; ".join(rest))

    def _tell_failed_calls(
        self,
        judge: Judge,
        questions: Sequence[Question],
        answers: Mapping[int, Answer],
    ) -> None:
        """Tell the user the commonest problems, each with its first document.

        No verdict changes.
        """
        by_problem: dict[str, list[int]] = {}
        for number in sorted(answers):
            if answers[number].problem:
                by_problem.setdefault(answers[number].problem, []).append(number)
        told = run_store(self._config).notes
        most_first = sorted(by_problem.values(), key=len, reverse=True)
        for numbers in most_first[:_MOST_PROBLEMS]:
            text = f"{judge.name}, {_problem_text(numbers, questions, answers)}"
            safe = redaction(self._config).text(text)  # an answer may repeat its prompt
            told.say(Message(safe, is_good=False))
        others = sum(len(numbers) for numbers in most_first[_MOST_PROBLEMS:])
        if others:
            text = f"{judge.name}, {counted(others, 'call')}: other problems"
            told.say(Message(text, is_good=False))

    def _tell_that_all_failed(
        self, judge: Judge, answers: Mapping[int, Answer]
    ) -> None:
        """Let the run fail if a judge was asked, and all calls failed."""
        if answers and all(answer.problem for answer in answers.values()):
            calls = counted(len(answers), "call")
            self._tell_problem(
                f"{judge.name} gave no grade: {calls}, and all failed; mend the judge "
                "or its prompt"
            )

    def _tell_without_text(self, judge: Judge, questions: Sequence[Question]) -> None:
        """Tell the user which documents the judge cannot be asked about."""
        if not questions:
            return
        documents = counted(len(questions), "document")
        text = (
            f"{judge.name} was not asked about {documents} of which only the id is known: "
            f"{_places(questions)}. Give documents a title: in what the search returns "
            "(title_field), in a catalogue (documents), or by the fixture relevance_documents"
        )
        run_store(self._config).notes.say(Message(text, is_good=False))


def _problem_text(
    numbers: Sequence[int],
    questions: Sequence[Question],
    answers: Mapping[int, Answer],
) -> str:
    """Return the message for calls that have the same problem.

    `numbers`: the indexes of their questions.
    """
    answer = answers[numbers[0]]
    said = f"it said {answer.said}: " if answer.said else ""
    places = _places([questions[number] for number in numbers])
    return f"{counted(len(numbers), 'call')}: {said}{answer.problem} ({places})"


def _places(questions: Sequence[Question]) -> str:
    """Return the query and the document of the first question, for a message."""
    first = questions[0]
    place = f"query {quoted(first.case.query)}, document {quoted(first.document['id'])}"
    return place if len(questions) == 1 else f"first {place}"


def _questions_of(
    rows: Iterable[WorklistRow], cases: Iterable[_ScoredCase]
) -> list[Question]:
    """Return a question to the judge for each row of a worklist.

    The query of a row is escaped for a file. If several cases have the query of a row,
    the question is about the first case.
    """
    case_of_query: dict[str, Case] = {}
    for scored in cases:
        case_of_query.setdefault(in_a_file(scored.case.query), scored.case)
    questions = []
    for row in rows:
        document = {**row.fields, "id": row.document, "title": row.title}
        questions.append(Question(case_of_query[row.query], document))
    return questions


def _without_grade(answers: Iterable[Answer]) -> dict[str, int]:
    """Return {reason: count} of the answers that have no grade."""
    counts = {"it cannot tell": 0, "failed": 0}
    for answer in answers:
        if answer.problem:
            counts["failed"] += 1
        elif answer.grade is None:
            counts["it cannot tell"] += 1
    return counts
