"""Ask a judge for grades. The judge is the value of the fixture `relevance_judge`.

A judge is a function `judge(query, document)`. It is called for `AT_ONCE` documents at
a time. A plain function is called in daemon threads, outside of any event loop. The
calls of a coroutine function are tasks of the plugin's own loop. If a call raises, only
the grade of its document is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextvars import copy_context
from dataclasses import dataclass
from threading import Thread
from typing import Any

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.model import Case
from pytest_relevance.ext.judging.answer_text import (
    allowed_grades,
    grade_in,
    without_thoughts,
)
from pytest_relevance.judgments.grading import grade_on_scale
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.plugin.exceptions import error_text
from pytest_relevance.plugin.giving_up import PATIENCE
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.awaiting import (
    LOOKS_AFTER,
    close_unawaited,
    is_coroutine_function,
    is_waiting,
)

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

NAME = "relevance_judge"
"""The name of the fixture."""

AT_ONCE = 16
"""How many documents a judge is asked about at a time."""


@dataclass(frozen=True, slots=True)
class Question:
    """A document to be graded for the query of a case, on the scale of the case.

    `document`: {"id": ..., "title": ..., further fields}.
    """

    case: Case
    document: Mapping[str, str]

    @property
    def has_text(self) -> bool:
        """Whether more than the id of the document is known."""
        texts = {**self.document, "id": ""}
        return any(text.strip() for text in texts.values())


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a judge about a document.

    `grade`: None if the judge cannot tell, or if something went wrong.
    `note`: the reason that the judge gave; empty without one.
    `problem`: what went wrong, and what to do; empty if nothing went wrong.
    `said`: what the judge returned, for the message about a problem; may be empty.
    """

    grade: float | None = None
    note: str = ""
    problem: str = ""
    said: str = ""


class UnusableJudge(ValueError):
    """The fixture did not return a judge, or the judge failed too often.

    The text says why, and what the fixture has to return.
    """


class Judge:
    """A function that gives grades. Its `name` is the rater of these grades.

    `value`: what the fixture returned. Raises `UnusableJudge` if `value` is not a
        function with a name.
    """

    def __init__(self, value: Any, config: pytest.Config) -> None:
        if not callable(value):
            close_unawaited(value)
            raise UnusableJudge(
                f"{NAME} is not a function but {shown(value)}; return one, judge(query, document)"
            )
        self.name = _name_of(value)
        self._function: Callable[[str, dict[str, str]], Any] = value
        self._config = config
        self._loop = awaiting.own_loop(config) if is_coroutine_function(value) else None
        self._most_failed_in_a_row = settings(config).give_up * PATIENCE

    def ask(self, questions: Sequence[Question]) -> Generator[tuple[int, Answer]]:
        """Yield (index of the question, answer) for each question, as the answers come.

        If an exception is raised, the calls that have begun go on, and their answers
        are lost.

        Raises:
            UnusableJudge: too many calls in a row failed: `PATIENCE` times as many as a
                search may have (`relevance_give_up`).
            KeyboardInterrupt, pytest.exit.Exception: a call raised it.
        """
        waiting = deque(enumerate(questions))
        running: dict[Any, int] = {}
        failed_in_a_row = 0
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                number, question = waiting.popleft()
                running[self._start(question)] = number
            for finished in self._wait_for_some(running):
                answer: Answer | BaseException = finished.result()
                if isinstance(answer, BaseException):
                    raise answer
                yield running.pop(finished), answer
                if not answer.problem:
                    failed_in_a_row = 0
                    continue
                failed_in_a_row += 1
                if failed_in_a_row == self._most_failed_in_a_row:
                    raise UnusableJudge(f"{NAME} was given up")

    def _start(self, question: Question) -> Any:
        """Begin to ask a question. Return the task, or the future of a thread."""
        if self._loop is not None:
            return self._loop.create_task(self._answer_of_coroutine(question))
        future: Future[Answer | BaseException] = Future()

        def call() -> None:
            try:
                future.set_result(self._answer_of_function(question))
            except BaseException as error:  # otherwise the run would wait forever
                future.set_exception(error)

        Thread(target=copy_context().run, args=(call,), daemon=True).start()
        return future

    def _wait_for_some(self, running: Collection[Any]) -> Collection[Any]:
        """Wait until a question is finished. Return all that are finished.

        A wait for threads also returns after `LOOKS_AFTER` seconds, with none.
        """
        if self._loop is None:
            return wait(running, LOOKS_AFTER, FIRST_COMPLETED).done
        import asyncio

        waiting = asyncio.wait([*running], return_when=FIRST_COMPLETED)
        finished, _ = self._loop.run_until_complete(waiting)
        return finished

    def _answer_of_function(self, question: Question) -> Answer | BaseException:
        """Call a judge that is a plain function, and return its answer.

        If the judge raises an exception, the answer says so. An exception that ends the
        run is returned itself.
        """
        try:
            said = self._function(question.case.query, {**question.document})
            return answer_of(said, question.case)
        except BaseException as error:
            return self._answer_to(error)

    async def _answer_of_coroutine(self, question: Question) -> Answer | BaseException:
        """Call and await a judge that is a coroutine function. Return its answer.

        Exceptions are treated as in `_answer_of_function`.
        """
        try:
            said = await self._function(question.case.query, {**question.document})
            return answer_of(said, question.case)
        except BaseException as error:
            return self._answer_to(error)

    def _answer_to(self, error: BaseException) -> Answer | BaseException:
        """Return the answer of a call that raised an exception: its problem.

        An exception that ends the run is returned itself. If it was raised, asyncio
        would log it as the exception of a task that nobody looks at.
        """
        if isinstance(error, (KeyboardInterrupt, pytest.exit.Exception)):
            return error
        text = f"it raised {error_text(error, self._config)}"
        return Answer(problem=redaction(self._config).text(text))


def _name_of(judge: Any) -> str:
    """Return the name of a judge. Raises `UnusableJudge` if it has none."""
    name = getattr(judge, "name", None)
    if isinstance(name, str) and name.strip() and name.isprintable():
        return name.strip()
    problem = f"has the name {shown(name)}"
    if name is None:
        problem = "has no attribute name"
    raise UnusableJudge(
        f"{NAME} {problem}; say which model and which prompt it is, because grades are kept by this name: "
        'judge.name = "model-x/prompt-3"'
    )


def answer_of(said: object, case: Case) -> Answer:
    """Return what a judge said as a grade with a note, or as a problem.

    `said`: what the judge returned for a case: a grade, (grade, note), or None if it
        cannot tell. A grade is a number or a text. Anything else is a problem, and so
        is a grade that is not one of the case.
    """
    if is_waiting(said):
        # Python warns of a coroutine that is dropped, and a warning may fail a test
        close_unawaited(said)
        return Answer(
            problem="it returned something to await, and is not a coroutine function: write async def"
        )
    grade, note = said, None
    if isinstance(said, tuple) and len(said) == 2:
        grade, note = said
    if not (note is None or isinstance(note, str)):
        return Answer(problem="a note is text", said=shown(said))
    text = "" if note is None else str.__str__(note)  # a subclass may raise later
    if grade is None:
        return Answer(note=text)
    try:
        if isinstance(grade, str):
            grade = without_thoughts(str.__str__(grade))
        return Answer(grade=_grade_of(grade, case), note=text)
    except ValueError as error:
        return Answer(problem=f"{error}", said=shown(grade))


def _grade_of(said: object, case: Case) -> float | None:
    """Return a grade on the scale of a case; None if a text says that there is none.

    `said`: a number, or a text without thoughts.

    Raises:
        ValueError: `said` is anything else, or the grade is off the scale or has no
            gain in the case.
    """
    scale = case.terms.scale
    if isinstance(said, str):
        grade = grade_in(said, scale)
        if grade is None:
            return None
    else:
        grade = _grade_of_value(said, scale)
    case.settings.gain_of(grade)  # raises if a grade has no gain
    return grade


def _grade_of_value(value: object, scale: Scale | None) -> float:
    """Return a number as a grade. Raises ValueError for other values."""
    # numbers of numpy and of other libraries are recognised by their text
    grade = grade_on_scale(f"{value}", scale)
    if grade is None:
        raise ValueError(f"a grade is {allowed_grades(scale)}, or None for none")
    if isinstance(grade, str):
        raise ValueError(grade)
    return grade
