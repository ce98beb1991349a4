"""`--relevance-judge=FILE`: ask the fixture `relevance_judge` for the grades of what nobody has judged.

It is asked once all cases ran, before the fixture is torn down, about the results within k, the most valuable first.
What it says, and what goes wrong, changes no verdict of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.failures import error_text
from pytest_relevance.plugin.options import redaction
from pytest_relevance.plugin.pytest_internals import is_fixture_defined, request_of
from pytest_relevance.plugin.run_store import DOCUMENTS, Message, run_store
from pytest_relevance.plugin.running.case_run import case_runs_of
from pytest_relevance.plugin.running.judge import NAME, Answer, Judge, Question, UnusableJudge
from pytest_relevance.reports.progress import Progress
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.documents import RunTitles
from pytest_relevance.results.filled import of_people
from pytest_relevance.results.judge_file import JudgeFile
from pytest_relevance.results.worklist import Worklist, WorklistRow, in_a_file

PLUGIN = "relevance-judging"

_MOST_FAULTS = 3
"""How many different faults of a judge are told."""


@dataclass(slots=True, eq=False)
class Asked:
    """What came of asking a judge: how often it was `asked`, how many grades it gave, its `faults`, `why` it ended."""

    asked: int = 0
    grades: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    why: str = ""

    def rest(self, total: int, others: Mapping[str, int], why: str = "") -> str:
        """How many of so many grades did not come, and why; `others` are further counts."""
        failed = self.faults.total()
        counts = {
            **others,
            "it cannot tell": self.asked - self.grades - failed,
            "failed": failed,
            f"not asked for: {self.why or why}": total - self.asked,
        }
        return "; ".join(f"{count:,} {what}" for what, count in counts.items() if count)


class JudgeHooks:
    """The hooks that request the fixture for what an `option` asks of it, and ask it before it is torn down.

    `messages` are for the end of the run; the run fails for those that are not good.
    """

    option = ""

    def __init__(self, config: pytest.Config) -> None:
        """Take the options. Raises UsageError under pytest-xdist."""
        if config.getoption("dist", "no") != "no":
            what = f"{self.option} asks about documents of all cases, which no worker of pytest-xdist has"
            raise pytest.UsageError(f"{what}: leave -n out, or write -n 0")
        self._config = config
        self._ran: dict[tuple[str, int], tuple[Case, CaseResult, int | None]] = {}
        self._requested: set[int] = set()
        self._unusable: dict[object, str] = {}
        self._is_interrupted = False
        self.messages: list[Message] = []

    def is_about(self, case: Case, result: CaseResult) -> bool:
        """Whether the judge is to be asked about documents of a case."""
        raise NotImplementedError

    def ask(self, judge: Judge, ran: Sequence[tuple[Case, CaseResult]]) -> None:
        """Ask a judge about documents of the cases that were scored."""
        raise NotImplementedError

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Raise UsageError where no fixture has the name."""
        if session.items and not is_fixture_defined(NAME, session):
            how = "write it in a conftest.py: a session fixture that returns judge(query, document), which has a name"
            raise pytest.UsageError(f"{self.option} needs a fixture {NAME}, and there is none; {how}")

    @pytest.hookimpl(wrapper=True, trylast=True)  # inner to the wrappers that capture output
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Keep what a call has scored, and request the fixture where there is something to judge."""
        __tracebackhide__ = True
        try:
            return (yield)
        finally:
            for number, run in enumerate(case_runs_of(item)):
                result = run.attempt.result
                if result is not None and result.evaluation.scores:
                    if run.case.filled:
                        result = of_people(result, run.case.judgments, run.case.filled)
                    judge = self._judge_of(item) if self.is_about(run.case, result) else None
                    self._ran[item.nodeid, number] = run.case, result, judge

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Ask the judge before the fixture, or a fixture that it requests, is torn down."""
        value = yield
        if fixturedef.argname == NAME:
            if fixturedef.scope != "session":
                scope = f'has {fixturedef.scope} scope; make it a session fixture, @pytest.fixture(scope="session")'
                raise UnusableJudge(f"{NAME} {scope}: it is asked once all cases ran")
            fixturedef.addfinalizer(lambda: self._end(value))  # the last one to be added is called first
        return value

    @pytest.hookimpl
    def pytest_keyboard_interrupt(self) -> None:
        """Ask nothing any more."""
        self._is_interrupted = True

    def _judge_of(self, item: pytest.Item) -> int | None:
        """Request the fixture for an item: the id of its value, or None where there is none."""
        request = request_of(item)
        if request is None or item.parent in self._unusable:
            return None
        try:
            value = request.getfixturevalue(NAME)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # no verdict changes because of a grade
            why = str(error) if isinstance(error, UnusableJudge) else f"{NAME} raised {error_text(error, self._config)}"
            if isinstance(error, pytest.FixtureLookupError) and error.argname == NAME:
                why = f"the cases of {item.parent.name if item.parent else item.nodeid} have no fixture {NAME}"
            if why not in self._unusable.values():
                self.messages.append(Message(redaction(self._config).text(why), is_good=False))
            self._unusable[item.parent] = why
            return None
        self._requested.add(id(value))
        return id(value)

    def _end(self, value: Any) -> None:
        """Ask a judge, at the teardown of its fixture."""
        if self._is_interrupted or id(value) not in self._requested:
            return
        self._requested.remove(id(value))
        ran = [(case, result) for case, result, judge in self._ran.values() if judge in (id(value), None)]
        try:
            self.ask(Judge(value, self._config), ran)
        except UnusableJudge as error:
            self.messages.append(Message(str(error), is_good=False))

    def described(self, results: Iterable[CaseResult], documents: Collection[str] = ()) -> list[CaseResult]:
        """Return results with all titles that can be known; of the index `documents` are asked for as well."""
        lookup: Any = self._config.pluginmanager.get_plugin(DOCUMENTS)
        found = [*results] if lookup is None else lookup.described(results, documents)
        return RunTitles().add(found, run_store(self._config).files)

    def answers(
        self, judge: Judge, questions: Sequence[Question], what: str, take: Callable[[int, Answer], None]
    ) -> Asked:
        """Ask a judge; `take` gets the number of each question and its answer, unless that is a fault, which is told.

        `what` begins the line that says how far it is.
        """
        progress, found = progress_of(self._config, what, len(questions)), Asked()
        try:
            for number, answer in judge.ask(questions):
                found.asked += 1
                if answer.fault:
                    found.faults[answer.fault] += 1
                else:
                    found.grades += answer.grade is not None
                    take(number, answer)
                progress.advance()
        except KeyboardInterrupt:
            found.why = "Ctrl-C"
        except (pytest.exit.Exception, pytest.fail.Exception) as error:  # of the judge, or a timeout of the last test
            found.why = str(error)
        finally:
            progress.end()
        if judge.gave_up:
            found.why = f"{NAME} was given up"
        faults = found.faults
        told = [f"{judge.name}, {counted(count, 'call')}: {text}" for text, count in faults.most_common(_MOST_FAULTS)]
        if len(faults) > _MOST_FAULTS:
            told.append(f"{judge.name}: {counted(len(faults) - _MOST_FAULTS, 'further fault')} of other kinds")
        # no fault of a judge fails the run
        run_store(self._config).messages += [Message(text, is_good=False) for text in told]
        return found


class Judging(JudgeHooks):
    """The hooks of `--relevance-judge`, which add the grades to a file as they come."""

    option = "--relevance-judge"

    def __init__(self, config: pytest.Config, file: JudgeFile) -> None:
        super().__init__(config)
        self._file = file
        self._shown = harmless(config.option.relevance_judge)
        self._left: int | None = config.option.relevance_judge_limit

    def is_about(self, case: Case, result: CaseResult) -> bool:
        """Whether a case has results that nobody has judged."""
        return bool(result.unjudged)

    def end(self) -> Iterator[Message]:
        """The messages for the end of the run."""
        yield from self.messages
        if not self.messages:
            why = "all results are judged" if self._ran else "no case was scored"
            why = "the run was interrupted" if self._is_interrupted else why
            yield Message(f"{self._shown}: {NAME} was not asked, as {why}")

    def ask(self, judge: Judge, ran: Sequence[tuple[Case, CaseResult]]) -> None:
        """Ask a judge for grades of unjudged results, the most valuable first, and add them to the file."""
        worklist = Worklist.of(self.described(result for _, result in ran))
        cases = {in_a_file(case.query): case for case, _ in reversed(ran)}

        def take(number: int, answer: Answer) -> None:
            self._file.add(worklist, rows[number], judge.name, answer.grade, answer.note)

        try:
            with self._file.locked():
                self._file.open(worklist)
                pairs: dict[tuple[str, str], WorklistRow] = {}
                for row in worklist.rows:
                    pairs.setdefault((self._file.ids(row)[0], row.document), row)
                new = [row for row in pairs.values() if not self._file.has(row, judge.name)]
                rows = new if self._left is None else new[: self._left]
                questions = [_question(row, cases[row.query]) for row in rows]
                found = self.answers(judge, questions, f"judged by {judge.name}:", take)
        except (OSError, ValueError) as error:  # it is no worklist any more
            self.messages.append(Message(f"{self._shown} cannot be written: {error}", is_good=False))
            return
        if self._left is not None:
            self._left -= found.asked
        before = {"in the file before": len(pairs) - len(new)}
        rest = found.rest(len(new), before, "--relevance-judge-limit")
        of_all = f"{found.grades:,} of {counted(len(pairs), 'result')} that nobody has judged"
        cut = "; a half-written row at its end was taken away" if self._file.was_cut else ""
        self.messages.append(Message(f"{judge.name} graded {of_all}: {self._shown}{rest and '; '}{rest}{cut}"))


def _question(row: WorklistRow, case: Case) -> Question:
    document = {**row.fields, "id": row.document, "title": row.title}
    return Question(row.query, document, case.terms.scale, case.settings)


def progress_of(config: pytest.Config, what: str, total: int) -> Progress:
    """The progress of something at the end of a run, in its terminal, past the capture of output."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    capture: Any = config.pluginmanager.get_plugin("capturemanager")

    def write(text: str) -> None:
        if reporter is not None:
            with nullcontext() if capture is None else capture.global_and_fixture_disabled():
                reporter.write(text, flush=True)

    if reporter is not None and total:
        write("\n")
    progress = Progress(what, total, write, is_terminal=getattr(reporter, "isatty", False))
    progress.advance(0)
    return progress
