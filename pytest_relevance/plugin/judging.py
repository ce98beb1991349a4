"""`--relevance-judge=FILE` and `--relevance-calibrate=N`: ask the fixture `relevance_judge` for grades.

It is asked once all cases ran, before the fixture is torn down: about results within k that nobody has judged, the most
valuable first, and about documents that people judged, to show how far it agrees with them. What it says, and what goes
wrong, changes no verdict of the run.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.cases.model import Case
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.raters import Judged, Rated, drawn_evenly
from pytest_relevance.plugin.failures import error_text
from pytest_relevance.plugin.options import redaction, settings
from pytest_relevance.plugin.outputs import Target, tell
from pytest_relevance.plugin.pytest_internals import is_fixture_defined, request_of
from pytest_relevance.plugin.run_store import DOCUMENTS, Message, run_store
from pytest_relevance.plugin.running.case_run import case_runs_of
from pytest_relevance.plugin.running.judge import (
    AT_ONCE,
    NAME,
    Answer,
    Judge,
    Question,
    UnusableJudge,
)
from pytest_relevance.plugin.terminal import run_terminal
from pytest_relevance.reports.progress import Progress
from pytest_relevance.reports.raters import agreement_lines
from pytest_relevance.reports.styled_lines import folded_lines, styled_line
from pytest_relevance.reports.terminal_text import terminal_width
from pytest_relevance.reports.workflow_commands import safe_output
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.documents import RunTitles
from pytest_relevance.results.filled import judged_by
from pytest_relevance.results.worklist import JudgeFile, Worklist, in_a_file

PEOPLE = "people"
"""The rater of the grades that people gave, beside a judge."""

_MOST_FAULTS, _MOST_APART = 3, 3
"""How many different faults of a judge are told, and how many of the pairs that are furthest apart are shown."""

_NOT_ASKED = "not asked for: "

_Hook = Generator[None, object, object]
_Take = Callable[[int, Answer], None]
_Ran = Sequence[tuple[Case, CaseResult]]
"""The cases that were scored, with what they came to by grades of people alone."""


class Judging:
    """The hooks that request the fixture where there is something to judge, and ask it before it is torn down.

    `_ran` are the cases that were scored, each with the judge that it needs (None: none). `_messages` are for the end
    of the run; the run fails for those that are not good.
    """

    def __init__(self, config: pytest.Config) -> None:
        """Mend the file of a run that was killed. Raises UsageError under pytest-xdist."""
        option, self._config = config.option, config
        self._most: int | None = option.relevance_calibrate
        self._option = (
            "--relevance-calibrate"
            if option.relevance_judge is None
            else "--relevance-judge"
        )
        if config.getoption("dist", "no") != "no":
            what = f"{self._option} asks about documents of all cases, which no worker of pytest-xdist has"
            raise pytest.UsageError(f"{what}: leave -n out, or write -n 0")
        self._target = (
            None if option.relevance_judge is None else Target.of("judge", config)
        )
        self._file = None if self._target is None else JudgeFile(self._target.path)
        self._left: int = option.relevance_judge_limit or sys.maxsize
        self._ran: dict[tuple[str, int], tuple[Case, CaseResult, object]] = {}
        self._is_interrupted = False
        self._messages: list[Message] = []
        self._sections = run_store(config).sections

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Raise UsageError where no fixture has the name."""
        if session.items and not is_fixture_defined(NAME, session):
            how = "write it in a conftest.py: a session fixture that returns judge(query, document), which has a name"
            raise pytest.UsageError(
                f"{self._option} needs a fixture {NAME}, and there is none; {how}"
            )

    @pytest.hookimpl(
        wrapper=True, trylast=True
    )  # inner to the wrappers that capture output
    def pytest_runtest_call(self, item: pytest.Item) -> _Hook:
        """Keep what a call has scored, and request the fixture where there is something to judge."""
        __tracebackhide__ = True
        try:
            return (yield)
        finally:
            for number, run in enumerate(case_runs_of(item)):
                result, people = run.attempt.result, run.case.grades_of_people
                if result is not None and result.evaluation.scores:
                    result = judged_by(result, people) if run.case.filled else result
                    is_asked = (self._file and result.unjudged) or (
                        self._most is not None and people
                    )
                    judge = self._judge_of(item) if is_asked else None
                    self._ran[item.nodeid, number] = run.case, result, judge

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> _Hook:
        """Ask the judge before the fixture, or a fixture that it requests, is torn down."""
        value = yield
        if fixturedef.argname == NAME:
            if fixturedef.scope != "session":
                scope = f'has {fixturedef.scope} scope; make it a session fixture, @pytest.fixture(scope="session")'
                raise UnusableJudge(f"{NAME} {scope}: it is asked once all cases ran")
            fixturedef.addfinalizer(
                lambda: self._ask(value)
            )  # the last one to be added is called first
        return value

    @pytest.hookimpl
    def pytest_keyboard_interrupt(self) -> None:
        """Ask nothing any more."""
        self._is_interrupted = True

    @pytest.hookimpl(
        wrapper=True, trylast=True
    )  # inside that of the terminal; the last teardown may be in it
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> _Hook:
        """Tell what came of it, or why the judge was not asked; the run fails where it cannot be."""
        found = yield
        is_silent = not self._messages and (self._file or not self._sections)
        if is_silent and settings(self._config).runs_tests and not self._is_interrupted:
            why = "there is nothing to judge" if self._ran else "no case was scored"
            self._messages.append(
                Message(f"{self._option}: {NAME} was not asked, as {why}")
            )
        tell(self._messages, session, exitstatus)
        return found

    def _judge_of(self, item: pytest.Item) -> object:
        """Request the fixture for an item; None where it cannot be asked, which is told."""
        request = request_of(item)
        if request is None:
            return None
        try:
            return request.getfixturevalue(NAME)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # no verdict changes because of a grade
            why = (
                str(error)
                if isinstance(error, UnusableJudge)
                else f"{NAME} raised {error_text(error, self._config)}"
            )
            message = Message(redaction(self._config).text(why), is_good=False)
            self._messages += [message] if message not in self._messages else []
            return None

    def _ask(self, value: Any) -> None:
        """Ask a judge, at the teardown of its fixture, unless no case needs it."""
        ran = [
            (case, result)
            for case, result, judge in self._ran.values()
            if judge is value or judge is None
        ]
        if self._is_interrupted or not any(
            judge is value for *_, judge in self._ran.values()
        ):
            return
        try:
            judge = Judge(value, self._config)
        except UnusableJudge as error:
            self._messages.append(Message(str(error), is_good=False))
            return
        if self._most is not None:
            self._calibrate(judge, ran, self._most)
        file = self._file
        if (
            self._target
            and file
            and not self._is_interrupted
            and any(result.unjudged for _, result in ran)
        ):
            problem = self._target.write(lambda _: self._fill(judge, ran, file))
            self._messages += [Message(problem, is_good=False)] if problem else []

    def _fill(self, judge: Judge, ran: _Ran, file: JudgeFile) -> None:
        """Ask a judge for grades of unjudged results, the most valuable first, and add them to the file."""
        worklist = Worklist.of(self._described(result for _, result in ran))
        cases = {in_a_file(case.query): case for case, _ in reversed(ran)}
        of_all, new = file.open(worklist, judge.name)
        rows = new[: self._left]

        def take(number: int, answer: Answer) -> None:
            file.add(worklist, rows[number], judge.name, answer.grade, answer.note)

        questions = [
            Question(
                cases[row.query], {**row.fields, "id": row.document, "title": row.title}
            )
            for row in rows
        ]
        before, over = of_all - len(new), len(new) - len(rows)
        others = {
            "in the file before": before,
            _NOT_ASKED + "--relevance-judge-limit": over,
        }
        answers, rest = self._answers(
            judge, questions, f"judged by {judge.name}:", others, take
        )
        self._left -= min(
            len(rows), len(answers) + AT_ONCE
        )  # so many more may have begun
        graded = sum(answer.grade is not None for answer in answers.values())
        said = f"{judge.name} graded {graded:,} of {counted(of_all, 'result')} that nobody has judged"
        where = harmless(self._config.option.relevance_judge)
        self._messages.append(Message(f"{said}: {where}{rest and '; '}{rest}"))

    def _calibrate(self, judge: Judge, ran: _Ran, most: int) -> None:
        """Ask a judge for grades that people gave in the cases that were scored, and keep what there is to show."""
        places: dict[Judged, int] = {}
        results = []
        for place, (case, result) in enumerate(ran):
            judged = case.grades_of_people.items()
            for document, grade in judged:
                places.setdefault(Judged(case.query, document, grade), place)
            evaluation = replace(
                result.evaluation, missing=(*judged,)
            )  # documents whose titles are looked up
            results.append(
                replace(result, evaluation=evaluation).with_titles(
                    case.titles, replace=False
                )
            )
        drawn = drawn_evenly(places, most)
        described = self._described(results, [each.document for each in drawn])
        questions, titles = [], dict[str, dict[str, str]]()
        for each in drawn:
            (case, _), texts, name = (
                ran[places[each]],
                described[places[each]].texts,
                each.document,
            )
            titles.setdefault(each.query, {})[name] = title = texts.titles.get(name, "")
            questions.append(
                Question(
                    case, {**texts.shown.get(name, {}), "id": name, "title": title}
                )
            )
        untitled = {
            "without a title": sum(
                not question.document["title"] for question in questions
            )
        }
        answers, rest = self._answers(
            judge, questions, f"calibrated {judge.name}:", untitled, lambda *_: None
        )
        how = f"the {counted(len(places), 'grade')} that people gave"
        how += ", drawn evenly over the grades" * (len(drawn) < len(places))
        columns = terminal_width()
        lines = folded_lines(
            f"asked for {len(drawn):,} of {how}{rest and ': '}{rest}", columns=columns
        )
        people = PEOPLE if judge.name != PEOPLE else f"other {PEOPLE}"
        pairs = []
        for number, answer in answers.items():
            if answer.grade is not None:
                each = drawn[number]
                pairs.append(
                    Rated(
                        each.query,
                        each.document,
                        ratings={people: each.grade, judge.name: answer.grade},
                        spread=abs(answer.grade - each.grade),
                    )
                )
        if pairs:
            pairs.sort(key=lambda rated: (-rated.spread, rated.query, rated.document))
            judgments = Judgments(titles=titles, raters=(people, judge.name))
            lines += [
                styled_line(""),
                *agreement_lines(judgments, pairs, _MOST_APART, columns=columns),
            ]
        self._sections.append(
            (safe_output(f"calibration of {harmless(judge.name)}"), lines)
        )

    def _described(
        self, results: Iterable[CaseResult], documents: Collection[str] = ()
    ) -> list[CaseResult]:
        """Return results with all titles that can be known; of the index `documents` are asked for as well."""
        lookup: Any = self._config.pluginmanager.get_plugin(DOCUMENTS)
        found = [*results] if lookup is None else lookup.described(results, documents)
        return RunTitles().add(found, run_store(self._config).files)

    def _answers(
        self,
        judge: Judge,
        questions: Sequence[Question],
        what: str,
        others: Mapping[str, int],
        take: _Take,
    ) -> tuple[Mapping[int, Answer], str]:
        """Ask a judge; return its answers by the numbers of the questions, and in words what has no grade.

        Faults are told. `what` begins the line that says how far it is. `others` has counts of what was not asked, and
        `take` gets each answer as it comes, unless that is a fault.
        """
        progress = Progress(what, len(questions), *run_terminal(self._config))
        answers, why = dict[int, Answer](), ""
        progress.advance(0)
        try:
            for number, answer in judge.ask(questions):
                if not answer.fault:
                    take(number, answer)
                answers[number] = answer
                progress.advance()
        except KeyboardInterrupt:
            self._is_interrupted, why = True, "Ctrl-C"
        except (
            UnusableJudge,
            pytest.exit.Exception,
            pytest.fail.Exception,
        ) as error:  # or a timeout of the last test
            why = str(error)
        finally:
            progress.end()
        faults = Counter(each.fault for each in answers.values() if each.fault)
        told = [
            f"{judge.name}, {counted(count, 'call')}: {text}"
            for text, count in faults.most_common(_MOST_FAULTS)
        ]
        # no fault of a judge fails the run
        run_store(self._config).messages += [
            Message(text, is_good=False) for text in told
        ]
        unsure = sum(each.grade is None and not each.fault for each in answers.values())
        left = len(questions) - len(answers)
        counts = {
            **others,
            "it cannot tell": unsure,
            "failed": faults.total(),
            _NOT_ASKED + why: left,
        }
        return answers, "; ".join(
            f"{count:,} {what}" for what, count in counts.items() if count
        )
