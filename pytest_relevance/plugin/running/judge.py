"""Ask a judge for grades: the value of the fixture `relevance_judge`, a function `judge(query, document)`.

It is asked outside of any event loop, about `AT_ONCE` documents at a time: in daemon threads, or if it is a coroutine
function, as tasks of the plugin's own loop. What it raises costs the grade of one document.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Coroutine,
    Generator,
    Mapping,
    Sequence,
)
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextvars import copy_context
from itertools import islice
from threading import Thread
from typing import Any, NamedTuple

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.model import Case
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.scale import on_scale
from pytest_relevance.plugin.failures import error_text
from pytest_relevance.plugin.giving_up import PATIENCE
from pytest_relevance.plugin.options import redaction, settings
from pytest_relevance.plugin.running import case_run
from pytest_relevance.plugin.running.case_run import (
    close_unawaited,
    is_coroutine_function,
    is_waiting,
)
from pytest_relevance.plugin.running.searches import LOOKS_AFTER

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

NAME = "relevance_judge"
"""The name of the fixture."""

AT_ONCE = 16
"""How many documents a judge is asked about at a time."""


class Question(NamedTuple):
    """A document, {"id": ..., "title": ..., further fields}, to be graded for the query of a case, on its scale."""

    case: Case
    document: Mapping[str, str]


class Answer(NamedTuple):
    """The grade and the note that a judge gave; without a grade it cannot tell, unless a `fault` says what it did."""

    grade: float | None = None
    note: str = ""
    fault: str = ""


class UnusableJudge(ValueError):
    """The value of the fixture cannot be asked; the message says what it has to be."""


class Judge:
    """A judge: its `name` is the rater of its grades.

    `value` is what the fixture returned. Raises `UnusableJudge` for a value that is no function with a name.
    """

    def __init__(self, value: Any, config: pytest.Config) -> None:
        if not callable(value):
            close_unawaited(value)
            raise UnusableJudge(
                f"{NAME} is no function but {shown(value)}; return one, judge(query, document)"
            )
        name = getattr(value, "name", None)
        if not (isinstance(name, str) and name.strip() and name.isprintable()):
            what = (
                "has no attribute name"
                if name is None
                else f"has the name {shown(name)}"
            )
            advice = 'say which model and which prompt it is, as grades are kept by it: judge.name = "model-x/prompt-3"'
            raise UnusableJudge(f"{NAME} {what}; {advice}")
        self.name = name.strip()
        self._function: Callable[[str, dict[str, str]], Any] = value
        self._config = config
        self._loop = case_run.own_loop(config) if is_coroutine_function(value) else None

    def ask(self, questions: Sequence[Question]) -> Generator[tuple[int, Answer]]:
        """Yield the number of each question with its answer, as the answers come.

        Raises `UnusableJudge` after `PATIENCE` times as many faults in a row as a search may have
        (`relevance_give_up`), and KeyboardInterrupt for Ctrl-C; calls that have begun are left alone.
        """
        patience, in_a_row = settings(self._config).give_up * PATIENCE, 0
        left, begun = iter(enumerate(questions)), dict[Any, int]()
        while begun := begun | {
            self._begun(each): number
            for number, each in islice(left, AT_ONCE - len(begun))
        }:
            for done in self._ended(begun):
                answer: Answer | BaseException = done.result()
                if isinstance(answer, BaseException):
                    raise answer
                yield begun.pop(done), answer
                in_a_row = in_a_row + 1 if answer.fault else 0
                if in_a_row == patience > 0:
                    raise UnusableJudge(f"{NAME} was given up")

    def _begun(self, question: Question) -> Any:
        """Begin to ask a question: a task of the loop, or the future of a daemon thread."""
        answer = self._answer(question)
        if self._loop is not None:
            return self._loop.create_task(answer)
        future: Future[Answer | BaseException] = Future()
        Thread(
            target=copy_context().run, args=(_run, answer, future), daemon=True
        ).start()
        return future

    def _ended(self, begun: Collection[Any]) -> Any:
        """Wait for some that have begun."""
        if self._loop is None:
            return wait(begun, LOOKS_AFTER, FIRST_COMPLETED).done
        import asyncio

        return self._loop.run_until_complete(
            asyncio.wait([*begun], return_when=FIRST_COMPLETED)
        )[0]

    async def _answer(self, question: Question) -> Answer | BaseException:
        """Ask a question. What ends the run is returned, as asyncio logs what a task raised and nobody looked at."""
        try:
            said = self._function(question.case.query, {**question.document})
            return answer_of(said if self._loop is None else await said, question.case)
        except (KeyboardInterrupt, pytest.exit.Exception) as error:
            return error
        except BaseException as error:
            return Answer(
                fault=redaction(self._config).text(
                    f"it raised {error_text(error, self._config)}"
                )
            )


def _run(
    answer: Coroutine[Any, Any, Answer | BaseException],
    future: Future[Answer | BaseException],
) -> None:
    """Run a coroutine that waits for nothing."""
    try:
        answer.send(None)
    except StopIteration as end:
        future.set_result(end.value)
    except BaseException as error:  # such as of a broken __str__: without an answer the run would wait without end
        future.set_exception(error)


def answer_of(said: object, case: Case) -> Answer:
    """Read what a judge returned: a grade, (grade, note), or None for either; a grade may be a name of the scale."""
    if is_waiting(said):
        close_unawaited(
            said
        )  # Python warns of one that is dropped, and a warning may fail a test
        return Answer(
            fault="it returned something to await, and is no coroutine function: write async def"
        )
    grade, note = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
    if not (note is None or isinstance(note, str)):
        return Answer(fault=f"it said {shown(said)}: a note is text")
    note = "" if note is None else str.__str__(note)  # a subclass may raise later
    if grade is None:
        return Answer(None, note)
    scale = case.terms.scale
    number = None if scale is None else scale.names.get(f"{grade}".strip())
    if number is None and (number := number_of(f"{grade}")) is None:
        wrong: object = f"a grade is {'a number' if scale is None else f'one of {scale.describe()}'}, or None for none"
    elif not isinstance(wrong := on_scale(number, scale), str):
        try:
            _ = case.settings.gains[number]
            return Answer(number, note)
        except ValueError as error:
            wrong = error
    return Answer(fault=f"it said {shown(said)}: {wrong}")
